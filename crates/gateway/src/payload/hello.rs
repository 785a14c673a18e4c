//! `up/hello`: what a battery says about itself.
use super::settings::version_number;
use super::{MALFORMED, OUT_OF_RANGE, Reason, SUN_WATTS, UNKNOWN_ZONE, counter, number, stamp};
use crate::places::Stamp;
use domain::Hello;
use domain::clock::Millis;
use domain::hello::Versions;
use domain::sample::MessageId;
use serde::Deserialize;

const MAX_TEXT: usize = 64;

#[derive(Debug, Deserialize)]
struct HelloText {
    b: u32,
    s: u32,
    #[serde(default)]
    t: Option<Millis>,
    u: Millis,
    q: u8,
    hw: String,
    phase: u8,
    cap: f64,
    pcmax: f64,
    pdmax: f64,
    tz: String,
    #[serde(default)]
    fw: FirmwareText,
    #[serde(default)]
    rep_ver: i64,
}

#[derive(Debug, Default, Deserialize)]
struct FirmwareText {
    #[serde(default)]
    m: Option<String>,
    #[serde(default)]
    g: Option<String>,
    #[serde(default)]
    sl: Option<String>,
    #[serde(default)]
    off: Option<u8>,
}

pub(crate) fn hello(payload: &[u8]) -> Result<(Hello, Stamp), Reason> {
    let text: HelloText = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    // A part that is not there has no version, however that is written.
    let version = |version: Option<String>| match version.filter(|text| !text.is_empty()) {
        Some(version) if !is_plain(&version) => Err(OUT_OF_RANGE),
        version => Ok(version),
    };
    if !(1..=3).contains(&text.phase) || !is_plain(&text.hw) {
        return Err(OUT_OF_RANGE);
    }
    let hello = Hello {
        id: MessageId::new(text.b, text.s),
        capacity: counter(Some(text.cap))?.unwrap_or(0),
        charge_max: rated(text.pcmax)?,
        discharge_max: rated(text.pdmax)?,
        zone: text.tz.parse().map_err(|_| UNKNOWN_ZONE)?,
        versions: Versions {
            master: version(text.fw.m)?,
            gateway: version(text.fw.g)?,
            slave: version(text.fw.sl)?,
        },
        // The specification's kind updates with the main switch off, which is right for every battery that says nothing else.
        update_needs_off: text.fw.off != Some(0),
        phase: text.phase,
        hardware: text.hw,
        settings_version: version_number(text.rep_ver)?,
    };
    Ok((hello, stamp(text.b, text.t, text.u, text.q)?))
}

fn rated(watts: f64) -> Result<i64, Reason> {
    Ok(i64::from(
        number(Some(watts), &SUN_WATTS, 1.0)?.unwrap_or(0),
    ))
}

/// Names and versions are shown to people: short, printable, one line.
fn is_plain(text: &str) -> bool {
    (1..=MAX_TEXT).contains(&text.len()) && text.chars().all(|c| !c.is_control())
}
