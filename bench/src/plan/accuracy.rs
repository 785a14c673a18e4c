//! How far forecasts were off, against those that anybody can make: as yesterday, and as the mean of the last seven days.
use super::home::Home;
use super::models::Models;

/// Sums of misses in W, over all quarter-hours of all issues.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Misses {
    pub(crate) ours: f64,
    pub(crate) persistence: f64,
    pub(crate) week: f64,
    pub(crate) total: f64,
    /// How many came below P10 and above P90, and of how many.
    pub(crate) below: f64,
    pub(crate) above: f64,
    pub(crate) count: f64,
    /// By how much the mean was above what came.
    pub(crate) bias: f64,
    pub(crate) squared: f64,
    /// The pinball loss of all three quantiles.
    pub(crate) pinball: f64,
}

/// Every third hour an issue, each scored over the next day.
const EVERY: usize = 12;
const SCORED: usize = 96;

pub(crate) fn score(home: &Home, models: &Models, first: usize, last: usize) -> (Misses, Misses) {
    let (mut load, mut pv) = (Misses::default(), Misses::default());
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

fn add(misses: &mut Misses, measured: &[Option<f64>], at: usize, band: planner::Band) {
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
