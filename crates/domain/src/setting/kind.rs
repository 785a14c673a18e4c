//! What a field of the settings may hold, and what a unit is built for.

/// No unit of ours is rated higher, in W: the limit while a system has not said what it is.
const ANY_RATING: i64 = 30_000;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 0 to 100 %.
    Percent,
    /// `HH:MM`, 00:00 to 24:00.
    Time,
    Choice(&'static [&'static str]),
    /// W, up to what the unit is rated for.
    Power(Direction),
    /// Hundredths of a cent per kWh.
    Price,
    /// Tenths of a percent, 0 to 100 %.
    Rate,
    Switch,
    /// Of a meter on its bus, 1 to 250.
    Address,
    /// Kept sealed and apart from the document; never told to anybody.
    Token,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Charge,
    Discharge,
}

impl Kind {
    /// As clients know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Percent => "percent",
            Self::Time => "time",
            Self::Choice(_) => "choice",
            Self::Power(_) => "power",
            Self::Price => "price",
            Self::Rate => "rate",
            Self::Switch => "switch",
            Self::Address => "address",
            Self::Token => "token",
        }
    }

    pub const fn unit(self) -> Option<&'static str> {
        match self {
            Self::Percent | Self::Rate => Some("%"),
            Self::Power(_) => Some("W"),
            Self::Price => Some("ct/kWh"),
            _ => None,
        }
    }

    /// How many digits of the number are behind its point.
    pub const fn decimals(self) -> u8 {
        match self {
            Self::Price => 2,
            Self::Rate => 1,
            _ => 0,
        }
    }
}

/// What a unit is built for, in W; `None` until it has said so.
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

    /// The most that may be set in this direction.
    pub(super) fn most(self, direction: Direction) -> i64 {
        self.rated(direction).unwrap_or(ANY_RATING)
    }
}
