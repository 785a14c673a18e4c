//! The recent attempts of each name, in the memory of this process.
use domain::attempts::{AttemptLimit, Attempts};
use domain::clock::Millis;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Names without recent attempts are dropped from memory every so many uses.
const USES_BETWEEN_CLEANUPS: u32 = 4096;

pub(crate) struct SlidingWindow {
    /// The name of the limit.
    pub(crate) kind: &'static str,
    pub(crate) limit: AttemptLimit,
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    by_name: HashMap<String, Attempts>,
    uses: u32,
}

impl SlidingWindow {
    pub(crate) fn new(kind: &'static str, attempts: usize, span: Millis) -> Self {
        Self {
            kind,
            limit: AttemptLimit { attempts, span },
            counted: Mutex::default(),
        }
    }

    /// Takes `tries` (at most as many as the limit) for every name, or for none; then returns how long to wait until there is room.
    pub(crate) fn take(&self, names: &[String], tries: usize, now: Millis) -> Result<(), Millis> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.uses += 1;
        if counted.uses == USES_BETWEEN_CLEANUPS {
            counted.uses = 0;
            let by_name = &mut counted.by_name;
            by_name.retain(|_, attempts| attempts.has_recent(self.limit, now));
        }
        let known = names.iter().filter_map(|name| counted.by_name.get(name));
        let waits = known.filter_map(|attempts| attempts.wait(self.limit, tries, now));
        if let Some(wait) = waits.max() {
            return Err(wait);
        }
        for name in names {
            let attempts = counted.by_name.entry(name.clone()).or_default();
            attempts.add(self.limit, tries, now);
        }
        Ok(())
    }

    /// Takes back the newest `tries` of every name.
    pub(crate) fn give_back(&self, names: &[String], tries: usize) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            if let Some(attempts) = counted.by_name.get_mut(name) {
                attempts.give_back(tries);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::HOUR;

    #[test]
    fn a_name_without_room_uses_up_nobody_elses() {
        let window = SlidingWindow::new("keys", 2, HOUR);
        window.take(&["full".into()], 2, 0).unwrap();
        window
            .take(&["free".into(), "full".into()], 2, 0)
            .unwrap_err();
        window.take(&["free".into()], 2, 0).unwrap();
    }

    #[test]
    fn idle_names_are_forgotten() {
        let window = SlidingWindow::new("keys", 10, HOUR);
        window.take(&["early".into()], 1, 0).unwrap();
        for _ in 1..USES_BETWEEN_CLEANUPS {
            let _ = window.take(&["late".into()], 1, HOUR);
        }
        let counted = window.counted.lock().unwrap();
        assert!(counted.by_name.keys().eq(["late"]));
    }
}
