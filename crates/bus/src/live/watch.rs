//! Watched systems: a battery reports every 2 s while it is watched, otherwise every 30 s.
use super::LiveView;
use crate::downlink::Delivery;
use crate::peer_message::PeerMessage;
use domain::Serial;
use domain::clock::{MINUTE, Millis, SECOND};

/// A viewer's request is passed on only if it extends the watch by at least this much.
const MIN_WATCH_EXTENSION: Millis = 5 * SECOND;
/// A watch ends after this time unless the viewer renews it.
const MAX_WATCH: Millis = 10 * MINUTE;

impl LiveView {
    /// Marks this system as watched until then.
    pub fn watch(&self, sn: &Serial, until: Millis) {
        if let Some(until) = self.watch_here(sn, until) {
            self.0.peers.send(PeerMessage::Watch {
                sn: sn.to_string(),
                until,
            });
        }
    }

    /// Until when this system is watched.
    pub fn watched_until(&self, sn: &Serial) -> Option<Millis> {
        let until = self.0.watched_until.get(sn).map(|until| *until)?;
        (until > self.0.clock.now()).then_some(until)
    }

    /// Returns the new end if it is late enough to be passed on.
    pub(crate) fn watch_here(&self, sn: &Serial, until: Millis) -> Option<Millis> {
        let until = until.min(self.0.clock.now() + MAX_WATCH);
        let before = self.watched_until(sn).unwrap_or(0);
        if until < before + MIN_WATCH_EXTENSION {
            return None;
        }
        self.0.watched_until.insert(sn.clone(), until);
        self.0.downlink.send(sn, Delivery::Watch { until });
        Some(until)
    }

    pub(crate) fn remove_expired_watches(&self) {
        let now = self.0.clock.now();
        self.0.watched_until.retain(|_, until| *until > now);
    }
}
