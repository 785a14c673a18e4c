//! The sun to come: the envelope of clear days times how clear it will be, from the last hours and days and, where there is one,
//! from a weather forecast times what this plant makes of it.
use super::envelope::{Envelope, PlantFactor};
use super::history::{Past, mean};
use super::load::chosen;
use super::regression::{Fit, Rows};
use super::{AHEAD, STRETCHES, stretch_of};
use crate::{Band, QUARTERS_A_DAY};

const FEATURES: usize = 12;
const WEATHER_FEATURES: usize = 19;
const LEARNS_FROM: usize = 180 * QUARTERS_A_DAY;
/// An envelope needs so many days.
const NEEDS: usize = 10 * QUARTERS_A_DAY;
const STRIDE: usize = 2;
const PER_ISSUE: usize = 4;
/// How far coefficients are drawn towards zero.
const PULL: f64 = 1e-2;
/// So far ahead the sky of the last half-hour still says something.
const SOON: usize = 32;

#[derive(Clone, Debug)]
pub struct PvModel {
    envelope: Envelope,
    factor: PlantFactor,
    fits: [Option<Fit<FEATURES>>; STRETCHES.len()],
    weather_fits: [Option<Fit<WEATHER_FEATURES>>; STRETCHES.len()],
}

impl PvModel {
    /// Learns from what is known at one moment; good for some days. `envelope` is what the site's place says, where it is known.
    pub fn learn(past: &Past<'_>, envelope: Option<Envelope>) -> Self {
        let now = past.now();
        let at_the_time = |issue: usize| {
            let then = past.until(issue);
            let learned = Envelope::learn(&then).or_else(|| envelope.clone());
            (learned.unwrap_or_default(), PlantFactor::learn(&then))
        };
        let first = NEEDS.max(now.saturating_sub(LEARNS_FROM));
        let mut rows = STRETCHES.map(|_| Rows::<FEATURES>::new());
        let mut weather_rows = STRETCHES.map(|_| Rows::<WEATHER_FEATURES>::new());
        let (mut clear, mut factor) = at_the_time(first);
        let mut learned = first;
        for (turn, issue) in (first..now).step_by(STRIDE).enumerate() {
            // As stale as it will be when it is used.
            if issue >= learned + 4 * QUARTERS_A_DAY {
                (clear, factor) = at_the_time(issue);
                learned = issue;
            }
            let then = past.until(issue);
            let sky = Sky::of(&then, &clear, &factor);
            for (stretch, name) in STRETCHES.iter().zip(0..) {
                for ahead in chosen(stretch, turn, PER_ISSUE) {
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
            fits: rows.map(|rows| rows.fit(PULL)),
            weather_fits: weather_rows.map(|rows| rows.fit(PULL)),
        }
    }

    /// The next two days.
    pub fn forecast(&self, past: &Past<'_>) -> Vec<Band> {
        let sky = Sky::of(past, &self.envelope, &self.factor);
        let now = past.now();
        (0..AHEAD)
            .map(|ahead| self.band(past, &sky, now + ahead, ahead))
            .collect()
    }

    fn band(&self, past: &Past<'_>, sky: &Sky<'_>, at: usize, ahead: usize) -> Band {
        if !self.envelope.is_day(past, at) {
            return Band::default();
        }
        let features = sky.features(past, at);
        let stretch = stretch_of(ahead);
        let by_weather = self.weather_fits[stretch].as_ref().and_then(|fit| {
            let features = sky.weather_features(past, at, &features)?;
            Some(fit.band(&features))
        });
        let band = by_weather.or_else(|| Some(self.fits[stretch].as_ref()?.band(&features)));
        // Nothing learned yet: half of a clear day, with every sky thinkable.
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

/// How clear the sky has been, in parts of the envelope.
struct Sky<'a> {
    envelope: &'a Envelope,
    factor: &'a PlantFactor,
    last_hours: f64,
    last_half_hour: f64,
    /// As much daylight as three and a half hours of noon.
    half_day: f64,
    last_day: f64,
    last_week: f64,
    /// What came in the last hours against what the weather forecast had said.
    against_forecast: f64,
    /// The same of the last hour, and of six.
    against_forecast_hour: f64,
    against_forecast_six: f64,
}

impl<'a> Sky<'a> {
    fn of(past: &Past<'_>, envelope: &'a Envelope, factor: &'a PlantFactor) -> Self {
        let last_week = clearness(past, envelope, 7 * QUARTERS_A_DAY, f64::INFINITY).unwrap_or(0.6);
        let last_day =
            clearness(past, envelope, QUARTERS_A_DAY, f64::INFINITY).unwrap_or(last_week);
        // Two hours' worth of noon, so that a dim morning alone says little.
        let last_hours = clearness(past, envelope, 12, 5.0).unwrap_or(last_day);
        let off = |long: usize| factor.off(past, envelope, long).unwrap_or(0.0);
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

    fn features(&self, past: &Past<'_>, at: usize) -> [f64; FEATURES] {
        let clear = self.envelope.at(past, at) / self.envelope.highest();
        let now = past.now();
        let first = if at < now + QUARTERS_A_DAY - 1 { 1 } else { 2 };
        let before = |day: usize| {
            let place = at.checked_sub(day * QUARTERS_A_DAY)?;
            let near = place.saturating_sub(1)..=place + 1;
            mean(near.map(|quarter| past.pv.get(quarter).copied().flatten()))
        };
        let in_parts = |watt: Option<f64>, otherwise: f64| {
            watt.map_or(otherwise, |watt| watt / self.envelope.highest())
        };
        let week = in_parts(mean((first..=7).map(before)), clear * self.last_week);
        let soon = f64::from(u8::from(at < now + SOON));
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
        past: &Past<'_>,
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
        let soon = f64::from(u8::from(at < past.now() + SOON));
        all[FEATURES + 4] = soon * clear * self.against_forecast_six;
        all[FEATURES + 5] = soon * clear * self.against_forecast_hour;
        all[FEATURES + 6] = soon * said * self.last_hours;
        Some(all)
    }
}

/// What came in the last quarter-hours in parts of what a clear sky had given; older daylight is taken until it weighs as much as
/// `enough` quarter-hours of noon.
fn clearness(past: &Past<'_>, envelope: &Envelope, long: usize, enough: f64) -> Option<f64> {
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
