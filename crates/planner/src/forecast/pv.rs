//! The PV forecast: the clear-sky envelope times the expected clearness, from the last hours and days. With a weather forecast,
//! also that forecast times the plant's factor.
use super::envelope::{Envelope, PlantFactor};
use super::history::{KnownHistory, mean};
use super::load::sampled_lead_times;
use super::regression::{Fit, TrainingRows};
use super::{FORECAST_QUARTERS, LEAD_TIME_BUCKETS, lead_time_bucket};
use crate::{Band, QUARTERS_A_DAY};

const FEATURES: usize = 12;
const WEATHER_FEATURES: usize = 19;
const TRAINING_QUARTERS: usize = 180 * QUARTERS_A_DAY;
/// The history that an envelope needs.
const MIN_HISTORY_QUARTERS: usize = 10 * QUARTERS_A_DAY;
const ISSUE_STRIDE_QUARTERS: usize = 2;
const ROWS_PER_ISSUE: usize = 4;
const RIDGE_PENALTY: f64 = 1e-2;
/// How far ahead the sky of the last half-hour still improves the forecast.
const SOON_QUARTERS: usize = 32;

#[derive(Clone, Debug)]
pub struct PvModel {
    pub(super) envelope: Envelope,
    pub(super) factor: PlantFactor,
    pub(super) fits: [Option<Fit<FEATURES>>; LEAD_TIME_BUCKETS.len()],
    pub(super) weather_fits: [Option<Fit<WEATHER_FEATURES>>; LEAD_TIME_BUCKETS.len()],
}

impl PvModel {
    /// Learns from what is known at one moment. A model stays good for some days. `envelope` is computed from the site, if its
    /// coordinates are known.
    pub fn train(past: &KnownHistory<'_>, envelope: Option<Envelope>) -> Self {
        let now = past.now();
        let at_the_time = |issue: usize| {
            let then = past.until(issue);
            let learned = Envelope::train(&then).or_else(|| envelope.clone());
            (learned.unwrap_or_default(), PlantFactor::train(&then))
        };
        let first = MIN_HISTORY_QUARTERS.max(now.saturating_sub(TRAINING_QUARTERS));
        let mut rows = LEAD_TIME_BUCKETS.map(|_| TrainingRows::<FEATURES>::new());
        let mut weather_rows = LEAD_TIME_BUCKETS.map(|_| TrainingRows::<WEATHER_FEATURES>::new());
        let (mut clear, mut factor) = at_the_time(first);
        let mut learned = first;
        for (index, issue) in (first..now).step_by(ISSUE_STRIDE_QUARTERS).enumerate() {
            // In training the envelope is as old as it will be in use.
            if issue >= learned + 4 * QUARTERS_A_DAY {
                (clear, factor) = at_the_time(issue);
                learned = issue;
            }
            let then = past.until(issue);
            let sky = Sky::of(&then, &clear, &factor);
            for (bucket, name) in LEAD_TIME_BUCKETS.iter().zip(0..) {
                for ahead in sampled_lead_times(bucket, index, ROWS_PER_ISSUE) {
                    let at = issue + ahead;
                    let pv = past.pv.get(at).copied().flatten();
                    let Some(pv) = pv.filter(|_| clear.is_day(past, at)) else {
                        continue;
                    };
                    let features = sky.features(&then, at);
                    let scale = clear.highest();
                    rows[name].push(features, pv / scale, 1.0);
                    if let Some(features) = sky.weather_features(&then, at, &features) {
                        weather_rows[name].push(features, pv / scale, 1.0);
                    }
                }
            }
        }
        let (clear, factor) = at_the_time(now);
        Self {
            envelope: clear,
            factor,
            fits: rows.map(|rows| rows.fit(RIDGE_PENALTY)),
            weather_fits: weather_rows.map(|rows| rows.fit(RIDGE_PENALTY)),
        }
    }

    /// The next two days.
    pub fn forecast(&self, past: &KnownHistory<'_>) -> Vec<Band> {
        let sky = Sky::of(past, &self.envelope, &self.factor);
        let now = past.now();
        (0..FORECAST_QUARTERS)
            .map(|ahead| self.band(past, &sky, now + ahead, ahead))
            .collect()
    }

    fn band(&self, past: &KnownHistory<'_>, sky: &Sky<'_>, at: usize, ahead: usize) -> Band {
        if !self.envelope.is_day(past, at) {
            return Band::default();
        }
        let features = sky.features(past, at);
        let bucket = lead_time_bucket(ahead);
        let by_weather = self.weather_fits[bucket].as_ref().and_then(|fit| {
            let features = sky.weather_features(past, at, &features)?;
            Some(fit.band(&features))
        });
        let band = by_weather.or_else(|| Some(self.fits[bucket].as_ref()?.band(&features)));
        // Nothing learned yet: half of a clear day, with a wide band.
        let clear = features[0];
        let band = band.unwrap_or(Band::of(
            0.1 * clear,
            0.5 * clear,
            0.95 * clear,
            0.5 * clear,
        ));
        let watt = self.envelope.highest();
        let most = 1.15 * clear.max(0.05);
        Band::of(
            band.p10.min(most) * watt,
            band.p50.min(most) * watt,
            band.p90.min(most) * watt,
            band.mean.min(most) * watt,
        )
    }
}

