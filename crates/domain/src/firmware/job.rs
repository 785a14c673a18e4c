//! An update that somebody has started: one or more parts, one after the other.
use crate::clock::{DAY, Millis, SECOND};
use crate::id::random_id;
use std::str::FromStr;

/// An update that runs and says nothing for so long is interrupted; what comes later repairs it.
pub const STALLED: Millis = 120 * SECOND;

/// An update whose battery waits for so long, before it begins or between two parts, expires.
pub const WAITS_AT_MOST: Millis = 7 * DAY;

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
    /// It waited for too long.
    Expired,
}

impl JobState {
    pub const ALL: [Self; 7] = [
        Self::Waiting,
        Self::Running,
        Self::Interrupted,
        Self::Done,
        Self::Failed,
        Self::Cancelled,
        Self::Expired,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
        }
    }

    /// Whether the battery may still do something about it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Interrupted)
    }
}

/// What somebody has to do at the main switch now, for an update to go on or for the battery to work again after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwitchStep {
    /// Turn it off: then the update begins.
    Off,
    /// Turn it on for 5 to 10 seconds and off again: then the next part begins.
    OnThenOff,
    /// Turn it on: the update is done.
    On,
}

impl SwitchStep {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::OnThenOff => "on_then_off",
            Self::On => "on",
        }
    }

    /// `needs_off`: the battery updates only with the main switch off. `switched_on` is what it said last; `None` while it
    /// cannot be reached.
    pub fn of(
        state: JobState,
        between_parts: bool,
        needs_off: bool,
        switched_on: Option<bool>,
    ) -> Option<Self> {
        match (state, switched_on) {
            (JobState::Waiting, Some(true)) if needs_off => Some(Self::Off),
            (JobState::Running, _) if needs_off && between_parts => Some(Self::OnThenOff),
            (JobState::Done, Some(false)) => Some(Self::On),
            _ => None,
        }
    }

    /// Whether the update stands still until it is done.
    pub const fn holds_update(self) -> bool {
        matches!(self, Self::Off | Self::OnThenOff)
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

    #[test]
    fn the_main_switch_is_asked_for_where_the_battery_needs_it() {
        use JobState::{Cancelled, Done, Expired, Failed, Interrupted, Running, Waiting};
        let (on, off) = (Some(true), Some(false));
        let cases = [
            // state, between parts, needs off, switch, what to do
            (Waiting, false, true, on, Some(SwitchStep::Off)),
            (Waiting, false, true, off, None),
            // Who cannot be reached has to come back first.
            (Waiting, false, true, None, None),
            (Waiting, false, false, on, None),
            (Running, false, true, on, None),
            (Running, true, true, on, Some(SwitchStep::OnThenOff)),
            (Running, true, true, off, Some(SwitchStep::OnThenOff)),
            (Running, true, false, on, None),
            (Interrupted, true, true, off, None),
            (Done, false, true, off, Some(SwitchStep::On)),
            (Done, false, false, off, Some(SwitchStep::On)),
            (Done, false, true, on, None),
            (Failed, false, true, off, None),
            (Cancelled, false, true, on, None),
            (Expired, false, true, on, None),
        ];
        for (state, between, needs_off, switch, step) in cases {
            let found = SwitchStep::of(state, between, needs_off, switch);
            assert_eq!(found, step, "{state:?} {between} {needs_off} {switch:?}");
        }
    }
}
