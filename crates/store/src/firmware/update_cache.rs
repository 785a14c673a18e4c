//! Cache of the updates that batteries are working on. Each battery reports every few seconds, and handling a report mostly needs
//! the state that the previous report left. The database stays authoritative: writes from this cache are conditional on the
//! cached state (optimistic locking), and the update is read again if they fail.
use super::UpdateJob;
use domain::Serial;
use domain::firmware::JobId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MAX_CACHED_UPDATES: usize = 10_000;

#[derive(Clone, Debug, Default)]
pub(crate) struct UpdateCache(Arc<Mutex<HashMap<Serial, UpdateJob>>>);

impl UpdateCache {
    pub(super) fn find(&self, sn: &Serial, id: &JobId) -> Option<UpdateJob> {
        self.lock().get(sn).filter(|job| job.id == *id).cloned()
    }

    /// Called after a report. An update that has ended is removed, because no more reports about it follow.
    pub(super) fn insert(&self, job: &UpdateJob) {
        let mut updates = self.lock();
        if !job.state.is_open() {
            updates.remove(&job.sn);
            return;
        }
        if updates.len() >= MAX_CACHED_UPDATES {
            updates.clear();
        }
        updates.insert(job.sn.clone(), job.clone());
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Serial, UpdateJob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
