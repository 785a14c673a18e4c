//! Commissioning of a system: the steps that an electrician takes at the site, and what must be true at the end. Each step is
//! checked against the present state of the units. Its result must still be the same when the commissioning ends.

mod checks;
mod installation;
mod phase_reading;
mod phase_test;
mod reason;

pub use checks::{CheckRecord, CheckResult, CheckState, assess, check};
pub use installation::{InstallationStatus, InstalledUnit, MeterTestResult, PendingUpdate};
pub use phase_reading::{PhaseReading, phase_reading};
pub use phase_test::{MIN_LOAD_W, measure_phase, phase_rise};
pub use reason::{Finding, FindingReason};

use crate::Message;
use crate::clock::{DAY, Millis};
use crate::names::variants;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Units that one commissioning can cover: nobody installs more than three on each phase in one day.
pub const MAX_UNITS: usize = 9;
/// The longest remark in a protocol, in characters.
pub const MAX_NOTE_LENGTH: usize = 1_000;
/// How long a customer code works, at most.
pub const CUSTOMER_CODE_TTL: Millis = 30 * DAY;
/// The highest feed-in limit: no house has a larger grid connection.
pub const MAX_EXPORT_LIMIT_W: i64 = 100_000;

/// The steps, in this order.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = Message, parse_err_fn = Message::invalid_choice)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommissioningStep {
    /// Every unit reports, has a phase of its own and no fault.
    Units,
    /// Type and address of the meter, and the battery's own test of it.
    Meter,
    /// A load on each phase is measured on that phase, as import.
    Phases,
    /// Limits of charging and discharging, and the notice under §14a EnWG.
    Limits,
    /// Limit of feed-in.
    ExportLimit,
    Ups,
    Firmware,
    Customer,
    /// The customer was shown how to use the system.
    Instruction,
}

impl CommissioningStep {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// Parses a feed-in limit in W. Empty means no limit.
pub fn parse_export_limit(text: &str) -> Result<Option<i64>, Message> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<i64>() {
            Ok(watts) if (0..=MAX_EXPORT_LIMIT_W).contains(&watts) => Ok(Some(watts)),
            Ok(_) => Err(Message::PowerRange),
            Err(_) => Err(Message::NumberInvalid),
        },
    }
}

/// Parses a remark, which may be empty.
pub fn parse_note(text: &str) -> Result<String, Message> {
    let text = text.trim();
    match text.chars().count() > MAX_NOTE_LENGTH {
        true => Err(Message::TooLong),
        false => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own() {
        for step in CommissioningStep::ALL {
            assert_eq!(step.as_str().parse(), Ok(step));
        }
        assert_eq!("".parse::<CommissioningStep>(), Err(Message::Required));
        assert_eq!(
            "tea".parse::<CommissioningStep>(),
            Err(Message::ChoiceUnknown)
        );
    }

    #[test]
    fn a_limit_on_feed_in_is_whole_watts_or_none() {
        for (text, want) in [
            (" ", Ok(None)),
            ("0", Ok(Some(0))),
            (" 7000 ", Ok(Some(7_000))),
            ("7.000", Err(Message::NumberInvalid)),
            ("-1", Err(Message::PowerRange)),
            ("100001", Err(Message::PowerRange)),
        ] {
            assert_eq!(parse_export_limit(text), want, "{text:?}");
        }
    }
}
