//! Progress reports of an update, and power cuts that happen at a given progress.
use super::super::PowerCut;
use super::Updater;
use domain::firmware::{Fault, FirmwareReport, Part, Stage};
use tokio::time::Instant;

impl Updater {
    /// `done` of `of` of the present step is complete. Reports each new stage at once, each new percent at a limited rate, and
    /// a heartbeat if nothing changes.
    pub(super) fn progress(&mut self, done: u64, of: u64, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (part, stage) = (task.manifest().part, task.step.stage());
        let percent = stage.percent(done, of);
        self.trigger_cut(part, percent);
        let quiet = now.saturating_duration_since(self.volatile.reported_at);
        let due = match self.volatile.reported {
            Some((said_part, said_stage, said_percent)) => {
                let new_stage = (said_part, said_stage) != (part, stage);
                let new_percent = said_percent != percent && quiet >= self.timing.report_interval();
                new_stage || new_percent || quiet >= self.timing.heartbeat_interval()
            }
            None => true,
        };
        if due {
            self.push_report(stage, percent, None, now);
        }
    }

    pub(super) fn push_report(
        &mut self,
        stage: Stage,
        progress: u8,
        fault: Option<Fault>,
        now: Instant,
    ) {
        let Some(task) = &self.flash.task else { return };
        let (part, version) = (task.manifest().part, task.manifest().version);
        self.reports.push(FirmwareReport {
            job: task.job.clone(),
            part,
            version,
            stage,
            progress,
            fault,
        });
        (self.volatile.reported, self.volatile.reported_at) = (Some((part, stage, progress)), now);
        self.trigger_cut(part, progress);
    }

    fn trigger_cut(&mut self, part: Part, percent: u8) {
        if self.volatile.cut.is_some() {
            return;
        }
        let met = |cut: &PowerCut| cut.part == part && cut.percent <= percent;
        if let Some(index) = self.cuts.iter().position(met) {
            self.volatile.cut = Some(self.cuts.remove(index).lasts);
        }
    }
}

/// The byte at which the next power cut interrupts a download.
pub(super) fn next_cut(cuts: &[PowerCut], part: Part, offset: u64, size: u64) -> Option<u64> {
    let range = Stage::Downloading.range();
    let width = u64::from(range.end() - range.start());
    let of_part = cuts.iter().filter(|cut| cut.part == part);
    of_part
        .filter(|cut| range.contains(&cut.percent))
        .map(|cut| (u64::from(cut.percent - range.start()) * size).div_ceil(width))
        .filter(|byte| *byte > offset)
        .min()
}
