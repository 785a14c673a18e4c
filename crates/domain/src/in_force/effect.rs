//! Something that acts on a battery until it is over, as it is stored.
use crate::clock::{MINUTE, Millis};
use crate::sample::BatteryStatus;
use crate::{AccountId, Sample};

/// A battery that was told to calibrate says so within this time.
const CALIBRATION_BEGINS_WITHIN: Millis = MINUTE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub kind: EffectKind,
    pub since: Millis,
    /// The person who gave the command or started the update.
    pub by: Option<Author>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub account: AccountId,
    /// Of an electrician.
    pub company: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// The command `hold`.
    Pause {
        until: Millis,
    },
    /// The command `charge_to`.
    Charge {
        soc: i64,
        power: Option<i64>,
    },
    /// The command `calibrate`; the battery itself says whether it does.
    Calibration,
    /// The battery keeps its reserve.
    Reserve {
        soc: Option<i64>,
    },
    GridLimit {
        watts: i64,
    },
    /// The plan that the battery holds: what it does otherwise than following the meter.
    Plan {
        blocks: Vec<PlanBlock>,
        expires: Millis,
    },
    /// Somebody started an update that is open; how far it is the update itself says.
    Update,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanBlock {
    pub start: Millis,
    pub end: Millis,
    pub mode: PlanMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanMode {
    Hold,
    Charge,
}

impl PlanMode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Charge => "charge",
        }
    }
}

impl Effect {
    /// It was begun by a command that `auto` ends.
    pub fn is_command(&self) -> bool {
        matches!(
            self.kind,
            EffectKind::Pause { .. } | EffectKind::Charge { .. }
        )
    }

    /// Whether its time is over, or the battery reports that it is.
    pub fn is_over(&self, sample: Option<&Sample>, now: Millis) -> bool {
        let expired = matches!(self.kind, EffectKind::Pause { until } if until <= now);
        expired || sample.is_some_and(|sample| self.is_ended_by(sample))
    }

    /// Whether this report says that it is over for good: the main switch was turned off, the charge is reached, or it does not
    /// calibrate any more.
    pub fn is_ended_by(&self, sample: &Sample) -> bool {
        if sample.at <= self.since {
            return false;
        }
        let off = !sample.flags.switched_on();
        match self.kind {
            EffectKind::Pause { .. } => off,
            EffectKind::Charge { soc, .. } => {
                off || sample
                    .soc
                    .is_some_and(|reached| i64::from(reached) >= 10 * soc)
            }
            EffectKind::Calibration => {
                sample.status != BatteryStatus::Calibrating
                    && sample.at > self.since + CALIBRATION_BEGINS_WITHIN
            }
            _ => false,
        }
    }
}
