//! Limits the number of attempts in any span of time (a sliding window). A token bucket would let twice as many through in its
//! first span, which is too many if each attempt is a guess at another person's password or battery.
use crate::clock::{MAX_CLOCK_SKEW, Millis};
use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptLimit {
    pub attempts: usize,
    pub span: Millis,
}

/// The times of the attempts of one name, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts(VecDeque<Millis>);

impl Attempts {
    /// How long to wait until there is room for `tries` (at most as many as the limit); [`None`] if there is room now.
    pub fn wait(&self, limit: AttemptLimit, tries: usize, now: Millis) -> Option<Millis> {
        let mut recent = self.0.iter().filter(|at| is_recent(**at, limit, now));
        let excess = (recent.clone().count() + tries).saturating_sub(limit.attempts);
        let last = excess.checked_sub(1).and_then(|n| recent.nth(n))?;
        Some(last + limit.span - now)
    }

    pub fn add(&mut self, limit: AttemptLimit, tries: usize, now: Millis) {
        self.0.retain(|at| is_recent(*at, limit, now));
        self.0.extend(std::iter::repeat_n(now, tries));
    }

    /// Takes back the newest `tries`.
    pub fn give_back(&mut self, tries: usize) {
        self.0.truncate(self.0.len().saturating_sub(tries));
    }

    pub fn has_recent(&self, limit: AttemptLimit, now: Millis) -> bool {
        self.0.iter().any(|at| is_recent(*at, limit, now))
    }
}

/// Whether an attempt is within the span. One that is further in the future than the clocks of processes differ was made while
/// the clock was wrong. It does not count; otherwise all attempts would be refused until that time.
fn is_recent(at: Millis, limit: AttemptLimit, now: Millis) -> bool {
    at + limit.span > now && at <= now + MAX_CLOCK_SKEW
}

/// The times, separated by commas.
impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, at) in self.0.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            write!(f, "{comma}{at}")?;
        }
        Ok(())
    }
}

impl FromStr for Attempts {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let times = text.split(',').filter(|at| !at.is_empty());
        times.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::clock::{HOUR, MINUTE};
    use proptest::prelude::*;

    const TEN_AN_HOUR: AttemptLimit = AttemptLimit {
        attempts: 10,
        span: HOUR,
    };

    fn take(attempts: &mut Attempts, tries: usize, now: Millis) -> Result<(), Millis> {
        match attempts.wait(TEN_AN_HOUR, tries, now) {
            Some(wait) => Err(wait),
            None => {
                attempts.add(TEN_AN_HOUR, tries, now);
                Ok(())
            }
        }
    }

    proptest! {
        #[test]
        fn no_hour_holds_more_than_the_limit(steps in prop::collection::vec((0..20 * MINUTE, 1..=3_usize), 1..80)) {
            let (mut attempts, mut now) = (Attempts::default(), 0);
            let mut taken: Vec<Millis> = Vec::new();
            for (pause, tries) in steps {
                now += pause;
                if take(&mut attempts, tries, now).is_ok() {
                    taken.extend(std::iter::repeat_n(now, tries));
                }
            }
            for end in &taken {
                let within = taken.iter().filter(|at| **at <= *end && **at + HOUR > *end).count();
                prop_assert!(within <= 10, "{within} in the hour before {end}");
            }
        }

        #[test]
        fn after_the_wait_there_is_room(pauses in prop::collection::vec(0..HOUR / 10, 10), tries in 1..=3_usize) {
            let (mut attempts, mut now) = (Attempts::default(), 0);
            for pause in pauses {
                take(&mut attempts, 1, now).unwrap();
                now += pause;
            }
            if let Err(wait) = take(&mut attempts, tries, now) {
                prop_assert!(take(&mut attempts, tries, now + wait - 1).is_err());
                now += wait;
            }
            prop_assert!(take(&mut attempts, tries, now).is_ok());
        }

        #[test]
        fn the_text_gives_back_the_times(times in prop::collection::vec(any::<i64>(), 0..20)) {
            let attempts = Attempts(times.into());
            prop_assert_eq!(attempts.to_string().parse::<Attempts>().unwrap(), attempts);
        }
    }

    #[test]
    fn a_clock_that_was_ahead_shuts_nobody_out() {
        let mut attempts = Attempts::default();
        take(&mut attempts, 1, 0).unwrap();
        take(&mut attempts, 9, 24 * HOUR).unwrap();
        assert!(attempts.has_recent(TEN_AN_HOUR, 24 * HOUR));
        // The clock is right again: a new hour starts, with the usual limit.
        take(&mut attempts, 9, MINUTE).unwrap();
        take(&mut attempts, 1, MINUTE).unwrap();
        assert_eq!(take(&mut attempts, 1, MINUTE), Err(HOUR));
        // Another process may be a little ahead.
        let mut attempts = Attempts::default();
        take(&mut attempts, 10, MAX_CLOCK_SKEW).unwrap();
        take(&mut attempts, 1, 0).unwrap_err();
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let mut attempts = Attempts::default();
        take(&mut attempts, 10, 0).unwrap();
        attempts.give_back(1);
        take(&mut attempts, 1, 0).unwrap();
        take(&mut attempts, 1, 0).unwrap_err();
    }
}
