//! Forecasts as they would have been issued at the time: each model is trained only on earlier data.
use super::home::Home;
use planner::forecast::{Forecast, LoadModel, PvModel};

/// Models are trained again every four days.
const EVERY: usize = 4 * 96;

pub(crate) struct RollingModels {
    first: usize,
    learned: Vec<(LoadModel, PvModel)>,
}

impl RollingModels {
    pub(crate) fn train(home: &Home, first: usize, last: usize) -> Self {
        let learned = (first..last).step_by(EVERY).map(|now| {
            let past = home.history.until(now);
            (
                LoadModel::train(&past, 4_000.0),
                PvModel::train(&past, None),
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
