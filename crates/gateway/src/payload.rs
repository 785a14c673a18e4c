//! What batteries write: JSON with short names, decoded into the units that are kept. A number that no battery can
//! measure makes the message a reject.
mod answer;
mod event;
mod firmware;
mod hello;
mod settings;

use crate::places::Stamp;
use domain::Sample;
use domain::clock::{DAY, Millis};
use domain::flags::Flags;
use domain::sample::{BatteryStatus, MessageId};
use flate2::read::{DeflateDecoder, ZlibDecoder};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::io::Read;
use std::ops::RangeInclusive;

pub(crate) use answer::answer;
pub(crate) use event::{event, will};
pub(crate) use firmware::firmware;
pub(crate) use hello::hello;
pub(crate) use settings::settings;

/// At most this many samples come in one message.
pub const MAX_HISTORY: usize = 60;
/// What they may take inflated; a real batch has a quarter of it.
const MAX_INFLATED: u64 = 128 * 1024;
/// No uptime is longer than a device lives.
const MAX_UPTIME: Millis = 30 * 366 * DAY;

const VOLTS: RangeInclusive<f64> = 0.0..=1_000.0;
const HERTZ: RangeInclusive<f64> = 0.0..=100.0;
const WATTS: RangeInclusive<f64> = -1e6..=1e6;
const SUN_WATTS: RangeInclusive<f64> = 0.0..=1e6;
const PERCENT: RangeInclusive<f64> = 0.0..=100.0;
const WATT_HOURS: RangeInclusive<f64> = 0.0..=1e12;

/// Why a message cannot be used; kept beside it.
pub type Reason = &'static str;

pub const MALFORMED: Reason = "malformed";
pub const OUT_OF_RANGE: Reason = "out_of_range";
pub const TOO_MANY: Reason = "too_many_samples";
pub const TOO_LARGE: Reason = "too_large";
pub const NOT_DEFLATED: Reason = "not_deflated";
pub const UNKNOWN_CODE: Reason = "unknown_code";
pub const UNKNOWN_ZONE: Reason = "unknown_time_zone";
pub const UNKNOWN_TOPIC: Reason = "unknown_topic";

/// Up to three phases; what is missing was not measured.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Phases([Option<f64>; 3]);

impl<'de> Deserialize<'de> for Phases {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Three;
        impl<'de> Visitor<'de> for Three {
            type Value = Phases;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("at most three numbers")
            }

            fn visit_unit<E>(self) -> Result<Phases, E> {
                Ok(Phases::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Phases, A::Error> {
                let mut phases = Phases::default();
                for phase in &mut phases.0 {
                    match numbers.next_element()? {
                        Some(number) => *phase = number,
                        None => return Ok(phases),
                    }
                }
                // A fourth one would be left over, which is an error of its own.
                Ok(phases)
            }
        }
        deserializer.deserialize_any(Three)
    }
}

/// A sample as it is sent.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Tele {
    #[serde(default)]
    t: Option<Millis>,
    b: u32,
    s: u32,
    u: Millis,
    q: u8,
    #[serde(default)]
    uv: Phases,
    #[serde(default)]
    f: Option<f64>,
    #[serde(default)]
    pp: Phases,
    #[serde(default)]
    pg: Option<f64>,
    #[serde(default)]
    pv: Option<f64>,
    #[serde(default)]
    pb: Option<f64>,
    #[serde(default)]
    soc: Option<f64>,
    #[serde(default)]
    ei: Option<f64>,
    #[serde(default)]
    ee: Option<f64>,
    #[serde(default)]
    ep: Option<f64>,
    #[serde(default)]
    ec: Option<f64>,
    #[serde(default)]
    ed: Option<f64>,
    bs: u8,
    #[serde(default)]
    m1: u16,
    #[serde(default)]
    m2: u16,
    #[serde(default)]
    m3: u16,
    #[serde(default)]
    m5: u16,
    #[serde(default)]
    m6: u16,
}

impl Tele {
    pub(crate) fn parse(payload: &[u8]) -> Result<Self, Reason> {
        serde_json::from_slice(payload).map_err(|_| MALFORMED)
    }

