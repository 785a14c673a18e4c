//! Why a step is not done, as stable codes with a text that says what to do next.
use crate::message::text;
use crate::{Lang, Serial};

macro_rules! reasons {
    ($($reason:ident $code:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason { $($reason),* }

        impl Reason {
            pub const ALL: &[Self] = &[$(Self::$reason),*];

            pub const fn code(self) -> &'static str {
                match self { $(Self::$reason => $code),* }
            }
        }
    };
}

reasons! {
    // Units.
    OwnersDiffer "owners_differ",
    NotReporting "not_reporting",
    SwitchedOff "switched_off",
    Fault "fault",
    RotationWrong "rotation_wrong",
    PhaseTwice "phase_twice",
    // Settings of any step.
    SettingsPending "settings_pending",
    SettingsRefused "settings_refused",
    ChangedSince "changed_since",
    // The meter and its phases.
    MeterNone "meter_none",
    MeterSilent "meter_silent",
    MeterUntested "meter_untested",
    MeterFailed "meter_failed",
    PhaseUntested "phase_untested",
    PhaseNotMeasured "phase_not_measured",
    NotPrepared "not_prepared",
    NoNewReading "no_new_reading",
    BatteryBusy "battery_busy",
    NoRise "no_rise",
    SignReversed "sign_reversed",
    PhaseSwapped "phase_swapped",
    Unclear "unclear",
    // Limits.
    NoticeMissing "notice_missing",
    NoticeUnconfirmed "notice_unconfirmed",
    ExportUnstated "export_unstated",
    UpsNotReady "ups_not_ready",
    UpsUntested "ups_untested",
    // Firmware.
    FirmwareUnknown "firmware_unknown",
    UpdateWaiting "update_waiting",
    UpdateRunning "update_running",
    // People.
    CustomerMissing "customer_missing",
    PlaceMissing "place_missing",
    NotInstructed "not_instructed",
}

impl Reason {
    /// Nothing is wrong: somebody has yet to do or say it.
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
        Self::ALL.iter().copied().find(|known| known.code() == code)
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

/// A reason, and where: at which unit, on which phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub reason: Reason,
    pub sn: Option<Serial>,
    pub phase: Option<u8>,
}

impl Finding {
    pub fn text(&self, lang: Lang) -> String {
        let phase = self.phase.map(|phase| phase.to_string());
        let template = text(lang, "commissioning", self.reason.code());
        template.replace("{{phase}}", phase.as_deref().unwrap_or("?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_says_in_every_language_what_to_do_next() {
        for reason in Reason::ALL {
            for lang in Lang::ALL {
                let said = reason.of_phase(2).text(lang);
                assert!(
                    said.len() > 20 && !said.contains("{{"),
                    "{reason:?}: {said}"
                );
            }
            assert_eq!(Reason::of(reason.code()), Some(*reason));
        }
    }
}
