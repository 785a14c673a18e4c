//! Where the time comes from. Everything that asks for "now" is handed a [`Clock`], so tests move time instead of waiting.
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub const SECOND: i64 = 1_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;
/// A battery's clock may be this far from ours and still count; what lies further ahead was stamped by a wrong clock.
pub const MAX_CLOCK_SKEW: i64 = 120 * SECOND;

/// Milliseconds since 1970 in UTC, the unit of every stored moment (`…_at`).
pub type Millis = i64;

/// The machine's clock plus an offset that only tests and the demo move, or a clock that stands still.
#[derive(Clone, Debug)]
pub struct Clock {
    offset: Arc<AtomicI64>,
    stands_still: bool,
}

impl Clock {
    pub fn system() -> Self {
        Self {
            offset: Arc::new(AtomicI64::new(0)),
            stands_still: false,
        }
    }

    /// A clock that shows `now` and goes on from there.
    pub fn running_from(now: Millis) -> Self {
        let clock = Self::system();
        clock.advance(now - clock.now());
        clock
    }

    /// A clock that shows `now` until it is moved.
    pub fn standing_at(now: Millis) -> Self {
        Self {
            offset: Arc::new(AtomicI64::new(now)),
            stands_still: true,
        }
    }

    pub fn now(&self) -> Millis {
        let base = if self.stands_still { 0 } else { machine_time() };
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
        let clock = Clock::standing_at(5);
        let other = clock.clone();
        clock.advance(MINUTE);
        assert_eq!(other.now(), 5 + MINUTE);
    }
}