    pub(crate) fn id(&self) -> MessageId {
        MessageId::new(self.b, self.s)
    }

    pub(crate) fn stamp(&self) -> Result<Stamp, Reason> {
        stamp(self.b, self.t, self.u, self.q)
    }

    /// Its time is for the caller to find out.
    pub(crate) fn sample(&self) -> Result<Sample, Reason> {
        Ok(Sample {
            at: 0,
            id: self.id(),
            voltage: phases(self.uv, &VOLTS, 10.0)?,
            frequency: number(self.f, &HERTZ, 100.0)?,
            meter_power: phases(self.pp, &WATTS, 1.0)?,
            grid_power: number(self.pg, &WATTS, 1.0)?,
            pv_power: number(self.pv, &SUN_WATTS, 1.0)?,
            battery_power: number(self.pb, &WATTS, 1.0)?,
            soc: number(self.soc, &PERCENT, 10.0)?,
            counters: [
                counter(self.ei)?,
                counter(self.ee)?,
                counter(self.ep)?,
                counter(self.ec)?,
                counter(self.ed)?,
            ],
            status: BatteryStatus::from_number(self.bs).ok_or(OUT_OF_RANGE)?,
            flags: Flags {
                message1: self.m1,
                message2: self.m2,
                message3: self.m3,
                message5: self.m5,
                message6: self.m6,
            },
        })
    }

    /// As it was sent, for what cannot be placed or used.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn stamp(boot: u32, time: Option<Millis>, uptime: Millis, quality: u8) -> Result<Stamp, Reason> {
    if !(0..=MAX_UPTIME).contains(&uptime) || quality > 2 {
        return Err(OUT_OF_RANGE);
    }
    Ok(Stamp {
        boot,
        time: dated(time),
        uptime,
        quality,
    })
}

/// A clock that shows a time far from any date was never set.
fn dated(time: Option<Millis>) -> Option<Millis> {
    time.filter(|time| (0..=DAY * 366 * 300).contains(time))
}

fn phases(
    values: Phases,
    range: &RangeInclusive<f64>,
    unit: f64,
) -> Result<[Option<i32>; 3], Reason> {
    let [a, b, c] = values.0;
    Ok([
        number(a, range, unit)?,
        number(b, range, unit)?,
        number(c, range, unit)?,
    ])
}

fn number(
    value: Option<f64>,
    range: &RangeInclusive<f64>,
    unit: f64,
) -> Result<Option<i32>, Reason> {
    let Some(value) = value else { return Ok(None) };
    if !range.contains(&value) {
        return Err(OUT_OF_RANGE);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range fits")]
    let kept = (value * unit).round() as i32;
    Ok(Some(kept))
}

fn counter(value: Option<f64>) -> Result<Option<i64>, Reason> {
    let Some(value) = value else { return Ok(None) };
    if !WATT_HOURS.contains(&value) {
        return Err(OUT_OF_RANGE);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range fits")]
    let kept = value.round() as i64;
    Ok(Some(kept))
}

/// Samples kept while offline: a JSON array, deflated with or without zlib's frame.
pub(crate) fn history(payload: &[u8]) -> Result<Vec<Tele>, Reason> {
    let text = inflate(ZlibDecoder::new(payload)).or_else(|reason| match reason {
        TOO_LARGE => Err(TOO_LARGE),
        _ => inflate(DeflateDecoder::new(payload)),
    })?;
    let samples: Vec<Tele> = serde_json::from_slice(&text).map_err(|_| MALFORMED)?;
    if samples.len() > MAX_HISTORY {
        return Err(TOO_MANY);
    }
    Ok(samples)
}

/// A few bytes can say that they are gigabytes: stop early.
fn inflate(source: impl Read) -> Result<Vec<u8>, Reason> {
    let mut text = Vec::new();
    let read = source.take(MAX_INFLATED + 1).read_to_end(&mut text);
    match read {
        Ok(length) if length as u64 > MAX_INFLATED => Err(TOO_LARGE),
        Ok(_) => Ok(text),
        Err(_) => Err(NOT_DEFLATED),
    }
}
