//! What a battery can be told to do, and what comes with it.

mod answer;
mod key;
mod state;

pub use answer::{Answer, AnswerCode};
pub use key::{CommandId, CommandKey};
pub use state::{CommandEvent, CommandState, Ended};

use crate::Message;
use crate::clock::{DAY, MINUTE, Millis};
use crate::setting::{Field, Ratings, Value};
use serde_json::{Map, json};

/// A command that was not answered by then is over: nothing acts on it late.
pub const COMMAND_LIFE: Millis = 5 * MINUTE;
/// The battery remembers the last 32 commands it obeyed; far fewer may be open at a time.
pub const MAX_OPEN: usize = 16;
/// How far ahead a battery may be told to rest.
const LONGEST_HOLD: Millis = 7 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    SwitchOn,
    SwitchOff,
    MeterTest,
    Calibrate,
    /// Charge to so many percent, with so many W at most.
    ChargeTo {
        soc: i64,
        power: Option<i64>,
    },
    /// Neither charge nor discharge until then.
    Hold {
        until: Millis,
    },
    /// Back to what the settings say.
    Auto,
    Restart,
}

/// What comes with a command, as it was typed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    pub soc: Option<&'a str>,
    pub power: Option<&'a str>,
    pub until: Option<&'a str>,
}

impl Command {
    pub const NAMES: [&'static str; 8] = [
        "switch_on",
        "switch_off",
        "meter_test",
        "calibrate",
        "charge_to",
        "hold",
        "auto",
        "restart",
    ];

    /// What a form asks for, or every field that is wrong with it.
    pub fn parse(
        name: &str,
        arguments: Arguments<'_>,
        ratings: Ratings,
        now: Millis,
    ) -> Result<Self, Vec<(&'static str, Message)>> {
        match name {
            "switch_on" => Ok(Self::SwitchOn),
            "switch_off" => Ok(Self::SwitchOff),
            "meter_test" => Ok(Self::MeterTest),
            "calibrate" => Ok(Self::Calibrate),
            "charge_to" => charge_to(arguments, ratings),
            "hold" => match until(arguments.until, now) {
                Ok(until) => Ok(Self::Hold { until }),
                Err(message) => Err(vec![("until", message)]),
            },
            "auto" => Ok(Self::Auto),
            "restart" => Ok(Self::Restart),
            "" => Err(vec![("command", Message::Required)]),
            _ => Err(vec![("command", Message::ChoiceUnknown)]),
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::SwitchOn => "switch_on",
            Self::SwitchOff => "switch_off",
            Self::MeterTest => "meter_test",
            Self::Calibrate => "calibrate",
            Self::ChargeTo { .. } => "charge_to",
            Self::Hold { .. } => "hold",
            Self::Auto => "auto",
            Self::Restart => "restart",
        }
    }

    /// What comes with it, as the battery gets it.
    pub fn arguments(self) -> Map<String, serde_json::Value> {
        let arguments = match self {
            Self::ChargeTo { soc, power } => json!({ "soc": soc, "power": power }),
            Self::Hold { until } => json!({ "until": until }),
            _ => json!({}),
        };
        match arguments {
            serde_json::Value::Object(members) => members,
            _ => Map::new(),
        }
    }
}

fn charge_to(
    arguments: Arguments<'_>,
    ratings: Ratings,
) -> Result<Command, Vec<(&'static str, Message)>> {
    // The same numbers as the settings of that meaning have.
    let number = |field: Field, text: &str| match field.parse(text, ratings) {
        Ok(Value::Whole(number)) => Ok(number),
        Ok(_) => Err(Message::NumberInvalid),
        Err(message) => Err(message),
    };
    let soc = number(Field::ReserveSoc, arguments.soc.unwrap_or_default());
    let power = arguments.power.filter(|text| !text.trim().is_empty());
    let power = power
        .map(|text| number(Field::ChargePower, text))
        .transpose();
    match (soc, power) {
        (Ok(soc), Ok(power)) => Ok(Command::ChargeTo { soc, power }),
        (soc, power) => {
            let wrong = [
                soc.err().map(|m| ("soc", m)),
                power.err().map(|m| ("power", m)),
            ];
            Err(wrong.into_iter().flatten().collect())
        }
    }
}

fn until(text: Option<&str>, now: Millis) -> Result<Millis, Message> {
    let text = text.map(str::trim).filter(|text| !text.is_empty());
    let until: Millis = text
        .ok_or(Message::Required)?
        .parse()
        .map_err(|_| Message::NumberInvalid)?;
    let ahead = now + 1..=now + LONGEST_HOLD;
    ahead
        .contains(&until)
        .then_some(until)
        .ok_or(Message::UntilRange)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = 1_794_740_400_000;

    fn parse(
        name: &str,
        arguments: Arguments<'_>,
    ) -> Result<Command, Vec<(&'static str, Message)>> {
        let ratings = Ratings {
            charge: Some(4_600),
            discharge: Some(5_000),
        };
        Command::parse(name, arguments, ratings, NOW)
    }

    #[test]
    fn every_command_is_found_by_its_name() {
        let arguments = Arguments {
            soc: Some("80"),
            power: Some("2000"),
            until: Some("1794744000000"),
        };
        for name in Command::NAMES {
            assert_eq!(parse(name, arguments).unwrap().name(), name);
        }
        let wrong = |name| parse(name, arguments).unwrap_err();
        assert_eq!(wrong("explode"), [("command", Message::ChoiceUnknown)]);
        assert_eq!(wrong(""), [("command", Message::Required)]);
    }

    #[test]
    fn arguments_are_within_their_ranges() {
        let charge = |soc, power| {
            parse(
                "charge_to",
                Arguments {
                    soc: Some(soc),
                    power,
                    until: None,
                },
            )
        };
        let whole = Command::ChargeTo {
            soc: 80,
            power: None,
        };
        assert_eq!(charge("80", None), Ok(whole));
        assert_eq!(charge("80", Some("")), Ok(whole));
        assert_eq!(
            charge("101", Some("9999")).unwrap_err(),
            [("soc", Message::SocRange), ("power", Message::PowerRange)]
        );
        let hold = |until: &str| {
            parse(
                "hold",
                Arguments {
                    until: Some(until),
                    ..Arguments::default()
                },
            )
        };
        let at = |ahead: Millis| (NOW + ahead).to_string();
        assert!(hold(&at(1)).is_ok() && hold(&at(7 * DAY)).is_ok());
        for (text, message) in [
            (at(0), Message::UntilRange),
            (at(7 * DAY + 1), Message::UntilRange),
            (String::new(), Message::Required),
            ("noon".into(), Message::NumberInvalid),
        ] {
            assert_eq!(hold(&text).unwrap_err(), [("until", message)], "{text}");
        }
    }
}
