//! The load forecast: a regression on the home's own profile, its last days and its present level. Until it has enough days of
//! its own: a standard household.
use super::history::{KnownHistory, mean};
use super::regression::{Fit, TrainingRows};
use super::similar_days::{self, SimilarDays};
use super::{FORECAST_QUARTERS, LEAD_TIME_BUCKETS, lead_time_bucket, standard};
use crate::{Band, QUARTERS_A_DAY};

const FEATURES: usize = 26;
/// How far back training rows reach; before that it was another season.
const TRAINING_QUARTERS: usize = 112 * QUARTERS_A_DAY;
/// The history that the features of a row need.
const MIN_HISTORY_QUARTERS: usize = 14 * QUARTERS_A_DAY;
/// The distance between the forecast times used for training. Few longer strides are suitable: 7 divides a week evenly, so each
/// time of day would always be learned on the same weekday.
const ISSUE_STRIDE_QUARTERS: usize = 2;
/// Training rows per forecast time and lead-time bucket.
const ROWS_PER_ISSUE: usize = 2;
const RIDGE_PENALTY: f64 = 5e-3;

#[derive(Clone, Debug)]
pub struct LoadModel {
    pub(super) fits: [Option<Fit<FEATURES>>; LEAD_TIME_BUCKETS.len()],
    /// The household's yearly consumption: the standard profile is scaled to it until the home is known.
    pub(super) yearly_kwh: f64,
}

impl LoadModel {
    /// Learns from what is known at one moment. A model stays good for some days.
    pub fn train(past: &KnownHistory<'_>, yearly_kwh: f64) -> Self {
        let now = past.now();
        let first = MIN_HISTORY_QUARTERS.max(now.saturating_sub(TRAINING_QUARTERS));
        let mut rows = LEAD_TIME_BUCKETS.map(|_| TrainingRows::<FEATURES>::new());
        for (index, issue) in (first..now).step_by(ISSUE_STRIDE_QUARTERS).enumerate() {
            let then = past.until(issue);
            let level = LoadLevel::of(&then);
            for (bucket, rows) in LEAD_TIME_BUCKETS.iter().zip(&mut rows) {
                for ahead in sampled_lead_times(bucket, index, ROWS_PER_ISSUE) {
                    let at = issue + ahead;
                    if let Some(load) = past.load.get(at).copied().flatten() {
                        rows.push(features(&then, at, &level), load / level.scale, level.scale);
                    }
                }
            }
        }
        Self {
            fits: rows.map(|rows| rows.fit(RIDGE_PENALTY)),
            yearly_kwh,
        }
    }

    /// The next two days.
    pub fn forecast(&self, past: &KnownHistory<'_>) -> Vec<Band> {
        let level = LoadLevel::of(past);
        let now = past.now();
        let ahead = 0..FORECAST_QUARTERS;
        ahead
            .map(|ahead| match &self.fits[lead_time_bucket(ahead)] {
                Some(fit) => scaled(fit.band(&features(past, now + ahead, &level)), level.scale),
                None => standard::band(past, now + ahead, self.yearly_kwh),
            })
            .collect()
    }
}

fn scaled(band: Band, by: f64) -> Band {
    Band {
        p10: band.p10 * by,
        p50: band.p50 * by,
        p90: band.p90 * by,
        mean: band.mean * by,
    }
}

/// Some lead times of a bucket, others for each issue, by its index. The order is scattered so it never lines up with days or weeks.
pub(super) fn sampled_lead_times(
    bucket: &std::ops::Range<usize>,
    index: usize,
    per_issue: usize,
) -> impl Iterator<Item = usize> {
    let step = bucket.len().div_ceil(per_issue);
    let scattered = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    let first = bucket.start + scattered as usize % step;
    (first..bucket.end).step_by(step)
}

/// The present load level of the home.
struct LoadLevel {
    /// The mean of the last week in W: the unit of the features.
    scale: f64,
    day: f64,
    /// The absolute load of the last half-hour; the other values are relative to the usual load at their time.
    last: f64,
    half_hour: f64,
    hour: f64,
    three_hours: f64,
    half_day: f64,
    sun: f64,
    similar: [SimilarDays; similar_days::COMPARED_QUARTERS.len()],
}

