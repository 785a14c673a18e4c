//! Commands to a battery and their arguments.

mod answer;
mod key;
mod state;

pub use answer::{AnswerCode, CommandAnswer};
pub use key::{CommandId, CommandKey};
pub use state::{CommandEnded, CommandEvent, CommandState};

use crate::Message;
use crate::clock::{DAY, MINUTE, Millis};
use crate::setting::{Field, Ratings, Value};
use serde_json::{Map, json};
use strum::{IntoStaticStr, VariantNames};

/// A command without an answer expires after this time. Batteries do not execute an expired command.
pub const COMMAND_TTL: Millis = 5 * MINUTE;
/// Commands that may be open at a time: well below the last 32 executed commands that a battery remembers.
pub const MAX_OPEN_COMMANDS: usize = 16;
/// How far ahead a `hold` may end.
const MAX_HOLD: Millis = 7 * DAY;

#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum Command {
    SwitchOn,
    SwitchOff,
    MeterTest,
    Calibrate,
    /// Charge to `soc` percent, with at most `power` W.
    ChargeTo {
        soc: i64,
        power: Option<i64>,
    },
    /// Neither charge nor discharge before `until`.
    Hold {
        until: Millis,
    },
    /// Return to what the settings say.
    Auto,
    Restart,
}

/// The arguments of a command as typed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    pub soc: Option<&'a str>,
    pub power: Option<&'a str>,
    pub until: Option<&'a str>,
}

impl Command {
    pub const NAMES: &[&str] = Self::VARIANTS;

    /// Parses a form. The error lists every invalid field.
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
        self.into_str()
    }

    /// The arguments as sent to the battery.
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
    // The same ranges as the settings with that meaning.
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
    let ahead = now + 1..=now + MAX_HOLD;
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
            assert_eq!(parse(name, arguments).unwrap().name(), *name);
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
