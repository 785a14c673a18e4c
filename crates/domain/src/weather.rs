//! Weather by cells of a grid: a forecast of a cell's irradiance, and what a roof in the cell yields of it.

mod cell;
mod irradiance;
mod sun;

pub use cell::WeatherCell;
pub use irradiance::{Irradiance, roof_power};
pub use sun::SunDirection;

use crate::clock::Millis;

/// What a source forecasts for a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellForecast {
    pub start: Millis,
    /// By quarter-hours; `None` where the source gives no value.
    pub quarters: Vec<Option<Irradiance>>,
}
