//! Forecasts of load and sun by quarter-hours, with quantiles.

pub mod envelope;
pub mod history;
pub mod load;
pub mod pv;
mod regression;
mod similar_days;
mod standard;
pub mod stored;
#[cfg(test)]
mod tests;

pub use envelope::Envelope;
pub use history::History;
pub use load::LoadModel;
pub use pv::PvModel;

use domain::clock::Millis;

/// Two days.
pub const FORECAST_QUARTERS: usize = 2 * crate::QUARTERS_A_DAY;

/// The forecast distribution of one quarter-hour, in W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// One value in ten is below.
    pub p10: f64,
    pub p50: f64,
    /// One value in ten is above.
    pub p90: f64,
    /// For expected energy. It differs from the median where rare high values matter, as with the load.
    pub mean: f64,
}

impl Band {
    /// Sorts out what the regressions give: quantiles in order, none below zero.
    fn of(p10: f64, p50: f64, p90: f64, mean: f64) -> Self {
        let p50 = p50.max(0.0);
        let p10 = p10.clamp(0.0, p50);
        let p90 = p90.max(p50);
        Self {
            p10,
            p50,
            p90,
            mean: mean.clamp(p10, p90),
        }
    }

    pub fn certain(watt: f64) -> Self {
        Self {
            p10: watt,
            p50: watt,
            p90: watt,
            mean: watt,
        }
    }
}

/// One forecast as it was issued, so it can be compared with what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    pub issued: Millis,
    pub load: Vec<Band>,
    pub pv: Vec<Band>,
}

/// Errors grow with the lead time: each bucket, in quarter-hours ahead, has its own regression.
const LEAD_TIME_BUCKETS: [std::ops::Range<usize>; 7] = [
    0..4,
    4..8,
    8..16,
    16..32,
    32..64,
    64..96,
    96..FORECAST_QUARTERS,
];

fn lead_time_bucket(ahead: usize) -> usize {
    let bucket = LEAD_TIME_BUCKETS
        .iter()
        .position(|range| range.contains(&ahead));
    bucket.unwrap_or(LEAD_TIME_BUCKETS.len() - 1)
}