impl LoadLevel {
    fn of(past: &KnownHistory<'_>) -> Self {
        let now = past.now();
        let last = |long: usize| mean(past.load[now.saturating_sub(long)..].iter().copied());
        let scale = last(7 * QUARTERS_A_DAY).unwrap_or(500.0).max(50.0);
        let usual = |long: usize| {
            let quarters = now.saturating_sub(long)..now;
            mean(quarters.map(|quarter| around_days_before(past, quarter, 1..=7)))
        };
        let above = |long: usize| {
            let both = last(long).zip(usual(long));
            both.map_or(0.0, |(last, usual)| (last - usual) / scale)
        };
        Self {
            scale,
            day: last(QUARTERS_A_DAY).map_or(0.0, |day| day / scale - 1.0),
            hour: above(4),
            half_hour: above(2),
            last: last(2).map_or(0.0, |last| last / scale),
            three_hours: above(12),
            half_day: above(48),
            similar: similar_days::COMPARED_QUARTERS.map(|long| SimilarDays::of(past, long)),
            sun: {
                let long = 16;
                let last = mean(past.pv[now.saturating_sub(long)..].iter().copied());
                let usual = mean(
                    (now.saturating_sub(long)..now)
                        .flat_map(|q| (1..=7).map(move |d| q.checked_sub(96 * d)))
                        .map(|q| past.pv[q?]),
                );
                last.zip(usual).map_or(0.0, |(l, u)| (l - u) / scale)
            },
        }
    }
}

/// The features for the load at one time, in units of the last week's mean.
fn features(past: &KnownHistory<'_>, at: usize, level: &LoadLevel) -> [f64; FEATURES] {
    let now = past.now();
    let first = if at < now + QUARTERS_A_DAY - 1 { 1 } else { 2 };
    let in_parts =
        |watt: Option<f64>, otherwise: f64| watt.map_or(otherwise, |watt| watt / level.scale);
    let fortnight = in_parts(around_days_before(past, at, first..=14), 1.0);
    let week = in_parts(around_days_before(past, at, first..=7), fortnight);
    let same_days =
        |day: usize| day.is_multiple_of(7) || past.is_weekend(at) == past.is_weekend(at - 96 * day);
    let like_days = (first..=14).filter(|day| at >= 96 * day && same_days(*day));
    let like_day = mean(like_days.map(|day| around(past, past.days_before(at, day))));
    // Exact to the quarter-hour: timers switch to the minute.
    let exact = |days: std::ops::RangeInclusive<usize>| {
        mean(days.map(|day| past.load.get(past.days_before(at, day)?).copied().flatten()))
    };
    let (low, high) = low_and_high(past, at, first);
    let similar = |n: usize| {
        let load = level.similar[n].mean(first, |day| around(past, past.days_before(at, day)));
        in_parts(load, fortnight)
    };
    let recent = in_parts(around_days_before(past, at, first..=first + 2), week);
    [
        1.0,
        in_parts(around(past, past.days_before(at, first)), week),
        in_parts(around(past, past.days_before(at, 7)), week),
        week,
        fortnight,
        in_parts(like_day, fortnight),
        in_parts(median_load(past, at, first), fortnight),
        level.day,
        level.hour,
        level.three_hours,
        level.half_day,
        level.sun,
        level.half_day * week,
        level.half_hour,
        level.last,
        in_parts(high, fortnight),
        in_parts(low, fortnight),
        in_parts(exact(first..=first), week),
        in_parts(exact(first..=7), week),
        in_parts(exact(7..=7), week),
        // A running appliance is likelier to go on at times of day when something usually runs.
        level.hour * week,
        level.half_hour * week,
        level.three_hours * week,
        similar(0),
        similar(1),
        recent,
    ]
}

/// The median of the last two weeks at this time: the load when nothing special runs.
fn median_load(past: &KnownHistory<'_>, at: usize, first: usize) -> Option<f64> {
    let mut values = [0.0; 14];
    let mut count = 0;
    for day in first..=14 {
        let index = past.days_before(at, day);
        if let Some(load) = index.and_then(|index| past.load.get(index).copied().flatten()) {
            values[count] = load;
            count += 1;
        }
    }
    values[..count].sort_by(f64::total_cmp);
    values[..count].get(count / 2).copied()
}

/// The 1/8 and 7/8 quantiles of the load around this time in the last two weeks.
fn low_and_high(past: &KnownHistory<'_>, at: usize, first: usize) -> (Option<f64>, Option<f64>) {
    let near = (first..=14).flat_map(|day| {
        let index = past.days_before(at, day);
        [-1, 1].map(|off| past.load.get(index?.checked_add_signed(off)?).copied()?)
    });
    let mut values: Vec<f64> = near.flatten().collect();
    values.sort_by(f64::total_cmp);
    let eighth = values.len() / 8;
    let high = values.len().checked_sub(1 + eighth);
    (values.get(eighth).copied(), high.map(|index| values[index]))
}

fn around_days_before(
    past: &KnownHistory<'_>,
    at: usize,
    days: std::ops::RangeInclusive<usize>,
) -> Option<f64> {
    mean(days.map(|day| around(past, past.days_before(at, day))))
}

/// The mean of three quarter-hours: people are not exact to the minute.
fn around(past: &KnownHistory<'_>, at: Option<usize>) -> Option<f64> {
    let at = at?;
    let near = at.saturating_sub(1)..=at + 1;
    mean(near.map(|quarter| past.load.get(quarter).copied().flatten()))
}
