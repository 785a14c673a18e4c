//! What a chart can show, at which resolution, and how the samples of a point are combined.
use crate::names::variants;
use crate::sample::Counter;
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Series {
    #[strum(serialize = "m0")]
    GridPower,
    #[strum(serialize = "m1")]
    BatteryPower,
    #[strum(serialize = "m2")]
    Import,
    #[strum(serialize = "m2N")]
    FeedIn,
    #[strum(serialize = "m3")]
    Soc,
    #[strum(serialize = "m4")]
    PvEnergy,
    #[strum(serialize = "m5")]
    Discharge,
    #[strum(serialize = "m5N")]
    Charge,
    #[strum(serialize = "m6")]
    PvPower,
    #[strum(serialize = "m7")]
    GridVoltage,
    #[strum(serialize = "m8")]
    House,
    #[strum(serialize = "ef")]
    EnergyForecast,
    #[strum(serialize = "lf")]
    LoadForecast,
}

impl Series {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    /// Whether it is predicted, not measured.
    pub const fn is_forecast(self) -> bool {
        matches!(self, Self::EnergyForecast | Self::LoadForecast)
    }

    pub fn from_code(code: &str) -> Option<Self> {
        code.parse().ok()
    }

    /// The counter of an energy series.
    pub const fn counter(self) -> Option<Counter> {
        match self {
            Self::Import => Some(Counter::Import),
            Self::FeedIn => Some(Counter::FeedIn),
            Self::PvEnergy => Some(Counter::Pv),
            Self::Charge => Some(Counter::Charge),
            Self::Discharge => Some(Counter::Discharge),
            _ => None,
        }
    }

    /// Codes with an N are shown as negative numbers: energy that leaves the house or goes into the battery.
    pub const fn shown_negative(self) -> bool {
        matches!(self, Self::FeedIn | Self::Charge)
    }
}

/// The period that a chart covers: around its date, a week up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str)]
pub enum Interval {
    Day,
    Week,
    Month,
    Year,
}

impl Interval {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// How much time one point covers. Hours, quarters and minutes are counted from the start of the site's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Resolution {
    Minute,
    Quarter,
    Hour,
    Day,
    Month,
}

impl Resolution {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// How the samples of one point are combined. Energy is always summed, whatever the request says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Method {
    Mean,
    Min,
    Max,
    Sum,
}

impl Method {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_found_by_its_code() {
        for series in Series::ALL {
            assert_eq!(Series::from_code(series.code()), Some(series));
        }
        assert_eq!(Series::from_code("m9"), None);
    }

    #[test]
    fn only_what_leaves_is_shown_negative() {
        let negative: Vec<_> = Series::ALL
            .into_iter()
            .filter(|series| series.shown_negative())
            .collect();
        assert_eq!(negative, [Series::FeedIn, Series::Charge]);
        assert!(negative.iter().all(|series| series.code().ends_with('N')));
    }
}
