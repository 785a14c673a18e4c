//! Updates in the live view: what is offered, and how those fare that somebody has started.
use super::Live;
use crate::changes::Part;
use crate::notice::Notice;
use domain::Serial;
use domain::clock::{DAY, Millis};
use domain::firmware::{JobId, JobState, Part as FirmwarePart};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use store::firmware::{Release, Releases, UpdateJob};

/// For so long after its end an update is still shown.
pub const UPDATE_SHOWN: Millis = DAY;

impl Live {
    /// Reads again how the update of a system fares, and tells who listens, here and in other processes.
    pub(crate) async fn update_changed(&self, sn: &Serial) {
        match self.0.store.newest_update(sn).await {
            Ok(update) => {
                self.update_stands(sn, update);
                // Who started it.
                self.in_force_changed(sn).await;
            }
            Err(error) => tracing::warn!(%error, %sn, "an update could not be read"),
        }
    }

    /// The newest update of a system stands like this.
    pub(super) fn update_stands(&self, sn: &Serial, update: Option<UpdateJob>) {
        self.change(sn, |snapshot| snapshot.update = update.map(Arc::new));
        self.0.notices.send(Notice::Reload { sn: sn.to_string() });
    }

    pub(crate) fn may_begin(&self, sn: &Serial, job: &UpdateJob) -> bool {
        self.get(sn).is_some_and(|snapshot| snapshot.may_begin(job))
    }

    /// Updates that wait although their battery could begin, because its main switch is off by now.
    pub(crate) fn ready_updates(&self) -> HashMap<Serial, JobId> {
        let ready = self.0.systems.iter().filter_map(|entry| {
            let job = entry.update.as_ref()?;
            let waits = job.state == JobState::Waiting && entry.facts.update_needs_off;
            let ready = waits && entry.online && entry.may_begin(job);
            ready.then(|| (entry.key().clone(), job.id.clone()))
        });
        ready.collect()
    }

    /// What a system is offered, in the order in which it would be installed.
    pub fn offered(&self, sn: &Serial) -> Vec<Release> {
        let Some(snapshot) = self.get(sn) else {
            return Vec::new();
        };
        let releases = self.releases();
        let offered = releases.offered(sn, &snapshot.facts, self.0.clock.now());
        offered.into_iter().cloned().collect()
    }

    /// The same, named by their parts and numbers: for an answer that is made thousands of times a second.
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

    /// What is rolled out may have changed; if so everybody who looks hears of it. An update that waits for a release that
    /// nobody is to have any more was withdrawn with it.
    pub(crate) async fn read_releases(&self) -> store::Result<()> {
        if self.take_releases(self.0.store.running_releases().await?) {
            for sn in self.waiting_updates() {
                self.update_changed(&sn).await;
            }
            for mut entry in self.0.systems.iter_mut() {
                Arc::make_mut(&mut entry).changed_at = self.0.clock.now();
                self.0.subscribers.tell(entry.key(), &Part::Live);
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

    pub(super) fn take_releases(&self, releases: Releases) -> bool {
        if *self.releases() == releases {
            return false;
        }
        let kept = self.0.releases.write();
        *kept.unwrap_or_else(PoisonError::into_inner) = Arc::new(releases);
        true
    }
}
