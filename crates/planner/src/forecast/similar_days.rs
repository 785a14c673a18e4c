//! Days that were like the last one. Heating, absence and guests last for some days, and an appliance that runs now has run
//! before.
use super::history::{KnownHistory, mean};
use crate::QUARTERS_A_DAY;

/// How many days are compared. With the day that each is compared by, that is no more than a forecast reads.
const LOOKBACK_DAYS: usize = 20;
/// The noise of an hour's mean load, as a variance in W²: a day within about 30 W is not more similar than another.
const NOISE_W2: f64 = 1_000.0;

/// The weights of the previous days, beginning with yesterday.
pub(super) struct SimilarDays([f64; LOOKBACK_DAYS]);

impl SimilarDays {
    /// Compares the last quarter-hours, hour by hour, with the same hours of each day.
    pub(super) fn of(past: &KnownHistory<'_>, quarters: usize) -> Self {
        let now = past.now();
        let first = now.saturating_sub(quarters);
        let hour_of = |hour: usize, day: usize| {
            mean((hour..hour + 4).map(|at| past.load.get(past.days_before(at, day)?).copied()?))
        };
        let last: Vec<Option<f64>> = (first..now)
            .step_by(4)
            .map(|hour| hour_of(hour, 0))
            .collect();
        let mut off = [None; LOOKBACK_DAYS];
        for (day, off) in (1..).zip(&mut off) {
            let hours = (first..now).step_by(4).zip(&last);
            let squares = hours.map(|(hour, last)| Some(((*last)? - hour_of(hour, day)?).powi(2)));
            *off = mean(squares).map(|square| square + NOISE_W2);
        }
        let nearest = off.into_iter().flatten().fold(f64::INFINITY, f64::min);
        // Twice the distance gives a sixteenth of the weight.
        Self(off.map(|off| off.map_or(0.0, |off| (nearest / off).powi(2))))
    }

    /// The weighted mean of a value over the previous days, from `first` days ago on.
    pub(super) fn mean(&self, first: usize, value: impl Fn(usize) -> Option<f64>) -> Option<f64> {
        let days = (1..).zip(&self.0).skip(first - 1);
        let (mut sum, mut all) = (0.0, 0.0);
        for (day, weight) in days {
            if let Some(value) = value(day) {
                sum += weight * value;
                all += weight;
            }
        }
        (all > 0.0).then(|| sum / all)
    }
}

/// A whole day; and four hours, for what may be running now.
pub(super) const COMPARED_QUARTERS: [usize; 2] = [QUARTERS_A_DAY, 16];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::History;
    use domain::Zone;

    /// Heats on every third day, in the morning and in the evening.
    fn load(quarter: usize) -> f64 {
        let heats = (quarter / QUARTERS_A_DAY).is_multiple_of(3);
        let hour = quarter % QUARTERS_A_DAY / 4;
        if heats && (hour == 6 || hour == 20) {
            3_000.0
        } else {
            300.0
        }
    }

    #[test]
    fn the_evening_is_expected_that_followed_such_mornings() {
        let known = (0..24 * QUARTERS_A_DAY).map(|n| Some(load(n)));
        let known: Vec<_> = known.collect();
        let zone: Zone = "UTC".parse().unwrap();
        let history = History::new(0, &zone, known.clone(), known);
        for day in [21, 22, 23] {
            let noon = day * QUARTERS_A_DAY + 48;
            let past = history.until(noon);
            let evening = day * QUARTERS_A_DAY + 20 * 4;
            let earlier = |days: usize| past.load[evening - days * QUARTERS_A_DAY];
            let expected = SimilarDays::of(&past, 48).mean(1, earlier).unwrap();
            let came = load(evening);
            assert!((expected - came).abs() < 100.0, "{day}: {expected} {came}");
        }
    }

    #[test]
    fn nothing_is_like_a_day_that_nobody_measured() {
        let unknown = vec![None; 10 * QUARTERS_A_DAY];
        let history = History::new(0, &Zone::default(), unknown.clone(), unknown);
        let past = history.until(10 * QUARTERS_A_DAY);
        assert_eq!(SimilarDays::of(&past, 96).mean(1, |_| Some(1.0)), None);
        let nothing = history.until(0);
        assert_eq!(SimilarDays::of(&nothing, 96).mean(1, |_| Some(1.0)), None);
    }
}
