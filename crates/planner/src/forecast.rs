//! Forecasts of load and sun by quarter-hours, each with what is likely at worst and at best.

mod alike;
pub mod envelope;
pub mod history;
pub mod load;
pub mod pv;
mod regression;
mod standard;
#[cfg(test)]
mod tests;

pub use envelope::Envelope;
pub use history::History;
pub use load::LoadModel;
pub use pv::PvModel;

use domain::clock::Millis;

/// A forecast reaches two days ahead.
pub const AHEAD: usize = 2 * crate::QUARTERS_A_DAY;

/// What one quarter-hour may bring, in W.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// One in ten is below.
    pub p10: f64,
    pub p50: f64,
    /// One in ten is above.
    pub p90: f64,
    /// What to count with: not the middle where few high values weigh much, as with the load.
    pub mean: f64,
}

impl Band {
    /// In order and not below zero, whatever the regressions said.
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

    /// Known for certain.
    pub fn certain(watt: f64) -> Self {
        Self {
            p10: watt,
            p50: watt,
            p90: watt,
            mean: watt,
        }
    }
}

/// One issue, kept as it was so that it can be held against what came.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    pub issued: Millis,
    pub load: Vec<Band>,
    pub pv: Vec<Band>,
}

/// Errors grow with the distance: each stretch of the way, in quarter-hours ahead, has a regression of its own.
const STRETCHES: [std::ops::Range<usize>; 7] =
    [0..4, 4..8, 8..16, 16..32, 32..64, 64..96, 96..AHEAD];

fn stretch_of(ahead: usize) -> usize {
    let place = STRETCHES.iter().position(|range| range.contains(&ahead));
    place.unwrap_or(STRETCHES.len() - 1)
}
