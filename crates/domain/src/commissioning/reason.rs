//! Why a step is not done: stable codes, each with a text that says what to do next.
use crate::message::text_with;
use crate::{Lang, Serial};
use strum::{EnumString, IntoStaticStr, VariantArray};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum FindingReason {
    // Units.
    OwnersDiffer,
    NotReporting,
    SwitchedOff,
    Fault,
    RotationWrong,
    PhaseTwice,
    // Settings of any step.
    SettingsPending,
    SettingsRefused,
    ChangedSince,
    // The meter and its phases.
    MeterNone,
    MeterSilent,
    MeterUntested,
    MeterFailed,
    PhaseUntested,
    PhaseNotMeasured,
    NotPrepared,
    NoNewReading,
    BatteryBusy,
    NoRise,
    SignReversed,
    PhaseSwapped,
    Unclear,
    // Limits.
    NoticeMissing,
    NoticeUnconfirmed,
    ExportUnstated,
    UpsNotReady,
    UpsUntested,
    // Firmware.
    FirmwareUnknown,
    UpdateWaiting,
    UpdateRunning,
    // People.
    CustomerMissing,
    PlaceMissing,
    NotInstructed,
}

impl FindingReason {
    pub const ALL: &[Self] = Self::VARIANTS;

    pub const fn code(self) -> &'static str {
        self.into_str()
    }

    /// Nothing is wrong: the electrician still has to do or state it.
    pub const fn is_to_do(self) -> bool {
        matches!(
            self,
            Self::MeterUntested
                | Self::PhaseUntested
                | Self::NoticeUnconfirmed
                | Self::ExportUnstated
                | Self::UpsUntested
                | Self::CustomerMissing
                | Self::PlaceMissing
                | Self::NotInstructed
        )
    }

    pub fn of(code: &str) -> Option<Self> {
        code.parse().ok()
    }

    pub const fn at(self, sn: Option<Serial>, phase: Option<u8>) -> Finding {
        Finding {
            reason: self,
            sn,
            phase,
        }
    }

    pub(super) fn of_unit(self, sn: &Serial) -> Finding {
        self.at(Some(sn.clone()), None)
    }

    pub(super) const fn of_phase(self, phase: u8) -> Finding {
        self.at(None, Some(phase))
    }

    pub(super) const fn alone(self) -> Finding {
        self.at(None, None)
    }
}

/// A reason, with the unit and the phase it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub reason: FindingReason,
    pub sn: Option<Serial>,
    pub phase: Option<u8>,
}

impl Finding {
    pub fn text(&self, lang: Lang) -> String {
        let phase = self.phase.map(|phase| phase.to_string());
        let phase = ("phase", phase.as_deref().unwrap_or("?"));
        text_with(lang, "commissioning", self.reason.code(), [phase])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_in_every_language_what_to_do_next() {
        for reason in FindingReason::ALL {
            for lang in Lang::ALL {
                let said = reason.of_phase(2).text(lang);
                assert!(
                    said.len() > 20 && !said.contains("{{"),
                    "{reason:?}: {said}"
                );
            }
            assert_eq!(FindingReason::of(reason.code()), Some(*reason));
        }
    }
}
