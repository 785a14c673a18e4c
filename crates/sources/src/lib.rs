//! The only client of external services: prices and weather. One file per service with its particularities; the rules for all of
//! them are in [`client`].

mod address;
mod awattar;
mod client;
mod energy_charts;
mod entsoe;
mod forecast_solar;
mod open_meteo;
mod public_resolver;
mod request;
mod slots;
mod tibber;

pub use address::{Addresses, InvalidAddress};
pub use client::SourceFailure;
pub use request::{PriceRequest, PvYield, RoofRequest};

use client::Client;
use domain::Source;
use domain::source::{PriceSlot, SourceError};
use domain::weather::{CellForecast, WeatherCell};

/// The services, each at its own address or at one that the operator set.
#[derive(Clone, Debug)]
pub struct Sources {
    client: Client,
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
        request: PriceRequest<'_>,
    ) -> Result<Vec<PriceSlot>, SourceFailure> {
        let client = &self.client;
        let slots = match source {
            Source::Tibber => tibber::fetch(client, request).await?,
            Source::Awattar => awattar::fetch(client, request).await?,
            Source::EnergyCharts => energy_charts::fetch(client, request).await?,
            Source::Entsoe => entsoe::fetch(client, request).await?,
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
    pub async fn roof_yield(&self, request: RoofRequest<'_>) -> Result<PvYield, SourceFailure> {
        forecast_solar::fetch(&self.client, request).await
    }
}
