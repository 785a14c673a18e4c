//! The names of parts, states, stages and switch steps of an update in the API.
use domain::firmware::{JobState, Part, Stage, SwitchStep};
use serde::Serialize;
use store::firmware::UpdateJob;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartName {
    Gateway,
    Master,
    Slave,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StateName {
    Waiting,
    /// The update waits for the main switch; `switch` says how to turn it.
    WaitsForSwitch,
    Running,
    Interrupted,
    Done,
    Failed,
    Cancelled,
    /// The update was not started within seven days.
    Expired,
}

/// `off`: turn it off, then the update starts. `on_then_off`: turn it on for 5 to 10 seconds, then off; the next part then
/// starts. `on`: turn it on, the update is done.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SwitchName {
    Off,
    OnThenOff,
    On,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StageName {
    Waiting,
    Downloading,
    Verifying,
    Installing,
    Rebooting,
    Confirmed,
    Failed,
}

impl From<Part> for PartName {
    fn from(part: Part) -> Self {
        match part {
            Part::Gateway => Self::Gateway,
            Part::Master => Self::Master,
            Part::Slave => Self::Slave,
        }
    }
}

impl From<JobState> for StateName {
    fn from(state: JobState) -> Self {
        match state {
            JobState::Waiting => Self::Waiting,
            JobState::Running => Self::Running,
            JobState::Interrupted => Self::Interrupted,
            JobState::Done => Self::Done,
            JobState::Failed => Self::Failed,
            JobState::Cancelled => Self::Cancelled,
            JobState::Expired => Self::Expired,
        }
    }
}

impl StateName {
    /// An update that is held back by the main switch is shown as waiting for it.
    pub(crate) fn shown(job: &UpdateJob, step: Option<SwitchStep>) -> Self {
        match step.is_some_and(SwitchStep::holds_update) {
            true => Self::WaitsForSwitch,
            false => job.state.into(),
        }
    }
}

impl From<SwitchStep> for SwitchName {
    fn from(step: SwitchStep) -> Self {
        match step {
            SwitchStep::Off => Self::Off,
            SwitchStep::OnThenOff => Self::OnThenOff,
            SwitchStep::On => Self::On,
        }
    }
}

impl From<Stage> for StageName {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Waiting => Self::Waiting,
            Stage::Downloading => Self::Downloading,
            Stage::Verifying => Self::Verifying,
            Stage::Installing => Self::Installing,
            Stage::Rebooting => Self::Rebooting,
            Stage::Confirmed => Self::Confirmed,
            Stage::Failed => Self::Failed,
        }
    }
}
