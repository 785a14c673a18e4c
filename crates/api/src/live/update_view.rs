//! The update of a system, as its live entry shows it.
use domain::firmware::{Part, SwitchStep};
use domain::in_force::UpdateProgress;
use std::sync::Arc;
use store::firmware::UpdateJob;

/// The firmware state of a system.
#[derive(Clone, Debug)]
pub(crate) struct UpdateView {
    /// Offered parts, each with its release.
    pub(super) offered: Vec<(Part, i64)>,
    /// The newest update, if open or recently ended.
    pub(super) job: Option<Arc<UpdateJob>>,
    /// What the update needs done at the main switch.
    pub(super) switch: Option<SwitchStep>,
}

impl UpdateView {
    /// `None` for an update that has ended and needs no further action.
    pub(super) fn progress(&self) -> Option<UpdateProgress> {
        let job = self.job.as_deref()?;
        if !job.state.is_open() && self.switch.is_none() {
            return None;
        }
        let parts = job.parts.len();
        Some(UpdateProgress {
            state: job.state,
            switch: self.switch,
            since: job.created_at,
            part: (parts - job.parts_left() + 1).min(parts),
            parts,
            progress: job.current().map_or(100, |part| part.progress),
        })
    }
}
