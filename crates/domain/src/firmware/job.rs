//! An update that a person started: one or more parts, one after the other.
use crate::clock::{DAY, Millis, SECOND};
use crate::id::random_id;
use crate::names::{unknown, variants};
use strum::{EnumString, IntoStaticStr, VariantArray};

/// A running update without a report for this time counts as interrupted. A later report corrects that.
pub const UPDATE_STALLED_AFTER: Millis = 120 * SECOND;

/// An update that waits this long, before it begins or between two parts, expires.
pub const MAX_UPDATE_WAIT: Millis = 7 * DAY;

random_id!(
    /// The portal's id of an update.
    JobId
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownState, parse_err_fn = unknown)]
pub enum JobState {
    /// The battery has not begun.
    Waiting,
    Running,
    /// It ran, but the battery no longer reports.
    Interrupted,
    /// The battery reported every new version.
    Done,
    /// The battery refused it or rolled back.
    Failed,
    /// Withdrawn before the battery had begun.
    Cancelled,
    /// It waited for longer than [`MAX_UPDATE_WAIT`].
    Expired,
}

impl JobState {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// Whether the battery may still work on it.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Waiting | Self::Running | Self::Interrupted)
    }
}

/// What a person must do at the main switch now: for an update to continue, or for the battery to work again after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum SwitchStep {
    /// Turn it off; then the update begins.
    Off,
    /// Turn it on for 5 to 10 seconds and off again; then the next part begins.
    OnThenOff,
    /// Turn it on; the update is done.
    On,
}

impl SwitchStep {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    /// `needs_off`: the battery updates only with the main switch off. `switched_on` is what it reported last; `None` while it
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

    /// Whether the update waits for this step.
    pub const fn holds_update(self) -> bool {
        matches!(self, Self::Off | Self::OnThenOff)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("unknown update state")]
pub struct UnknownState;

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
            // A battery that cannot be reached must come back first.
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
