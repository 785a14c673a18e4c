//! The only client of external services: prices and weather. One file per service with its particularities; the rules for all of
//! them are in [`client`].

mod awattar;
mod client;
mod energy_charts;
mod entsoe;
mod forecast_solar;
mod open_meteo;
mod slots;
mod tibber;

pub use client::{Addresses, InvalidAddress, SourceFailure};

use client::Client;
use domain::clock::Millis;
use domain::site::{Coordinates, Planes};
use domain::source::{BiddingZone, PriceSlot, SourceError};
use domain::weather::{CellForecast, WeatherCell};
use domain::{SiteDay, Source, Zone};

/// The services, each at its own address or at one that the operator set.
#[derive(Clone, Debug)]
pub struct Sources {
    client: Client,
}

/// A request for the prices of today and tomorrow.
#[derive(Clone, Copy)]
pub struct PriceRequest<'a> {
    pub zone: BiddingZone,
    /// The household's token, if the source requires one.
    pub token: Option<&'a str>,
    pub now: Millis,
}

impl PriceRequest<'_> {
    /// Auctions are held for days in Central European Time, in every bidding zone.
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

/// A request for the yield of one roof.
#[derive(Clone, Copy, Debug)]
pub struct RoofRequest<'a> {
    pub coordinates: Coordinates,
    /// No planes: a horizontal plant of 1 kWp, which the caller scales.
    pub planes: &'a Planes,
    pub now: Millis,
}

/// The yield of the panels by quarter-hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PvYield {
    pub start: Millis,
    /// In W; `None` where the service gives no value.
    pub watts: Vec<Option<i64>>,
}

impl Sources {
    pub fn new(addresses: Addresses) -> Self {
        Self {
            client: Client::new(addresses),
        }
    }

    /// Price slots in order, without overlaps; never empty.
    pub async fn prices(
        &self,
        source: Source,
        question: PriceRequest<'_>,
    ) -> Result<Vec<PriceSlot>, SourceFailure> {
        let client = &self.client;
        let slots = match source {
            Source::Tibber => tibber::fetch(client, question).await?,
            Source::Awattar => awattar::fetch(client, question).await?,
            Source::EnergyCharts => energy_charts::fetch(client, question).await?,
            Source::Entsoe => entsoe::fetch(client, question).await?,
            Source::OpenMeteo | Source::ForecastSolar => {
                return Err(SourceError::Rejected.into());
            }
        };
        Ok(slots::validate(slots)?)
    }

    /// The weather of a cell, by Open-Meteo.
    pub async fn cell_weather(&self, cell: WeatherCell) -> Result<CellForecast, SourceFailure> {
        open_meteo::fetch(&self.client, cell).await
    }

    /// The yield of one roof, by forecast.solar.
    pub async fn roof_yield(&self, question: RoofRequest<'_>) -> Result<PvYield, SourceFailure> {
        forecast_solar::fetch(&self.client, question).await
    }
}
