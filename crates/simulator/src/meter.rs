//! The smart meter at the house's connection. A battery that asks another type, at the wrong address or over the wrong wire
//! hears nothing and is blind.
use crate::settings::{Settings, Wire};

pub const DEFAULT_ADDRESS: u8 = 1;

/// The meters that batteries can talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterType {
    None,
    Adl400,
    Adw300,
    Sdm630,
    Em24,
    Umg604,
    Dtsu666,
    Shelly3em,
}

impl MeterType {
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Adl400,
        Self::Adw300,
        Self::Sdm630,
        Self::Em24,
        Self::Umg604,
        Self::Dtsu666,
        Self::Shelly3em,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Adl400 => "adl400",
            Self::Adw300 => "adw300",
            Self::Sdm630 => "sdm630",
            Self::Em24 => "em24",
            Self::Umg604 => "umg604",
            Self::Dtsu666 => "dtsu666",
            Self::Shelly3em => "shelly3em",
        }
    }

    /// Whether it can be reached over this wire.
    pub const fn speaks(self, wire: Wire) -> bool {
        match self {
            Self::None => false,
            Self::Umg604 => true,
            Self::Shelly3em => matches!(wire, Wire::Tcp),
            _ => matches!(wire, Wire::Rs485),
        }
    }

    /// Firmware before 2.4 was written before these were sold.
    pub const fn is_recent(self) -> bool {
        matches!(self, Self::Umg604 | Self::Shelly3em)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    pub kind: MeterType,
    /// What is set on the meter itself, 1 to 250.
    pub address: u8,
    /// A meter that has failed, or whose wire is cut, answers nobody.
    pub alive: bool,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            kind: MeterType::Adl400,
            address: DEFAULT_ADDRESS,
            alive: true,
        }
    }
}

impl Meter {
    /// Whether a battery that is set like this hears it.
    pub fn answers(self, settings: &Settings) -> bool {
        self.alive
            && self.kind == settings.meter_type
            && self.address == settings.meter_address
            && self.kind.speaks(settings.wire)
    }
}
