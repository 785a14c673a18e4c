//! The smart meter at the house connection. A battery with the wrong meter type, address or interface gets no answer and
//! has no readings.
use strum::{EnumString, IntoStaticStr};

pub const DEFAULT_ADDRESS: u8 = 1;

/// The interface between a meter and a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    Rs485,
    Tcp,
}

/// The meters that batteries can talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
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
    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// Whether it has this interface.
    pub const fn speaks(self, wire: Wire) -> bool {
        match self {
            Self::None => false,
            Self::Umg604 => true,
            Self::Shelly3em => matches!(wire, Wire::Tcp),
            _ => matches!(wire, Wire::Rs485),
        }
    }

    /// Firmware before 2.4 does not know these.
    pub const fn is_recent(self) -> bool {
        matches!(self, Self::Umg604 | Self::Shelly3em)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meter {
    pub kind: MeterType,
    /// The address set on the meter itself, 1 to 250.
    pub address: u8,
    /// `false` if the meter failed or its cable is cut: it answers no request.
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
