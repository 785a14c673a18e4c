//! Forecasts of load and sun, a charge plan that says why, and what it saved. Plain functions: time, prices and weather are
//! passed in, nothing is read or sent. Energies are kWh and powers kW unless a name says otherwise.

pub mod battery;
pub mod forecast;
pub mod plan;
pub mod price;
pub mod reason;
pub mod savings;
pub mod weather_notice;

pub use battery::{Battery, Flow, Mode};
pub use forecast::Band;
pub use price::SlotPrice;

use domain::clock::{MINUTE, Millis};

/// Forecasts and plans go by quarter-hours.
pub const QUARTER: Millis = 15 * MINUTE;
/// Of a quarter-hour in hours.
pub const HOURS: f64 = 0.25;
pub const QUARTERS_A_DAY: usize = 96;
