//! Forecast errors, compared with two naive forecasts: persistence (as yesterday), and the mean of the last seven days.
use super::home::Home;
use super::models::RollingModels;

/// Sums of errors in W, over all quarter-hours of all forecasts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorSums {
    pub(crate) ours: f64,
    pub(crate) persistence: f64,
    pub(crate) week: f64,
    pub(crate) total: f64,
    /// How many values were below P10 and above P90, and how many there were.
    pub(crate) below: f64,
    pub(crate) above: f64,
    pub(crate) count: f64,
    /// By how much the mean was above the measured values.
    pub(crate) bias: f64,
    pub(crate) squared: f64,
    /// The pinball loss of all three quantiles.
    pub(crate) pinball: f64,
}

/// A forecast every three hours, each scored over the next day.
const EVERY: usize = 12;
const SCORED: usize = 96;

pub(crate) fn score(
    home: &Home,
    models: &RollingModels,
    first: usize,
    last: usize,
) -> (ErrorSums, ErrorSums) {
    let (mut load, mut pv) = (ErrorSums::default(), ErrorSums::default());
    for issue in (first..last - SCORED).step_by(EVERY) {
        let forecast = models.forecast(home, issue);
        for ahead in 0..SCORED {
            let at = issue + ahead;
            add(&mut load, &home.history.load, at, forecast.load[ahead]);
            if home.history.pv[at].is_some_and(|pv| pv > 0.0) {
                add(&mut pv, &home.history.pv, at, forecast.pv[ahead]);
            }
        }
    }
    (load, pv)
}

fn add(misses: &mut ErrorSums, measured: &[Option<f64>], at: usize, band: planner::Band) {
    let Some(came) = measured[at] else { return };
    let Some(yesterday) = measured[at - 96] else {
        return;
    };
    let hour = at / 4 * 4;
    let week = (1..=7).flat_map(|day| (0..4).filter_map(move |n| measured[hour + n - 96 * day]));
    let (sum, count) = week.fold((0.0, 0.0), |(sum, count), watt| (sum + watt, count + 1.0));
    if count == 0.0 {
        return;
    }
    misses.ours += (band.p50 - came).abs();
    misses.persistence += (yesterday - came).abs();
    misses.week += (sum / count - came).abs();
    misses.total += came;
    misses.bias += band.mean - came;
    let loss = |level: f64, said: f64| (level * (came - said)).max((level - 1.0) * (came - said));
    misses.pinball += loss(0.1, band.p10) + loss(0.5, band.p50) + loss(0.9, band.p90);
    misses.squared += (band.mean - came).powi(2);
    misses.below += f64::from(u8::from(came < band.p10));
    misses.above += f64::from(u8::from(came > band.p90));
    misses.count += 1.0;
}
