//! An update that somebody has started: one or more parts, one after the other.
use crate::clock::{Millis, SECOND};
use crate::id::random_id;
use std::str::FromStr;

/// An update that runs and says nothing for so long is interrupted; what comes later repairs it.
pub const STALLED: Millis = 120 * SECOND;

random_id!(
    /// The portal's name for an update.
    JobId
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    /// The battery has not begun.
    Waiting,
    Running,
    /// It ran and says nothing any more.
    Interrupted,
    /// The battery has reported every new version.
    Done,
    /// The battery did not take it, or went back.
    Failed,
    /// Withdrawn before the battery had begun.
    Cancelled,
}

impl JobState {
    pub const ALL: [Self; 6] = [
        Self::Waiting,
        Self::Running,
        Self::Interrupted,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether the battery may still do something about it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Interrupted)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a state of an update")]
pub struct UnknownState;

impl FromStr for JobState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, UnknownState> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == text);
        known.ok_or(UnknownState)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_found_by_its_name() {
        for state in JobState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert!("stuck".parse::<JobState>().is_err());
    }
}
