//! How much of a tick planning may take. A process that has been behind for a while takes more, unless batteries are connected to
//! it: in the only process of an installation they wait for their acknowledgements.
use domain::clock::{MINUTE, Millis};

/// So a forecast of each quarter-hour still comes within it.
const BEHIND_FOR: Millis = 5 * MINUTE;
/// With two seconds of ten this is most of a core.
const MAX_FACTOR: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Since when no tick has reached all systems that were due.
    behind_since: Option<Millis>,
    factor: u32,
}

impl Pace {
    /// How many times the usual budget this tick has: twice that of the tick before while it is behind.
    pub(super) fn begin_tick(&mut self, now: Millis, has_batteries: bool) -> u32 {
        let is_behind = self
            .behind_since
            .is_some_and(|since| now - since >= BEHIND_FOR);
        self.factor = match is_behind && !has_batteries {
            true => (2 * self.factor).min(MAX_FACTOR),
            false => 1,
        };
        self.factor
    }

    pub(super) fn end_tick(&mut self, now: Millis, has_reached_all: bool) {
        self.behind_since = match has_reached_all {
            true => None,
            false => self.behind_since.or(Some(now)),
        };
    }
}
