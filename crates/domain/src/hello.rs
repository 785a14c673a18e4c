//! What a battery says about itself each time it connects.
use crate::Zone;
use crate::sample::MessageId;

/// The versions of its three parts; a system without a slave reports none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Versions {
    pub master: Option<String>,
    pub gateway: Option<String>,
    pub slave: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub id: MessageId,
    pub hardware: String,
    /// The phase that the unit is on, 1 to 3.
    pub phase: u8,
    /// Usable Wh.
    pub capacity: i64,
    /// Rated charge power in W.
    pub charge_max: i64,
    /// Rated discharge power in W.
    pub discharge_max: i64,
    /// The time zone of its site.
    pub zone: Zone,
    pub versions: Versions,
    /// It updates only with the main switch off; a battery that does not say is of that kind.
    pub update_needs_off: bool,
    /// The newest settings that it has applied; 0 before the first.
    pub settings_version: i64,
}
