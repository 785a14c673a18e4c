//! Updates that batteries are at work on, kept in memory: each reports every few seconds, and most of what a report needs to
//! know is what the report before it left behind. The database has the last word: whoever writes from what is kept here
//! says how the update stood, and reads it anew if it stands otherwise.
use super::UpdateJob;
use domain::Serial;
use domain::firmware::JobId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const KEPT: usize = 10_000;

/// Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<Serial, UpdateJob>>>);

impl Running {
    pub(super) fn find(&self, sn: &Serial, id: &JobId) -> Option<UpdateJob> {
        self.kept().get(sn).filter(|job| job.id == *id).cloned()
    }

    /// After a report; what has ended is not reported about again.
    pub(super) fn keep(&self, job: &UpdateJob) {
        let mut kept = self.kept();
        if !job.state.is_open() {
            kept.remove(&job.sn);
            return;
        }
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(job.sn.clone(), job.clone());
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Serial, UpdateJob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