/// How clear the sky has been, as a share of the envelope.
struct Sky<'a> {
    envelope: &'a Envelope,
    factor: &'a PlantFactor,
    last_hours: f64,
    last_half_hour: f64,
    /// As much daylight as in three and a half hours at noon.
    half_day: f64,
    last_day: f64,
    last_week: f64,
    /// How far the last three hours were above the weather forecast.
    against_forecast: f64,
    /// The same for the last hour, and for six.
    against_forecast_hour: f64,
    against_forecast_six: f64,
}

impl<'a> Sky<'a> {
    fn of(past: &KnownHistory<'_>, envelope: &'a Envelope, factor: &'a PlantFactor) -> Self {
        let last_week = clearness(past, envelope, 7 * QUARTERS_A_DAY, f64::INFINITY).unwrap_or(0.6);
        let last_day =
            clearness(past, envelope, QUARTERS_A_DAY, f64::INFINITY).unwrap_or(last_week);
        // As much daylight as in an hour and a quarter at noon: a dim morning alone says little.
        let last_hours = clearness(past, envelope, 12, 5.0).unwrap_or(last_day);
        let off = |long: usize| factor.recent_bias(past, envelope, long).unwrap_or(0.0);
        Self {
            envelope,
            factor,
            last_hours,
            last_half_hour: clearness(past, envelope, 12, 1.7).unwrap_or(last_day),
            half_day: clearness(past, envelope, 12, 14.0).unwrap_or(last_day),
            last_day,
            last_week,
            against_forecast: off(12),
            against_forecast_hour: off(4),
            against_forecast_six: off(24),
        }
    }

    fn features(&self, past: &KnownHistory<'_>, at: usize) -> [f64; FEATURES] {
        let clear = self.envelope.at(past, at) / self.envelope.highest();
        let now = past.now();
        let first = if at < now + QUARTERS_A_DAY - 1 { 1 } else { 2 };
        let before = |day: usize| {
            let index = at.checked_sub(day * QUARTERS_A_DAY)?;
            let near = index.saturating_sub(1)..=index + 1;
            mean(near.map(|quarter| past.pv.get(quarter).copied().flatten()))
        };
        let in_parts = |watt: Option<f64>, otherwise: f64| {
            watt.map_or(otherwise, |watt| watt / self.envelope.highest())
        };
        let week = in_parts(mean((first..=7).map(before)), clear * self.last_week);
        let soon = f64::from(u8::from(at < now + SOON_QUARTERS));
        [
            clear,
            clear * self.last_hours,
            clear * self.last_day,
            clear * self.last_week,
            in_parts(before(first), week),
            week,
            clear * clear,
            clear * self.last_hours * self.last_hours,
            clear * self.last_day * self.last_day,
            soon * clear * self.last_half_hour,
            soon * clear * self.half_day,
            soon * clear * self.half_day * self.half_day,
        ]
    }

    fn weather_features(
        &self,
        past: &KnownHistory<'_>,
        at: usize,
        features: &[f64; FEATURES],
    ) -> Option<[f64; WEATHER_FEATURES]> {
        let said = self.factor.at(past, at)? / self.envelope.highest();
        let near = at.saturating_sub(4)..=at + 4;
        let around =
            mean(near.map(|quarter| self.factor.at(past, quarter)))? / self.envelope.highest();
        let clear = features[0];
        let mut all = [0.0; WEATHER_FEATURES];
        all[..FEATURES].copy_from_slice(features);
        all[FEATURES] = said;
        all[FEATURES + 1] = around;
        all[FEATURES + 2] = clear * self.against_forecast;
        all[FEATURES + 3] = said * said / clear.max(0.05);
        let soon = f64::from(u8::from(at < past.now() + SOON_QUARTERS));
        all[FEATURES + 4] = soon * clear * self.against_forecast_six;
        all[FEATURES + 5] = soon * clear * self.against_forecast_hour;
        all[FEATURES + 6] = soon * said * self.last_hours;
        Some(all)
    }
}

/// The yield of the last quarter-hours as a share of the clear-sky yield. With a finite `enough`, older daylight is added until
/// it weighs as much as `enough` quarter-hours at noon.
fn clearness(
    past: &KnownHistory<'_>,
    envelope: &Envelope,
    long: usize,
    enough: f64,
) -> Option<f64> {
    let now = past.now();
    let (mut came, mut clear) = (0.0, 0.0);
    for quarter in (0..now).rev().take(QUARTERS_A_DAY.max(long)) {
        let enough_seen = clear >= enough * envelope.highest();
        if enough_seen || (enough.is_infinite() && now - quarter > long) {
            break;
        }
        if let Some(pv) = past.pv[quarter] {
            came += pv;
            clear += envelope.at(past, quarter);
        }
    }
    (clear > 0.0).then(|| came / clear)
}
