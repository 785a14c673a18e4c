//! So many in any stretch of an hour, counted one by one. A limiter that refills as time goes by lets twice as many
//! through in its first hour, which is too many where each try is a guess at somebody's battery.
use domain::Clock;
use domain::clock::{HOUR, Millis, SECOND};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

pub(crate) struct Window {
    clock: Clock,
    most: usize,
    /// When each name tried within the last hour, oldest first; never more than `most`.
    tried: Mutex<HashMap<String, VecDeque<Millis>>>,
}

impl Window {
    pub(crate) fn new(clock: &Clock, most: usize) -> Self {
        Self {
            clock: clock.clone(),
            most,
            tried: Mutex::default(),
        }
    }

    /// Takes `tries` (at most `most`) for every name, or for none: then it tells the seconds until there is room.
    pub(crate) fn take(&self, names: &[String], tries: usize) -> Result<(), u64> {
        let now = self.clock.now();
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wait = None;
        for name in names {
            let Some(times) = tried.get_mut(name) else {
                continue;
            };
            while times.front().is_some_and(|at| at + HOUR <= now) {
                times.pop_front();
            }
            let excess = (times.len() + tries).saturating_sub(self.most);
            if let Some(last) = excess.checked_sub(1).and_then(|n| times.get(n)) {
                wait = wait.max(Some(last + HOUR - now));
            }
        }
        if let Some(wait) = wait {
            return Err(u64::try_from(wait / SECOND).unwrap_or(0) + 1);
        }
        for name in names {
            let times = tried.entry(name.clone()).or_default();
            times.extend(std::iter::repeat_n(now, tries));
        }
        Ok(())
    }

    pub(crate) fn forget_the_idle(&self) {
        let now = self.clock.now();
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.retain(|_, times| times.back().is_some_and(|at| at + HOUR > now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_hour_holds_more_than_the_limit(steps in prop::collection::vec((0..20 * 60 * SECOND, 1..=3_usize), 1..80)) {
            let clock = Clock::standing_at(0);
            let window = Window::new(&clock, 10);
            let mut taken: Vec<Millis> = Vec::new();
            for (pause, tries) in steps {
                clock.advance(pause);
                if window.take(&["name".into()], tries).is_ok() {
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
            let clock = Clock::standing_at(0);
            let window = Window::new(&clock, 10);
            for pause in pauses {
                window.take(&["name".into()], 1).unwrap();
                clock.advance(pause);
            }
            if let Err(wait) = window.take(&["name".into()], tries) {
                clock.advance(i64::try_from(wait).unwrap() * SECOND);
            }
            prop_assert!(window.take(&["name".into()], tries).is_ok());
        }
    }

    #[test]
    fn a_name_without_room_uses_up_nobody_elses() {
        let window = Window::new(&Clock::standing_at(0), 2);
        window.take(&["full".into()], 2).unwrap();
        window.take(&["free".into(), "full".into()], 2).unwrap_err();
        window.take(&["free".into()], 2).unwrap();
    }

    #[test]
    fn idle_names_are_forgotten() {
        let clock = Clock::standing_at(0);
        let window = Window::new(&clock, 10);
        window.take(&["early".into()], 1).unwrap();
        clock.advance(HOUR);
        window.take(&["late".into()], 1).unwrap();
        window.forget_the_idle();
        assert_eq!(window.tried.lock().unwrap().len(), 1);
    }
}
