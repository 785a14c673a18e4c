//! At most so many attempts in any span of time, counted one by one. A refilling limiter lets twice as many through in its first
//! span, which is too many if each attempt is a guess at someone's password or battery.
use domain::Clock;
use domain::clock::{Millis, SECOND};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Names without recent attempts are dropped from memory every so many uses.
const USES_BETWEEN_CLEANUPS: u32 = 4096;

pub(crate) struct SlidingWindow {
    clock: Clock,
    limit: usize,
    span: Millis,
    attempts: Mutex<Attempts>,
}

#[derive(Default)]
struct Attempts {
    /// The times of each name's attempts within the last span, oldest first; never more than the limit.
    by_name: HashMap<String, VecDeque<Millis>>,
    uses: u32,
}

impl SlidingWindow {
    pub(crate) fn new(clock: &Clock, limit: usize, span: Millis) -> Self {
        Self {
            clock: clock.clone(),
            limit,
            span,
            attempts: Mutex::default(),
        }
    }

    /// Takes `tries` (at most `limit`) for every name, or for none; then returns the seconds until there is room.
    pub(crate) fn try_acquire(&self, names: &[String], tries: usize) -> Result<(), u64> {
        let now = self.clock.now();
        let is_recent = |at: &Millis| at + self.span > now;
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        attempts.uses += 1;
        if attempts.uses == USES_BETWEEN_CLEANUPS {
            attempts.uses = 0;
            let by_name = &mut attempts.by_name;
            by_name.retain(|_, times| times.back().is_some_and(is_recent));
        }
        let mut wait = None;
        for name in names {
            let Some(times) = attempts.by_name.get_mut(name) else {
                continue;
            };
            while times.front().is_some_and(|at| !is_recent(at)) {
                times.pop_front();
            }
            let excess = (times.len() + tries).saturating_sub(self.limit);
            if let Some(last) = excess.checked_sub(1).and_then(|n| times.get(n)) {
                wait = wait.max(Some(last + self.span - now));
            }
        }
        if let Some(wait) = wait {
            return Err(u64::try_from(wait / SECOND).unwrap_or(0) + 1);
        }
        for name in names {
            let times = attempts.by_name.entry(name.clone()).or_default();
            times.extend(std::iter::repeat_n(now, tries));
        }
        Ok(())
    }

    /// Takes back the newest `tries` of every name.
    pub(crate) fn give_back(&self, names: &[String], tries: usize) {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            if let Some(times) = attempts.by_name.get_mut(name) {
                times.truncate(times.len().saturating_sub(tries));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::HOUR;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_hour_holds_more_than_the_limit(steps in prop::collection::vec((0..20 * 60 * SECOND, 1..=3_usize), 1..80)) {
            let clock = Clock::frozen_at(0);
            let window = SlidingWindow::new(&clock, 10, HOUR);
            let mut taken: Vec<Millis> = Vec::new();
            for (pause, tries) in steps {
                clock.advance(pause);
                if window.try_acquire(&["name".into()], tries).is_ok() {
                    taken.extend(std::iter::repeat_n(clock.now(), tries));
                }
            }
            for end in &taken {
                let within = taken.iter().filter(|at| **at <= *end && **at + HOUR > *end).count();
                prop_assert!(within <= 10, "{within} in the hour before {end}");
            }
        }

        #[test]
        fn after_the_told_wait_there_is_room(pauses in prop::collection::vec(0..HOUR / 10, 10), tries in 1..=3_usize) {
            let clock = Clock::frozen_at(0);
            let window = SlidingWindow::new(&clock, 10, HOUR);
            for pause in pauses {
                window.try_acquire(&["name".into()], 1).unwrap();
                clock.advance(pause);
            }
            if let Err(wait) = window.try_acquire(&["name".into()], tries) {
                clock.advance(i64::try_from(wait).unwrap() * SECOND);
            }
            prop_assert!(window.try_acquire(&["name".into()], tries).is_ok());
        }
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let window = SlidingWindow::new(&Clock::frozen_at(0), 2, HOUR);
        let names = ["one".to_owned(), "other".to_owned()];
        window.try_acquire(&names, 2).unwrap();
        window.give_back(&names, 1);
        window.try_acquire(&names, 1).unwrap();
        window.try_acquire(&names, 1).unwrap_err();
    }

    #[test]
    fn a_name_without_room_uses_up_nobody_elses() {
        let window = SlidingWindow::new(&Clock::frozen_at(0), 2, HOUR);
        window.try_acquire(&["full".into()], 2).unwrap();
        window
            .try_acquire(&["free".into(), "full".into()], 2)
            .unwrap_err();
        window.try_acquire(&["free".into()], 2).unwrap();
    }

    #[test]
    fn idle_names_are_forgotten() {
        let clock = Clock::frozen_at(0);
        let window = SlidingWindow::new(&clock, 10, HOUR);
        window.try_acquire(&["early".into()], 1).unwrap();
        clock.advance(HOUR);
        for _ in 1..USES_BETWEEN_CLEANUPS {
            let _ = window.try_acquire(&["late".into()], 1);
        }
        let attempts = window.attempts.lock().unwrap();
        assert!(attempts.by_name.keys().eq(["late"]));
    }
}
