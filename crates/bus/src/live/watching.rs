//! Who is looked at: batteries report every 2 s then, instead of every 30.
use super::Live;
use crate::downlink::Delivery;
use crate::notice::Notice;
use domain::Serial;
use domain::clock::{MINUTE, Millis, SECOND};

/// A viewer's wish is passed on only when it reaches this much further than the last one.
const WATCH_STEP: Millis = 5 * SECOND;
/// Nobody watches longer than this without saying so again.
const WATCH_MAX: Millis = 10 * MINUTE;

impl Live {
    /// Somebody looks at this system until then: the battery reports every 2 s instead of every 30.
    pub fn watch(&self, sn: &Serial, until: Millis) {
        if let Some(until) = self.watch_here(sn, until) {
            self.0.notices.send(Notice::Watch {
                sn: sn.to_string(),
                until,
            });
        }
    }

    /// Until when somebody looks at this system.
    pub fn watched(&self, sn: &Serial) -> Option<Millis> {
        let until = self.0.watched.get(sn).map(|until| *until)?;
        (until > self.0.clock.now()).then_some(until)
    }

    /// The new end, if it reaches far enough to be passed on.
    pub(crate) fn watch_here(&self, sn: &Serial, until: Millis) -> Option<Millis> {
        let until = until.min(self.0.clock.now() + WATCH_MAX);
        let before = self.watched(sn).unwrap_or(0);
        if until < before + WATCH_STEP {
            return None;
        }
        self.0.watched.insert(sn.clone(), until);
        let wish = Delivery::new("watch", format!("{{\"until\":{until}}}"));
        self.0.downlink.send(sn, wish);
        Some(until)
    }

    /// Forgets who does not look any more.
    pub(crate) fn forget_viewers(&self) {
        let now = self.0.clock.now();
        self.0.watched.retain(|_, until| *until > now);
    }
}
