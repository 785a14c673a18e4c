//! `up/ev` and `up/pres`: what happened, and that the battery is gone.
use super::{MALFORMED, OUT_OF_RANGE, Reason, TOO_LARGE, UNKNOWN_CODE, dated, stamp};
use crate::places::Stamp;
use domain::clock::Millis;
use domain::event::EventCode;
use domain::sample::MessageId;
use serde::{Deserialize, Deserializer};

const MAX_ARGS: usize = 1_024;

#[derive(Debug, Deserialize)]
struct EventText<'a> {
    b: u32,
    s: u32,
    #[serde(default)]
    t: Option<Millis>,
    #[serde(default)]
    u: Option<Millis>,
    #[serde(default)]
    q: Option<u8>,
    code: &'a str,
    #[serde(default = "begins", deserialize_with = "yes_or_no")]
    on: bool,
    #[serde(default)]
    args: Option<serde_json::Value>,
}

fn begins() -> bool {
    true
}

/// `1` and `0` as everywhere in the link, or JSON's own.
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

/// An event whose time is still to be found out.
#[derive(Debug)]
pub(crate) struct EventMessage {
    pub(crate) id: MessageId,
    pub(crate) time: Option<Millis>,
    /// With its uptime, where it tells.
    pub(crate) stamp: Option<Stamp>,
    pub(crate) code: EventCode,
    pub(crate) on: bool,
    pub(crate) args: Option<String>,
}

pub(crate) fn event(payload: &[u8]) -> Result<EventMessage, Reason> {
    let text: EventText<'_> = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    let code = text.code.parse().map_err(|_| UNKNOWN_CODE)?;
    let args = text.args.filter(|args| !args.is_null());
    let args = args.map(|args| args.to_string());
    if args.as_ref().is_some_and(|args| args.len() > MAX_ARGS) {
        return Err(TOO_LARGE);
    }
    let stamp = match text.u {
        Some(uptime) => Some(stamp(text.b, text.t, uptime, text.q.unwrap_or(2))?),
        None => None,
    };
    Ok(EventMessage {
        id: MessageId::new(text.b, text.s),
        time: dated(text.t),
        stamp,
        code,
        on: text.on,
        args,
    })
}

#[derive(Debug, Deserialize)]
struct PresenceText {
    on: u8,
    b: u32,
}

/// The boot of a last will.
pub(crate) fn will(payload: &[u8]) -> Result<u32, Reason> {
    let text: PresenceText = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    if text.on != 0 {
        return Err(OUT_OF_RANGE);
    }
    Ok(text.b)
}
