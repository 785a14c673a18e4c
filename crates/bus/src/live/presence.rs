//! Presence in the live view: who is online, and the last contact of each.
use super::LiveView;
use crate::peer_message::PeerMessage;
use crate::snapshot::Snapshot;
use domain::Serial;
use domain::clock::{Millis, SECOND};
use std::sync::Arc;
use store::presence::Presence;

/// A battery that sends neither a hello nor a live sample for this long is offline.
pub const OFFLINE_AFTER: Millis = 90 * SECOND;

impl LiveView {
    pub(crate) fn touch_last_contact(&self, sn: &Serial, at: Millis) {
        self.change(sn, |snapshot| snapshot.touch_last_contact(at));
    }

    pub(crate) fn contacted_after(&self, sn: &Serial, at: Millis) -> bool {
        let entry = self.0.systems.get(sn);
        let last_contact = entry.and_then(|snapshot| snapshot.last_contact);
        last_contact > Some(at)
    }

    pub(super) fn presence(&self, sn: &Serial) -> Option<Presence> {
        let entry = self.0.systems.get(sn);
        entry.and_then(|snapshot| snapshot.presence())
    }

    pub(crate) fn set_presence(&self, sn: &Serial, presence: Presence) {
        self.change(sn, |snapshot| snapshot.set_presence(presence));
    }

    /// Applies the presence that the database has now. Informs the other processes if it is new.
    pub(crate) fn presence_changed(&self, sn: &Serial, presence: Presence) {
        if self.presence(sn) != Some(presence) {
            self.set_presence(sn, presence);
            let peers = &self.0.peers;
            peers.send_change(sn, |sn| PeerMessage::presence(sn, presence));
        }
    }

    pub(crate) fn is_online(&self, sn: &Serial) -> bool {
        let entry = self.0.systems.get(sn);
        entry.is_some_and(|snapshot| snapshot.online)
    }

    /// Whether it counts as online at this gateway.
    pub(crate) fn is_online_here(&self, sn: &Serial) -> bool {
        let entry = self.0.systems.get(sn);
        entry.is_some_and(|snapshot| snapshot.online && snapshot.gateway == self.0.gateway)
    }

    /// Systems in the view whose last contact was with this gateway.
    pub fn last_seen_here(&self) -> impl Iterator<Item = (Serial, Arc<Snapshot>)> {
        let gateway = self.0.gateway;
        self.all()
            .filter(move |(_, snapshot)| snapshot.gateway == gateway)
    }

    /// Whether its last contact is longer ago than [`OFFLINE_AFTER`].
    pub(crate) fn is_silent(&self, sn: &Serial) -> bool {
        let limit = self.0.clock.now() - OFFLINE_AFTER;
        self.get(sn)
            .is_some_and(|snapshot| snapshot.is_silent_since(limit))
    }

    /// Systems that count as online at this gateway although silent for [`OFFLINE_AFTER`], with their last contact.
    /// Empty while this process receives no peer messages, and for as long afterwards: reports may have waited for the database.
    pub(crate) fn silent_systems(&self) -> Vec<(Serial, Millis)> {
        let limit = self.0.clock.now() - OFFLINE_AFTER;
        let unbroken = self.0.heartbeat.unbroken_since();
        if unbroken.is_none_or(|since| since > limit) {
            return Vec::new();
        }
        let silent = |snapshot: &Snapshot| {
            snapshot.online && snapshot.gateway == self.0.gateway && snapshot.is_silent_since(limit)
        };
        let systems = self.0.systems.iter();
        systems
            .filter(|entry| silent(entry))
            .map(|entry| (entry.key().clone(), entry.last_contact.unwrap_or(limit)))
            .collect()
    }
}
