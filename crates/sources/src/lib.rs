//! The only client of the outside world: prices and weather from services that others run. One file per service with what is
//! particular about it; the rules that hold for all are in [`client`].

mod awattar;
mod client;
mod energy_charts;
mod entsoe;
mod forecast_solar;
mod open_meteo;
mod slots;
mod tibber;

pub use client::{Addresses, Failure, WrongAddress};

use client::Client;
use domain::clock::Millis;
use domain::site::{Coordinates, Planes};
use domain::source::{BiddingZone, PriceSlot, SourceError};
use domain::{SiteDay, Source, Zone};

/// The services, each at its own address or at the one that the operator names.
#[derive(Clone, Debug)]
pub struct Sources {
    client: Client,
}

/// What somebody wants to know about prices.
#[derive(Clone, Copy)]
pub struct PriceQuestion<'a> {
    pub zone: BiddingZone,
    /// Of the household, where the source asks for one.
    pub token: Option<&'a str>,
    /// Today and tomorrow are asked for.
    pub now: Millis,
}

impl PriceQuestion<'_> {
    /// Auctions are held for days of Central European Time, in every bidding zone.
    fn market() -> Zone {
        Zone::default()
    }

    fn today(&self) -> SiteDay {
        Self::market().day_of(self.now)
    }

    fn bounds(&self) -> std::ops::Range<Millis> {
        let (market, today) = (Self::market(), self.today());
        market.start_of(today)..market.start_of(today.plus(2))
    }
}

/// Where the sun is looked for.
#[derive(Clone, Copy, Debug)]
pub struct WeatherQuestion<'a> {
    pub coordinates: Coordinates,
    /// None stands for a plant of 1 kWp that lies flat: whoever asks scales it.
    pub planes: &'a Planes,
    pub now: Millis,
}

/// What panels would yield, by quarter-hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sunshine {
    pub start: Millis,
    /// W; `None` where nothing is said.
    pub watts: Vec<Option<i64>>,
}

impl Sources {
    pub fn new(addresses: Addresses) -> Self {
        Self {
            client: Client::new(addresses),
        }
    }

    /// Slots in their order, none overlapping; never empty.
    pub async fn prices(
        &self,
        source: Source,
        question: PriceQuestion<'_>,
    ) -> Result<Vec<PriceSlot>, Failure> {
        let client = &self.client;
        let slots = match source {
            Source::Tibber => tibber::ask(client, question).await?,
            Source::Awattar => awattar::ask(client, question).await?,
            Source::EnergyCharts => energy_charts::ask(client, question).await?,
            Source::Entsoe => entsoe::ask(client, question).await?,
            Source::OpenMeteo | Source::ForecastSolar => {
                return Err(SourceError::Rejected.into());
            }
        };
        Ok(slots::checked(slots)?)
    }

    pub async fn weather(
        &self,
        source: Source,
        question: WeatherQuestion<'_>,
    ) -> Result<Sunshine, Failure> {
        match source {
            Source::OpenMeteo => open_meteo::ask(&self.client, question).await,
            Source::ForecastSolar => forecast_solar::ask(&self.client, question).await,
            _ => Err(SourceError::Rejected.into()),
        }
    }
}
