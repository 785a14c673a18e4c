//! The kinds of setting values, and the ratings of a unit.
use strum::IntoStaticStr;

/// The limit while a unit has not reported its ratings: no unit is rated higher.
const MAX_RATING_W: i64 = 30_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum FieldKind {
    /// 0 to 100 %.
    Percent,
    /// `HH:MM`, 00:00 to 24:00.
    Time,
    Choice(&'static [&'static str]),
    /// W, up to the unit's rating.
    Power(Direction),
    /// Hundredths of a cent per kWh.
    Price,
    /// Tenths of a percent, 0 to 100 %.
    Rate,
    Switch,
    /// Address of a meter on its bus, 1 to 250.
    Address,
    /// Stored encrypted and outside the document; never shown in full.
    Token,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Charge,
    Discharge,
}

impl FieldKind {
    /// The name in the API.
    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    pub const fn unit(self) -> Option<&'static str> {
        match self {
            Self::Percent | Self::Rate => Some("%"),
            Self::Power(_) => Some("W"),
            Self::Price => Some("ct/kWh"),
            _ => None,
        }
    }

    /// How many decimals the number has.
    pub const fn decimals(self) -> u8 {
        match self {
            Self::Price => 2,
            Self::Rate => 1,
            _ => 0,
        }
    }
}

/// The rated powers of a unit in W; `None` until it has reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratings {
    pub charge: Option<i64>,
    pub discharge: Option<i64>,
}

impl Ratings {
    fn rated(self, direction: Direction) -> Option<i64> {
        match direction {
            Direction::Charge => self.charge,
            Direction::Discharge => self.discharge,
        }
    }

    pub(super) fn knows(self, direction: Direction) -> bool {
        self.rated(direction).is_some()
    }

    /// The highest power that may be set in this direction.
    pub(super) fn most(self, direction: Direction) -> i64 {
        self.rated(direction).unwrap_or(MAX_RATING_W)
    }
}
