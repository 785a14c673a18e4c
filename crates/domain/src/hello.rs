//! What a battery reports about itself each time it connects.
use crate::Zone;
use crate::sample::MessageId;

/// The versions of its three parts; a system without a slave reports none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartVersions {
    pub master: Option<String>,
    pub gateway: Option<String>,
    pub slave: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    pub id: MessageId,
    pub hardware: String,
    /// The phase that the unit is connected to, 1 to 3.
    pub phase: u8,
    /// Usable Wh.
    pub capacity: i64,
    /// Rated charge power in W.
    pub charge_max: i64,
    /// Rated discharge power in W.
    pub discharge_max: i64,
    pub zone: Zone,
    pub versions: PartVersions,
    /// The battery updates only with the main switch off. Assumed if it does not report it.
    pub update_needs_off: bool,
    /// The version of the newest settings that it has applied; 0 before the first.
    pub settings_version: i64,
}
