//! An update with its parts, and what its state means for people.
use domain::clock::Millis;
use domain::firmware::{Fault, JobId, JobState, Part, Stage, SwitchStep, Version};
use domain::{Sample, Serial};
use serde::{Deserialize, Serialize};

/// An update in its present state. Processes send it to each other as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateJob {
    pub id: JobId,
    pub sn: Serial,
    /// Increases with each update of a system.
    pub number: i64,
    pub state: JobState,
    pub created_at: Millis,
    /// When the battery last reported.
    pub heard_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    /// The battery was switched on after the update ended.
    pub switched_on_since: bool,
    /// In the order of installation.
    pub parts: Vec<JobPart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPart {
    pub release: i64,
    pub part: Part,
    pub from: Version,
    pub version: Version,
    pub stage: Stage,
    /// 0 to 100.
    pub progress: u8,
    pub fault: Option<Fault>,
    pub ended_at: Option<Millis>,
}

impl UpdateJob {
    /// The part that is being installed or is next; `None` when all are installed.
    pub fn current(&self) -> Option<&JobPart> {
        self.parts
            .iter()
            .find(|part| part.stage != Stage::Confirmed)
    }

    pub fn parts_left(&self) -> usize {
        let left = self
            .parts
            .iter()
            .filter(|part| part.stage != Stage::Confirmed);
        left.count()
    }

    /// Whether a part is installed and the battery has not begun the next one.
    pub fn is_between_parts(&self) -> bool {
        let begins = self
            .current()
            .is_some_and(|part| part.stage == Stage::Waiting);
        begins && self.parts_left() < self.parts.len()
    }

    /// Whether this state may come after the known one. Reports of different gateways arrive in any order.
    pub fn may_follow(&self, known: &Self) -> bool {
        let order = |job: &Self| {
            (
                job.number,
                job.heard_at,
                job.state as u8,
                job.switched_on_since,
            )
        };
        order(self) >= order(known)
    }

    /// What a person has to do at the main switch now.
    pub fn switch_step(&self, needs_off: bool, switched_on: Option<bool>) -> Option<SwitchStep> {
        let step = SwitchStep::of(self.state, self.is_between_parts(), needs_off, switched_on);
        // If it is turned off later, that has nothing to do with the update.
        step.filter(|step| *step != SwitchStep::On || !self.switched_on_since)
    }

    /// Whether this sample is the first to show that the battery is on again after the update.
    pub fn is_switched_on_by(&self, sample: &Sample) -> bool {
        let done = self.state == JobState::Done && !self.switched_on_since;
        let later = self.ended_at.is_some_and(|ended| sample.at > ended);
        done && later && sample.flags.switched_on()
    }

    /// The progress that the wizard shows: the percentage of the present part, or −1 on failure. `offered` are the releases that
    /// the system is offered. If one of them was not in this ended update, the result no longer matters and the progress is 0.
    pub fn wizard_progress(&self, mut offered: impl Iterator<Item = i64>) -> i32 {
        let had = |release: i64| self.parts.iter().any(|part| part.release == release);
        if !self.state.is_open() && offered.any(|release| !had(release)) {
            return 0;
        }
        match (self.state, self.current()) {
            (JobState::Interrupted | JobState::Failed, _) => -1,
            (JobState::Done, _) | (_, None) => 100,
            (_, Some(part)) => i32::from(part.progress),
        }
    }

    pub fn fault(&self) -> Option<Fault> {
        self.parts.iter().find_map(|part| part.fault)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn job(number: i64, heard_at: Millis, state: JobState) -> UpdateJob {
        UpdateJob {
            id: "0123456789abcdef01234567".parse().unwrap(),
            sn: "SC000001".parse().unwrap(),
            number,
            state,
            created_at: 0,
            heard_at: Some(heard_at),
            ended_at: None,
            switched_on_since: false,
            parts: Vec::new(),
        }
    }

    #[test]
    fn a_late_report_does_not_undo_what_came_after_it() {
        let running = job(2, 50, JobState::Running);
        assert!(running.may_follow(&running), "of the same moment");
        assert!(running.may_follow(&job(2, 49, JobState::Interrupted)));
        assert!(running.may_follow(&job(1, 90, JobState::Done)));
        let unheard = UpdateJob {
            heard_at: None,
            ..job(2, 0, JobState::Waiting)
        };
        assert!(running.may_follow(&unheard));
        for later in [
            job(3, 0, JobState::Waiting),
            job(2, 51, JobState::Running),
            job(2, 50, JobState::Interrupted),
            job(2, 50, JobState::Expired),
        ] {
            assert!(!running.may_follow(&later), "{later:?}");
        }
    }
}
