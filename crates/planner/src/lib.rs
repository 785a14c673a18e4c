//! Forecasts of load and sun, a charge plan with reasons, and what it saved. All functions are pure: time, prices and weather are
//! passed in, nothing is read or sent. Energies are in kWh and powers in kW unless a name says otherwise.

pub mod battery;
pub mod forecast;
pub mod plan;
pub mod plan_savings;
pub mod price;
pub mod reason;
pub mod weather_notice;

pub use battery::{BatteryFlow, BatteryModel, Mode};
pub use forecast::Band;
pub use price::SlotPrice;

use domain::clock::{MINUTE, Millis};

/// The time step of forecasts and plans.
pub const QUARTER: Millis = 15 * MINUTE;
pub const HOURS_PER_QUARTER: f64 = 0.25;
pub const QUARTERS_A_DAY: usize = 96;
