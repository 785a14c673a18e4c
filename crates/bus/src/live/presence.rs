//! Who is heard of and who is not.
use super::Live;
use crate::notice::Notice;
use crate::snapshot::Snapshot;
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

    /// The database says this now: here, and to the other processes where it is new.
    pub(crate) fn presence_changed(&self, sn: &Serial, presence: Presence) {
        if self.presence(sn) != Some(presence) {
            self.stands(sn, presence);
            self.0.notices.send(Notice::presence(sn, presence));
        }
    }

    pub(crate) fn is_online(&self, sn: &Serial) -> bool {
        self.0.systems.get(sn).is_some_and(|found| found.online)
    }

    /// Whether it counts as online, at this gateway.
    pub(crate) fn is_online_here(&self, sn: &Serial) -> bool {
        let found = self.0.systems.get(sn);
        found.is_some_and(|found| found.online && found.gateway == self.0.gateway)
    }

    /// Whether nothing was heard of it for 90 s.
    pub(crate) fn is_quiet(&self, sn: &Serial) -> bool {
        let limit = self.0.clock.now() - SILENCE;
        self.get(sn)
            .is_some_and(|snapshot| snapshot.is_quiet_since(limit))
    }

    /// Systems that count as online at this gateway although nothing was heard of them for 90 s. None while this process does
    /// not hear the others, and for 90 s after: reports may have waited for the database just as long.
    pub(crate) fn silent(&self) -> Vec<Serial> {
        let limit = self.0.clock.now() - SILENCE;
        let unbroken = self.0.heartbeat.unbroken_since();
        if unbroken.is_none_or(|since| since > limit) {
            return Vec::new();
        }
        let silent = |found: &Snapshot| {
            found.online && found.gateway == self.0.gateway && found.is_quiet_since(limit)
        };
        let systems = self.0.systems.iter();
        systems
            .filter(|entry| silent(entry))
            .map(|entry| entry.key().clone())
            .collect()
    }
}
