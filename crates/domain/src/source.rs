//! Sources of prices and weather: which there are, what their prices mean, and the state of polling them.

mod poll;
mod spot;
mod time_of_use;

pub use poll::{PollOutcome, SourceError, SourceState, next_price_poll};
pub use spot::{PriceMarkup, PriceSlot, QUARTER, SpotPrice, quarter_prices};
pub use time_of_use::{DayType, MAX_STEPS, TariffStep, TimeOfUse};

use crate::names::{UnknownName, unknown};
use crate::setting::Value;
use crate::weather::WeatherCell;
use crate::{Country, Serial};
use std::fmt;
use std::str::FromStr;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// An external service that is polled for prices or weather.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    Tibber,
    Awattar,
    EnergyCharts,
    Entsoe,
    OpenMeteo,
    ForecastSolar,
}

impl Source {
    pub const ALL: &[Self] = Self::VARIANTS;

    /// As stored and sent; for a price source, also the provider's name in the settings.
    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    /// The source of the provider in the settings; `None` where prices are entered by hand, or there is no provider.
    pub fn of_provider(provider: Option<Value>) -> Option<Self> {
        let Some(Value::Choice(name)) = provider else {
            return None;
        };
        name.parse()
            .ok()
            .filter(|source: &Self| source.has_prices())
    }

    pub const fn has_prices(self) -> bool {
        !matches!(self, Self::OpenMeteo | Self::ForecastSolar)
    }

    /// Whether its prices are what one household pays, everything included; the others publish exchange prices.
    pub const fn has_final_prices(self) -> bool {
        matches!(self, Self::Tibber)
    }

    /// Whether each household needs its own token.
    pub const fn needs_token(self) -> bool {
        matches!(self, Self::Tibber | Self::Entsoe)
    }

    /// The order in which prices of a bidding zone are looked up: the chosen source, then the sources that publish the same
    /// exchange prices without a token, then the source that is polled only where another household chose it.
    pub fn lookup_order(self) -> impl Iterator<Item = Self> {
        let others = [Self::EnergyCharts, Self::Awattar, Self::Entsoe];
        let others = others
            .into_iter()
            .filter(move |other| *other != self && !self.has_final_prices());
        std::iter::once(self).chain(others)
    }

    /// The source to poll instead when this one has no answer for the zone.
    pub fn fallback(self, zone: BiddingZone) -> Option<Self> {
        let open = |source: &Self| !source.needs_token() && source.covers(zone);
        self.lookup_order().skip(1).find(open)
    }

    pub const fn covers(self, zone: BiddingZone) -> bool {
        match self {
            Self::Awattar => matches!(zone, BiddingZone::DeLu | BiddingZone::At),
            _ => self.has_prices(),
        }
    }
}

macro_rules! zones {
    ($($zone:ident $name:literal $eic:literal),* $(,)?) => {
        /// An area with one exchange price.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BiddingZone { $($zone),* }

        impl BiddingZone {
            pub const ALL: &[Self] = &[$(Self::$zone),*];

            /// As stored, and as used by energy-charts.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$zone => $name),* }
            }

            /// Its energy identification code, as used by ENTSO-E.
            pub const fn eic(self) -> &'static str {
                match self { $(Self::$zone => $eic),* }
            }
        }
    };
}

zones! {
    DeLu "DE-LU" "10Y1001A1001A82H", At "AT" "10YAT-APG------L", Be "BE" "10YBE----------2", Ch "CH" "10YCH-SWISSGRIDZ",
    Ee "EE" "10Y1001A1001A39I", Fr "FR" "10YFR-RTE------C", Hr "HR" "10YHR-HEP------M", Lt "LT" "10YLT-1001A0008Q",
    Lv "LV" "10YLV-1001A00074", Nl "NL" "10YNL----------L", Pl "PL" "10YPL-AREA-----S",
}

impl FromStr for BiddingZone {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.iter().find(|zone| zone.name() == name);
        found.copied().ok_or(UnknownName)
    }
}

impl Country {
    pub const fn bidding_zone(self) -> BiddingZone {
        match self {
            Self::Germany => BiddingZone::DeLu,
            Self::Austria => BiddingZone::At,
            Self::Poland => BiddingZone::Pl,
            Self::Switzerland => BiddingZone::Ch,
            Self::Belgium => BiddingZone::Be,
            Self::France => BiddingZone::Fr,
            Self::Latvia => BiddingZone::Lv,
            Self::Lithuania => BiddingZone::Lt,
            Self::Estonia => BiddingZone::Ee,
            Self::Croatia => BiddingZone::Hr,
            Self::Netherlands => BiddingZone::Nl,
        }
    }
}

/// What an answer is about: a bidding zone, a weather cell, or one system. The stored texts of the three kinds cannot be
/// confused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    Zone(BiddingZone),
    Cell(WeatherCell),
    System(Serial),
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone(zone) => f.write_str(zone.name()),
            Self::Cell(cell) => cell.fmt(f),
            Self::System(sn) => f.write_str(sn.as_str()),
        }
    }
}

impl FromStr for Area {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let zone = text.parse().map(Self::Zone);
        zone.or_else(|_| text.parse().map(Self::Cell))
            .or_else(|_| text.parse().map(Self::System))
            .map_err(|_| UnknownName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_stored_without_loss_and_never_taken_for_another_kind() {
        let zones = BiddingZone::ALL.iter().map(|zone| Area::Zone(*zone));
        let others = [
            Area::Cell("48.1,-11.6".parse().unwrap()),
            Area::System("SC000001".parse().unwrap()),
        ];
        for area in zones.chain(others) {
            assert_eq!(area.to_string().parse(), Ok(area));
        }
        assert!(BiddingZone::ALL.iter().all(|zone| zone.eic().len() == 16));
        assert_eq!("north pole".parse::<Area>(), Err(UnknownName));
    }

    #[test]
    fn every_provider_that_is_a_service_has_a_source() {
        let source = |name| Source::of_provider(Some(Value::Choice(name)));
        for (name, want) in [
            ("none", None),
            ("fixed", None),
            ("time_of_use", None),
            ("tibber", Some(Source::Tibber)),
            ("awattar", Some(Source::Awattar)),
            ("energy_charts", Some(Source::EnergyCharts)),
            ("entsoe", Some(Source::Entsoe)),
            ("open_meteo", None),
        ] {
            assert_eq!(source(name), want, "{name}");
        }
    }

    #[test]
    fn a_household_price_has_no_substitute_and_a_spot_price_has_one() {
        let zone = BiddingZone::DeLu;
        assert_eq!(Source::Tibber.fallback(zone), None);
        assert_eq!(Source::Tibber.lookup_order().count(), 1);
        assert_eq!(Source::Awattar.fallback(zone), Some(Source::EnergyCharts));
        assert_eq!(Source::Entsoe.fallback(zone), Some(Source::EnergyCharts));
        assert_eq!(Source::EnergyCharts.fallback(zone), Some(Source::Awattar));
        assert_eq!(Source::EnergyCharts.fallback(BiddingZone::Fr), None);
    }
}
