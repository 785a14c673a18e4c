//! Bringing a system into service: what an electrician goes through at the site, and what has to be true before it is done.
//! A step is looked at with what is known of the units now; what it found then has to be the same when everything ends.

mod facts;
mod look;
mod phase_test;
mod reason;

pub use facts::{Facts, MeterTest, Unit, Update};
pub use look::{Look, Record, State, assess, look};
pub use phase_test::{LOAD, PhaseReading, judge, reading, take};
pub use reason::{Finding, Reason};

use crate::Message;
use std::str::FromStr;

/// Units that one commissioning can cover: more than three on each phase nobody installs in one day.
pub const MOST_UNITS: usize = 9;
/// The longest remark that goes into a protocol.
pub const LONGEST_NOTE: usize = 1_000;
/// No house has a larger connection: the most that a limit on feed-in can be, in W.
pub const MOST_EXPORT: i64 = 100_000;

/// What is gone through, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Every unit reports, is on a phase of its own and has no fault.
    Units,
    /// Type and address of the meter, and the battery's own test of it.
    Meter,
    /// A load on each phase shows on that phase, as import.
    Phases,
    /// How much may be charged and discharged, and the notice under §14a EnWG.
    Limits,
    /// How much may be fed in.
    ExportLimit,
    Ups,
    Firmware,
    Customer,
    /// The customer knows how to use it.
    Instruction,
}

impl Step {
    pub const ALL: [Self; 9] = [
        Self::Units,
        Self::Meter,
        Self::Phases,
        Self::Limits,
        Self::ExportLimit,
        Self::Ups,
        Self::Firmware,
        Self::Customer,
        Self::Instruction,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Units => "units",
            Self::Meter => "meter",
            Self::Phases => "phases",
            Self::Limits => "limits",
            Self::ExportLimit => "export_limit",
            Self::Ups => "ups",
            Self::Firmware => "firmware",
            Self::Customer => "customer",
            Self::Instruction => "instruction",
        }
    }
}

impl FromStr for Step {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        if text.is_empty() {
            return Err(Message::Required);
        }
        let known = Self::ALL.into_iter().find(|step| step.as_str() == text);
        known.ok_or(Message::ChoiceUnknown)
    }
}

/// A limit on feed-in as it is typed: in W, and nothing where there is none.
pub fn parse_export_limit(text: &str) -> Result<Option<i64>, Message> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<i64>() {
            Ok(watts) if (0..=MOST_EXPORT).contains(&watts) => Ok(Some(watts)),
            Ok(_) => Err(Message::PowerRange),
            Err(_) => Err(Message::NumberInvalid),
        },
    }
}

/// A remark; there may be none.
pub fn parse_note(text: &str) -> Result<String, Message> {
    let text = text.trim();
    match text.chars().count() > LONGEST_NOTE {
        true => Err(Message::TooLong),
        false => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own() {
        for step in Step::ALL {
            assert_eq!(step.as_str().parse(), Ok(step));
        }
        assert_eq!("".parse::<Step>(), Err(Message::Required));
        assert_eq!("tea".parse::<Step>(), Err(Message::ChoiceUnknown));
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
