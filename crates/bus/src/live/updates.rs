//! Updates in the live view: which releases are offered, and the state of each update.
use super::LiveView;
use crate::changes::ChangeKind;
use crate::peer_message::PeerMessage;
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::firmware::{JobId, JobState, Part as FirmwarePart};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use store::firmware::{Release, Releases, UpdateJob};

/// How long an update is shown after its end.
pub const ENDED_UPDATE_SHOWN_FOR: Millis = DAY;

impl LiveView {
    /// A person or a job changed the update of a system: reads it again, here and in other processes.
    pub(crate) async fn update_changed(&self, sn: &Serial) {
        match self.0.store.newest_update(sn).await {
            Ok(update) => {
                self.set_update(sn, update);
                // Effects show who started it. The other processes read both.
                self.in_force_changed(sn).await;
            }
            Err(error) => {
                tracing::warn!(%error, %sn, "update_read_failed: the live view may be outdated")
            }
        }
    }

    /// A battery has reported how far its update is: shows it, here and in other processes.
    pub(super) fn update_reported(&self, update: &UpdateJob) {
        self.set_update(&update.sn, Some(update.clone()));
        let message = |_| PeerMessage::Updated(Box::new(update.clone()));
        self.0.peers.send_change(&update.sn, message);
    }

    /// Another process was told how far an update is. A state that does not follow the known one is not shown but read again.
    pub(crate) fn apply_update(&self, update: UpdateJob) {
        let sn = update.sn.clone();
        let known = self.get(&sn).and_then(|snapshot| snapshot.update.clone());
        if known.is_some_and(|known| update.may_follow(&known)) {
            self.set_update(&sn, Some(update));
        } else {
            self.request_reload([sn]);
        }
    }

    fn set_update(&self, sn: &Serial, update: Option<UpdateJob>) {
        self.change(sn, |snapshot| snapshot.update = update.map(Arc::new));
        self.note_change_while_loading(sn);
    }

    pub(crate) fn update_may_begin(&self, sn: &Serial, job: &UpdateJob) -> bool {
        self.get(sn).is_some_and(|snapshot| snapshot.may_begin(job))
    }

    /// Waiting updates that need the main switch off and can begin: it is off now, and the battery is online.
    pub(crate) fn ready_updates(&self) -> HashMap<Serial, JobId> {
        let ready = self.0.systems.iter().filter_map(|entry| {
            let job = entry.update.as_ref()?;
            let waits = job.state == JobState::Waiting && entry.facts.update_needs_off;
            let ready = waits && entry.online && entry.may_begin(job);
            ready.then(|| (entry.key().clone(), job.id.clone()))
        });
        ready.collect()
    }

    /// Releases that a system is offered, in the order of installation.
    pub fn offered(&self, sn: &Serial) -> Vec<Release> {
        let Some(snapshot) = self.get(sn) else {
            return Vec::new();
        };
        let releases = self.releases();
        let offered = releases.offered(sn, &snapshot.facts, self.0.clock.now());
        offered.into_iter().cloned().collect()
    }

    /// Part and id of each offered release. Cheap, because the live data ask for it thousands of times a second.
    pub fn offered_parts(&self, sn: &Serial) -> Vec<(FirmwarePart, i64)> {
        let releases = self.releases();
        match self.get(sn) {
            Some(snapshot) if !releases.is_empty() => {
                let offered = releases.offered(sn, &snapshot.facts, self.0.clock.now());
                let named = offered.into_iter();
                named.map(|release| (release.part, release.id)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn releases(&self) -> Arc<Releases> {
        let releases = self.0.releases.read();
        Arc::clone(&releases.unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the running rollouts. A change notifies every subscriber. Waiting updates are read again, because an update is
    /// withdrawn together with its release.
    pub(crate) async fn read_releases(&self) -> store::Result<()> {
        if self.set_releases(self.0.store.running_releases().await?) {
            for sn in self.waiting_updates() {
                self.update_changed(&sn).await;
            }
            for mut entry in self.0.systems.iter_mut() {
                Arc::make_mut(&mut entry).changed_at = self.0.clock.now();
                self.0.subscribers.notify(entry.key(), &ChangeKind::Live);
            }
        }
        Ok(())
    }

    fn waiting_updates(&self) -> Vec<Serial> {
        let systems = self.0.systems.iter().filter(|entry| {
            let update = entry.update.as_ref();
            update.is_some_and(|job| job.state == JobState::Waiting)
        });
        systems.map(|entry| entry.key().clone()).collect()
    }

    pub(super) fn set_releases(&self, releases: Releases) -> bool {
        if *self.releases() == releases {
            return false;
        }
        let current = self.0.releases.write();
        *current.unwrap_or_else(PoisonError::into_inner) = Arc::new(releases);
        true
    }
}
