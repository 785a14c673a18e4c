//! The load to come: a regression on the home's own profile, its last days and its present level, and before there are enough
//! days of its own a standard household.
use super::alike::{self, Alike};
use super::history::{Past, mean};
use super::regression::{Fit, Rows};
use super::{AHEAD, STRETCHES, standard, stretch_of};
use crate::{Band, QUARTERS_A_DAY};

const FEATURES: usize = 26;
/// A regression looks so far back for rows; what a home did longer ago was another season.
const LEARNS_FROM: usize = 112 * QUARTERS_A_DAY;
/// The features of a row need so many days before it.
const NEEDS: usize = 14 * QUARTERS_A_DAY;
/// Each row's issue is so long after the one before. Of longer ones few are good: with 7, which goes up in a week, each time of the day
/// was learned on always the same weekday.
const STRIDE: usize = 2;
/// Rows of one issue within a stretch of the way.
const PER_ISSUE: usize = 2;
/// How far coefficients are drawn towards zero.
const PULL: f64 = 5e-3;

#[derive(Clone, Debug)]
pub struct LoadModel {
    fits: [Option<Fit<FEATURES>>; STRETCHES.len()],
    /// Of a household, in kWh: what the standard profile is scaled to until the home is known.
    yearly_kwh: f64,
}

impl LoadModel {
    /// Learns from what is known at one moment; good for some days.
    pub fn learn(past: &Past<'_>, yearly_kwh: f64) -> Self {
        let now = past.now();
        let first = NEEDS.max(now.saturating_sub(LEARNS_FROM));
        let mut rows = STRETCHES.map(|_| Rows::<FEATURES>::new());
        for (turn, issue) in (first..now).step_by(STRIDE).enumerate() {
            let then = past.until(issue);
            let level = Level::of(&then);
            for (stretch, rows) in STRETCHES.iter().zip(&mut rows) {
                for ahead in chosen(stretch, turn, PER_ISSUE) {
                    let at = issue + ahead;
                    if let Some(load) = past.load.get(at).copied().flatten() {
                        rows.push(features(&then, at, &level), load / level.scale, level.scale);
                    }
                }
            }
        }
        Self {
            fits: rows.map(|rows| rows.fit(PULL)),
            yearly_kwh,
        }
    }

    /// The next two days.
    pub fn forecast(&self, past: &Past<'_>) -> Vec<Band> {
        let level = Level::of(past);
        let now = past.now();
        let ahead = 0..AHEAD;
        ahead
            .map(|ahead| match &self.fits[stretch_of(ahead)] {
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

/// Some quarter-hours of a stretch, others in each turn and in no order that a day or a week could fall in with.
pub(super) fn chosen(
    stretch: &std::ops::Range<usize>,
    turn: usize,
    per_issue: usize,
) -> impl Iterator<Item = usize> {
    let step = stretch.len().div_ceil(per_issue);
    let scattered = (turn as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    let first = stretch.start + scattered as usize % step;
    (first..stretch.end).step_by(step)
}

/// How much the home uses at present.
struct Level {
    /// The mean of the last week: what features are measured in.
    scale: f64,
    day: f64,
    /// The last half-hour as it was; the others are above what is usual at their time.
    last: f64,
    half_hour: f64,
    hour: f64,
    three_hours: f64,
    half_day: f64,
    sun: f64,
    alike: [Alike; alike::BY.len()],
}

impl Level {
    fn of(past: &Past<'_>) -> Self {
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
            alike: alike::BY.map(|long| Alike::of(past, long)),
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

/// What the load at a time is explained by, in parts of the last week's mean.
fn features(past: &Past<'_>, at: usize, level: &Level) -> [f64; FEATURES] {
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
    // To the quarter-hour: what a clock switches does come to the minute.
    let exact = |days: std::ops::RangeInclusive<usize>| {
        mean(days.map(|day| past.load.get(past.days_before(at, day)?).copied().flatten()))
    };
    let (low, high) = ends(past, at, first);
    let alike = |n: usize| {
        let load = level.alike[n].mean(first, |day| around(past, past.days_before(at, day)));
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
        in_parts(middle(past, at, first), fortnight),
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
        // What runs now goes on where something usually runs.
        level.hour * week,
        level.half_hour * week,
        level.three_hours * week,
        alike(0),
        alike(1),
        recent,
    ]
}

/// The middle value of the last two weeks at this time: what the load is when nothing special runs.
fn middle(past: &Past<'_>, at: usize, first: usize) -> Option<f64> {
    let mut values = [0.0; 14];
    let mut count = 0;
    for day in first..=14 {
        let place = past.days_before(at, day);
        if let Some(load) = place.and_then(|place| past.load.get(place).copied().flatten()) {
            values[count] = load;
            count += 1;
        }
    }
    values[..count].sort_by(f64::total_cmp);
    values[..count].get(count / 2).copied()
}

/// What the load around this time was below and above on an eighth of the last two weeks' days each.
fn ends(past: &Past<'_>, at: usize, first: usize) -> (Option<f64>, Option<f64>) {
    let near = (first..=14).flat_map(|day| {
        let place = past.days_before(at, day);
        [-1, 1].map(|off| past.load.get(place?.checked_add_signed(off)?).copied()?)
    });
    let mut values: Vec<f64> = near.flatten().collect();
    values.sort_by(f64::total_cmp);
    let eighth = values.len() / 8;
    let high = values.len().checked_sub(1 + eighth);
    (values.get(eighth).copied(), high.map(|place| values[place]))
}

fn around_days_before(
    past: &Past<'_>,
    at: usize,
    days: std::ops::RangeInclusive<usize>,
) -> Option<f64> {
    mean(days.map(|day| around(past, past.days_before(at, day))))
}

/// The mean of three quarter-hours: a kettle does not come to the minute.
fn around(past: &Past<'_>, at: Option<usize>) -> Option<f64> {
    let at = at?;
    let near = at.saturating_sub(1)..=at + 1;
    mean(near.map(|quarter| past.load.get(quarter).copied().flatten()))
}
