//! `up/ev`: something that a battery reports once.
use super::number::{device_time, plausible_time};
use super::payload::{RejectReason, TOO_LARGE, UNKNOWN_CODE};
use crate::clock_correction::DeviceTime;
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Event, EventCode};
use serde::{Deserialize, Deserializer};

const MAX_ARGS_BYTES: usize = 1_024;
/// For an event without a clock quality: 2, set over the network.
const DEFAULT_CLOCK_QUALITY: u8 = 2;

#[derive(Debug, Deserialize)]
pub(crate) struct EventMessage<'a> {
    #[serde(rename = "b")]
    boot: u32,
    #[serde(rename = "s")]
    seq: u32,
    #[serde(default, rename = "t")]
    time: Option<Millis>,
    #[serde(default, rename = "u")]
    uptime: Option<Millis>,
    #[serde(default, rename = "q")]
    clock_quality: Option<u8>,
    code: &'a str,
    #[serde(default = "on_by_default", deserialize_with = "yes_or_no")]
    on: bool,
    #[serde(default)]
    args: Option<serde_json::Value>,
}

/// The time information of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventTime {
    Device(DeviceTime),
    /// Only the battery's clock, without the uptime.
    Clock(Millis),
    Missing,
}

impl EventMessage<'_> {
    /// The event, dated by `time_of`.
    pub(crate) fn into_event(
        self,
        time_of: impl FnOnce(EventTime) -> Option<Millis>,
    ) -> Result<Event, RejectReason> {
        let code: EventCode = self.code.parse().map_err(|_| UNKNOWN_CODE)?;
        let args = self.args.filter(|args| !args.is_null());
        // The event is kept whatever its details; an impossible number in them is dropped.
        let args = args.filter(|args| {
            let number = code.number();
            number.is_none_or(|number| number.of(args).is_some())
        });
        let args = args.map(|args| args.to_string());
        if args
            .as_ref()
            .is_some_and(|args| args.len() > MAX_ARGS_BYTES)
        {
            return Err(TOO_LARGE);
        }
        let time = match (self.uptime, plausible_time(self.time)) {
            (Some(uptime), _) => {
                let quality = self.clock_quality.unwrap_or(DEFAULT_CLOCK_QUALITY);
                EventTime::Device(device_time(self.boot, self.time, uptime, quality)?)
            }
            (None, Some(time)) => EventTime::Clock(time),
            (None, None) => EventTime::Missing,
        };
        Ok(Event {
            id: MessageId::new(self.boot, self.seq),
            at: time_of(time),
            code,
            on: self.on,
            args,
        })
    }
}

fn on_by_default() -> bool {
    true
}

/// Accepts `1` and `0`, as everywhere in the device link, and JSON booleans.
fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Bool(bool),
        Number(u8),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Bool(value) => value,
        Either::Number(number) => number != 0,
    })
}
