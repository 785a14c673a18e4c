//! What the portal hears of an update, and the plug that is pulled when it has come so far.
use super::super::Cut;
use super::Updater;
use domain::firmware::{Fault, FirmwareReport, Part, Stage};
use tokio::time::Instant;

impl Updater {
    /// So much of the present step is done. The portal hears of every stage, of every percent but not too often, and of
    /// nothing new every now and then.
    pub(super) fn progress(&mut self, done: u64, of: u64, now: Instant) {
        let Some(task) = &self.flash.task else { return };
        let (part, stage) = (task.manifest().part, task.step.stage());
        let percent = stage.percent(done, of);
        self.meet_cut(part, percent);
        let quiet = now.saturating_duration_since(self.run.said_at);
        let due = match self.run.said {
            Some((said_part, said_stage, said_percent)) => {
                let new_stage = (said_part, said_stage) != (part, stage);
                let new_percent = said_percent != percent && quiet >= self.pace.report();
                new_stage || new_percent || quiet >= self.pace.heartbeat()
            }
            None => true,
        };
        if due {
            self.say(stage, percent, None, now);
        }
    }

    pub(super) fn say(&mut self, stage: Stage, progress: u8, fault: Option<Fault>, now: Instant) {
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
        (self.run.said, self.run.said_at) = (Some((part, stage, progress)), now);
        self.meet_cut(part, progress);
    }

    fn meet_cut(&mut self, part: Part, percent: u8) {
        if self.run.cut.is_some() {
            return;
        }
        let met = |cut: &Cut| cut.part == part && cut.percent <= percent;
        if let Some(place) = self.cuts.iter().position(met) {
            self.run.cut = Some(self.cuts.remove(place).lasts);
        }
    }
}

/// The byte of a download at which the plug is pulled next.
pub(super) fn next_cut(cuts: &[Cut], part: Part, offset: u64, size: u64) -> Option<u64> {
    let range = Stage::Downloading.range();
    let width = u64::from(range.end() - range.start());
    let of_part = cuts.iter().filter(|cut| cut.part == part);
    of_part
        .filter(|cut| range.contains(&cut.percent))
        .map(|cut| (u64::from(cut.percent - range.start()) * size).div_ceil(width))
        .filter(|byte| *byte > offset)
        .min()
}
