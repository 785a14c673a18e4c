//! Forecasts as they would have been issued at the time: each model knows only what was before it was learned.
use super::home::Home;
use planner::forecast::{Forecast, LoadModel, PvModel};

/// Learned anew every so many quarter-hours.
const EVERY: usize = 4 * 96;

pub(crate) struct Models {
    first: usize,
    learned: Vec<(LoadModel, PvModel)>,
}

impl Models {
    pub(crate) fn learn(home: &Home, first: usize, last: usize) -> Self {
        let learned = (first..last).step_by(EVERY).map(|now| {
            let past = home.history.until(now);
            (
                LoadModel::learn(&past, 4_000.0),
                PvModel::learn(&past, None),
            )
        });
        Self {
            first,
            learned: learned.collect(),
        }
    }

    pub(crate) fn forecast(&self, home: &Home, now: usize) -> Forecast {
        let (load, pv) = &self.learned[(now - self.first) / EVERY];
        let past = home.history.until(now);
        Forecast {
            issued: past.time(now),
            load: load.forecast(&past),
            pv: pv.forecast(&past),
        }
    }
}
