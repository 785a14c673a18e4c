//! What a chart can show, how fine, and how many samples become one point.
use crate::sample::Counter;

/// A series by its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Series {
    GridPower,
    BatteryPower,
    Import,
    FeedIn,
    Soc,
    PvEnergy,
    Discharge,
    Charge,
    PvPower,
    GridVoltage,
    House,
    EnergyForecast,
    LoadForecast,
}

impl Series {
    pub const ALL: [Self; 13] = [
        Self::GridPower,
        Self::BatteryPower,
        Self::Import,
        Self::FeedIn,
        Self::Soc,
        Self::PvEnergy,
        Self::Discharge,
        Self::Charge,
        Self::PvPower,
        Self::GridVoltage,
        Self::House,
        Self::EnergyForecast,
        Self::LoadForecast,
    ];

    pub const fn code(self) -> &'static str {
        match self {
            Self::GridPower => "m0",
            Self::BatteryPower => "m1",
            Self::Import => "m2",
            Self::FeedIn => "m2N",
            Self::Soc => "m3",
            Self::PvEnergy => "m4",
            Self::Discharge => "m5",
            Self::Charge => "m5N",
            Self::PvPower => "m6",
            Self::GridVoltage => "m7",
            Self::House => "m8",
            Self::EnergyForecast => "ef",
            Self::LoadForecast => "lf",
        }
    }

    /// Whether it was said before it came, and never measured.
    pub const fn is_forecast(self) -> bool {
        matches!(self, Self::EnergyForecast | Self::LoadForecast)
    }

    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|series| series.code() == code)
    }

    /// The counter behind a series of energy.
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

    /// Codes with an N are shown as negative numbers: what leaves the house or goes into the battery.
    pub const fn shown_negative(self) -> bool {
        matches!(self, Self::FeedIn | Self::Charge)
    }
}

/// The stretch of time that a chart covers, around its date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    Day,
    Week,
    Month,
    Year,
}

impl Interval {
    pub const ALL: [Self; 4] = [Self::Day, Self::Week, Self::Month, Self::Year];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "Day",
            Self::Week => "Week",
            Self::Month => "Month",
            Self::Year => "Year",
        }
    }
}

/// How much time one point covers. Hours, quarters and minutes are counted from the start of the site's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolution {
    Minute,
    Quarter,
    Hour,
    Day,
    Month,
}

impl Resolution {
    pub const ALL: [Self; 5] = [
        Self::Minute,
        Self::Quarter,
        Self::Hour,
        Self::Day,
        Self::Month,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Quarter => "quarter",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Month => "month",
        }
    }
}

/// How the samples of one point become one number. Energy is always the sum, whatever is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Mean,
    Min,
    Max,
    Sum,
}

impl Method {
    pub const ALL: [Self; 4] = [Self::Mean, Self::Min, Self::Max, Self::Sum];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::Sum => "sum",
        }
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
