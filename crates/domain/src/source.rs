//! Sources of prices and weather: which there are, what a price of theirs means, and how asking them stands.

mod ask;
mod spot;
mod time_of_use;

pub use ask::{Asked, SourceError, SourceState, next_prices};
pub use spot::{Buying, PriceSlot, QUARTER, SpotPrice, quarters};
pub use time_of_use::{Days, MOST_STEPS, Step, TimeOfUse};

use crate::setting::Value;
use crate::{Country, Serial};
use std::fmt;
use std::str::FromStr;

macro_rules! sources {
    ($($source:ident $name:literal),* $(,)?) => {
        /// A service outside that is asked for prices or weather.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Source { $($source),* }

        impl Source {
            pub const ALL: &[Self] = &[$(Self::$source),*];

            /// As stored and sent; of a price source, also the name of the provider in the settings.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$source => $name),* }
            }
        }
    };
}

sources! {
    Tibber "tibber", Awattar "awattar", EnergyCharts "energy_charts", Entsoe "entsoe",
    OpenMeteo "open_meteo", ForecastSolar "forecast_solar",
}

impl Source {
    /// The source behind a provider that is set; `None` where prices are typed in by hand, or there is none.
    pub fn of_provider(provider: Option<Value>) -> Option<Self> {
        let Some(Value::Choice(name)) = provider else {
            return None;
        };
        let named = Self::ALL.iter().find(|source| source.name() == name);
        named.copied().filter(|source| source.has_prices())
    }

    pub const fn has_prices(self) -> bool {
        !matches!(self, Self::OpenMeteo | Self::ForecastSolar)
    }

    /// Whether its prices are what one household pays, with everything in them; the others publish the exchange's.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Tibber)
    }

    /// Whether a household asks it with a token of its own.
    pub const fn needs_token(self) -> bool {
        matches!(self, Self::Tibber | Self::Entsoe)
    }

    /// Where prices of a bidding zone are looked for: in the source that was chosen, then in those that publish the same
    /// exchange's prices without a token, then in whatever somebody else's choice has brought.
    pub fn in_turn(self) -> impl Iterator<Item = Self> {
        let others = [Self::EnergyCharts, Self::Awattar, Self::Entsoe];
        let others = others
            .into_iter()
            .filter(move |other| *other != self && !self.is_final());
        std::iter::once(self).chain(others)
    }

    /// What is asked instead when this source has no answer for the zone.
    pub fn fall_back(self, zone: BiddingZone) -> Option<Self> {
        let open = |source: &Self| !source.needs_token() && source.covers(zone);
        self.in_turn().skip(1).find(open)
    }

    pub const fn covers(self, zone: BiddingZone) -> bool {
        match self {
            Self::Awattar => matches!(zone, BiddingZone::DeLu | BiddingZone::At),
            _ => self.has_prices(),
        }
    }
}

impl FromStr for Source {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let found = Self::ALL.iter().find(|source| source.name() == name);
        found.copied().ok_or(Unknown)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not one that is known")]
pub struct Unknown;

macro_rules! zones {
    ($($zone:ident $name:literal $eic:literal),* $(,)?) => {
        /// Where the exchange has one price.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum BiddingZone { $($zone),* }

        impl BiddingZone {
            pub const ALL: &[Self] = &[$(Self::$zone),*];

            /// As stored, and as energy-charts calls it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$zone => $name),* }
            }

            /// Its energy identification code, by which ENTSO-E knows it.
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
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let found = Self::ALL.iter().find(|zone| zone.name() == name);
        found.copied().ok_or(Unknown)
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

/// Whom an answer is about: everybody in a bidding zone, or one system. No zone looks like a serial number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Area {
    Zone(BiddingZone),
    System(Serial),
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zone(zone) => f.write_str(zone.name()),
            Self::System(sn) => f.write_str(sn.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bidding_zone_can_be_taken_for_a_serial_number() {
        for zone in BiddingZone::ALL {
            assert!(zone.name().parse::<Serial>().is_err(), "{}", zone.name());
            assert_eq!(zone.name().parse(), Ok(*zone));
            assert_eq!(zone.eic().len(), 16);
        }
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
        assert_eq!(Source::Tibber.fall_back(zone), None);
        assert_eq!(Source::Tibber.in_turn().count(), 1);
        assert_eq!(Source::Awattar.fall_back(zone), Some(Source::EnergyCharts));
        assert_eq!(Source::Entsoe.fall_back(zone), Some(Source::EnergyCharts));
        assert_eq!(Source::EnergyCharts.fall_back(zone), Some(Source::Awattar));
        assert_eq!(Source::EnergyCharts.fall_back(BiddingZone::Fr), None);
    }
}
