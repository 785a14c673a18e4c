//! Who is heard of and who is not.
use super::Live;
use domain::Serial;
use domain::clock::{Millis, SECOND};
use store::presence::Presence;

/// A battery that says neither hello nor a sample for this long is offline.
pub const SILENCE: Millis = 90 * SECOND;

impl Live {
    pub(crate) fn heard(&self, sn: &Serial, at: Millis) {
        self.change(sn, |snapshot| snapshot.heard(at));
    }

    pub(crate) fn heard_after(&self, sn: &Serial, at: Millis) -> bool {
        let heard = self.0.systems.get(sn).and_then(|found| found.received_at);
        heard > Some(at)
    }

    pub(super) fn presence(&self, sn: &Serial) -> Option<Presence> {
        self.0.systems.get(sn).and_then(|found| found.presence())
    }

    pub(crate) fn stands(&self, sn: &Serial, presence: Presence) {
        self.change(sn, |snapshot| snapshot.stand(presence));
    }

    pub(crate) fn is_online(&self, sn: &Serial) -> bool {
        self.0.systems.get(sn).is_some_and(|found| found.online)
    }

    pub(crate) fn is_silent(&self, sn: &Serial) -> bool {
        let limit = self.0.clock.now() - SILENCE;
        self.get(sn)
            .is_some_and(|snapshot| snapshot.is_silent_since(limit))
    }

    /// Systems that count as online although nobody heard of them for 90 s.
    pub(crate) fn silent(&self) -> Vec<Serial> {
        let limit = self.0.clock.now() - SILENCE;
        let systems = self.0.systems.iter();
        systems
            .filter(|entry| entry.is_silent_since(limit))
            .map(|entry| entry.key().clone())
            .collect()
    }
}
