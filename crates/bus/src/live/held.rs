//! Which systems are in the live view, and which of them the other processes do not know about yet.
use super::LiveView;
use super::load::MAX_BATCH_SIZE;
use domain::Serial;
use std::sync::{MutexGuard, PoisonError};
use store::Result;

impl LiveView {
    /// Removes systems that are not needed: neither connected to this gateway, nor watched or requested recently.
    pub(crate) fn remove_unneeded(&self) {
        let now = self.0.clock.now();
        self.0.kept_until.retain(|_, until| *until > now);
        self.0.systems.retain(|sn, snapshot| {
            (snapshot.online && snapshot.gateway == self.0.gateway)
                || self.0.downlink.is_attached(sn)
                || self.0.kept_until.contains_key(sn)
                || self.0.subscribers.has(sn)
        });
    }

    /// Systems that entered the view since the last call.
    pub(crate) fn take_new_systems(&self) -> Vec<Serial> {
        std::mem::take(&mut *self.new_systems())
    }

    pub(crate) async fn has_new_systems(&self) {
        self.0.new_systems_added.notified().await;
    }

    pub(super) fn new_systems(&self) -> MutexGuard<'_, Vec<Serial>> {
        let new_systems = self.0.new_systems.lock();
        new_systems.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.systems.is_empty()
    }

    /// Everything in the view.
    pub(crate) fn serials(&self) -> Vec<Serial> {
        let systems = self.0.systems.iter();
        systems.map(|entry| entry.key().clone()).collect()
    }

    /// Reads the presence of systems that are not connected to this gateway: a message about it may have been lost.
    pub(crate) async fn read_presences(&self) -> Result<()> {
        let mut elsewhere = self.serials();
        elsewhere.retain(|sn| !self.is_online_here(sn));
        for batch in elsewhere.chunks(MAX_BATCH_SIZE) {
            for (sn, presence) in self.0.store.presences_of(batch).await? {
                let known = self.presence(&sn);
                if known.is_none_or(|known| known.since < presence.since) {
                    self.set_presence(&sn, presence);
                }
            }
        }
        Ok(())
    }
}
