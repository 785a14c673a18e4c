//! The source of time. All code that needs "now" is given a [`Clock`], so tests move time instead of waiting.
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
/// A battery's clock may differ this much from the server's. A time further ahead comes from a wrong clock.
pub const MAX_CLOCK_SKEW: i64 = 120 * SECOND;

/// Milliseconds since 1970 in UTC, the unit of every stored moment (`…_at`).
pub type Millis = i64;

/// The machine's clock plus an offset that only tests and the demo change, or a frozen clock.
#[derive(Clone, Debug)]
pub struct Clock {
    offset: Arc<AtomicI64>,
    is_frozen: bool,
}

impl Clock {
    pub fn system() -> Self {
        Self {
            offset: Arc::new(AtomicI64::new(0)),
            is_frozen: false,
        }
    }

    /// A clock that starts at `now` and runs.
    pub fn running_from(now: Millis) -> Self {
        let clock = Self::system();
        clock.advance(now - clock.now());
        clock
    }

    /// A clock that stays at `now` until it is advanced.
    pub fn frozen_at(now: Millis) -> Self {
        Self {
            offset: Arc::new(AtomicI64::new(now)),
            is_frozen: true,
        }
    }

    pub fn now(&self) -> Millis {
        let base = if self.is_frozen { 0 } else { machine_time() };
        base + self.offset.load(Ordering::Relaxed)
    }

    /// Moves the clock (and every clone of it).
    pub fn advance(&self, by: Millis) {
        self.offset.fetch_add(by, Ordering::Relaxed);
    }
}

fn machine_time() -> Millis {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clone_of_a_standing_clock_moves_together() {
        let clock = Clock::frozen_at(5);
        let other = clock.clone();
        clock.advance(MINUTE);
        assert_eq!(other.now(), 5 + MINUTE);
    }
}
