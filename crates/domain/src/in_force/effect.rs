//! A stored effect: something that acts on a battery until it ends.
use crate::clock::{MINUTE, Millis};
use crate::sample::BatteryStatus;
use crate::{AccountId, Sample};
use strum::IntoStaticStr;

/// After a `calibrate` command the battery reports calibration within this time.
const CALIBRATION_BEGINS_WITHIN: Millis = MINUTE;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    pub kind: EffectKind,
    pub since: Millis,
    /// Who gave the command or started the update.
    pub by: Option<Author>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub account: AccountId,
    /// The electrician's company.
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
    /// The command `calibrate`; the battery's status shows whether it is calibrating.
    Calibration,
    /// The battery keeps its reserve.
    Reserve {
        soc: Option<i64>,
    },
    GridLimit {
        watts: i64,
    },
    /// The plan that the battery has: the blocks in which it does not just follow the meter.
    Plan {
        blocks: Vec<PlanBlock>,
        expires: Millis,
    },
    /// An open update. The update itself has its progress.
    Update,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanBlock {
    pub start: Millis,
    pub end: Millis,
    pub mode: PlanMode,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum PlanMode {
    Hold,
    Charge,
}

impl PlanMode {
    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

impl Effect {
    /// Whether it comes from a command that `auto` ends.
    pub fn is_command(&self) -> bool {
        matches!(
            self.kind,
            EffectKind::Pause { .. } | EffectKind::Charge { .. }
        )
    }

    /// Whether only a report of the battery ends it. A pause and a plan end by themselves, and an update reports its progress.
    pub fn is_ended_by_reports_only(&self) -> bool {
        match self.kind {
            EffectKind::Charge { .. }
            | EffectKind::Calibration
            | EffectKind::Reserve { .. }
            | EffectKind::GridLimit { .. } => true,
            EffectKind::Pause { .. } | EffectKind::Plan { .. } | EffectKind::Update => false,
        }
    }

    /// Whether it has expired, or the battery reports its end.
    pub fn is_over(&self, sample: Option<&Sample>, now: Millis) -> bool {
        let expired = matches!(self.kind, EffectKind::Pause { until } if until <= now);
        expired || sample.is_some_and(|sample| self.is_ended_by(sample))
    }

    /// Whether this sample shows that it is over for good: the main switch is off, the state of charge is reached, or the battery
    /// no longer calibrates.
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
