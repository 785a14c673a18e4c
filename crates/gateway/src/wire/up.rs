//! Messages of batteries: JSON with short names, converted into the units of the database. A number that no battery can measure
//! makes the message a reject.

mod answer;
mod event;
mod firmware;
mod hello;
mod history;
mod last_will;
mod number;
mod payload;
mod phases;
mod sample;
mod settings;

pub(crate) use event::{EventMessage, EventTime};
pub(crate) use hello::HelloMessage;
pub(crate) use last_will::LastWill;
pub(crate) use payload::RejectReason;
pub(crate) use sample::SampleMessage;

use super::UpTopic;
use answer::AnswerMessage;
use firmware::FirmwareMessage;
use payload::{UNKNOWN_TOPIC, at_most, parse_json};
use settings::SettingsMessage;

/// A message as a battery sends it. Its values are checked when it is converted.
#[derive(Debug)]
pub(crate) enum Up<'a> {
    Hello(HelloMessage),
    /// A live sample.
    Sample(SampleMessage),
    /// Samples that the battery kept while it could not send.
    History(Vec<SampleMessage>),
    Event(EventMessage<'a>),
    LastWill(LastWill),
    Settings(SettingsMessage),
    Answer(AnswerMessage<'a>),
    Firmware(FirmwareMessage<'a>),
}

impl<'a> Up<'a> {
    pub(crate) fn parse(topic: UpTopic<'_>, payload: &'a [u8]) -> Result<Self, RejectReason> {
        Ok(match topic {
            UpTopic::Hello => Self::Hello(parse_json(payload)?),
            UpTopic::Sample => Self::Sample(parse_json(payload)?),
            UpTopic::History => Self::History(history::parse_samples(payload)?),
            UpTopic::Event => Self::Event(parse_json(payload)?),
            UpTopic::Presence => Self::LastWill(LastWill::from_json(payload)?),
            UpTopic::Settings => {
                Self::Settings(parse_json(at_most(settings::MAX_BYTES, payload)?)?)
            }
            UpTopic::Answer => Self::Answer(parse_json(at_most(answer::MAX_BYTES, payload)?)?),
            UpTopic::Firmware => Self::Firmware(parse_json(payload)?),
            UpTopic::Unknown(_) => return Err(UNKNOWN_TOPIC),
        })
    }
}

#[cfg(test)]
mod tests;
