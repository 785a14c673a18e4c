//! `up/rep`: the settings that a battery works with, and those that it did not take.
use super::{MALFORMED, OUT_OF_RANGE, Reason, TOO_LARGE};
use domain::Settings;
use domain::sample::MessageId;
use domain::setting::{Field, Refusal, SettingsReport};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Every field has a few dozen bytes.
const MAX_REPORT: usize = 8 * 1024;
/// The largest number that every client reads exactly; nobody saves that often.
const MAX_VERSION: i64 = 1 << 53;

#[derive(Debug, Deserialize)]
struct ReportText {
    b: u32,
    s: u32,
    ver: i64,
    #[serde(default)]
    state: Map<String, Value>,
    #[serde(default)]
    err: Map<String, Value>,
}

pub(crate) fn settings(payload: &[u8]) -> Result<SettingsReport, Reason> {
    if payload.len() > MAX_REPORT {
        return Err(TOO_LARGE);
    }
    let text: ReportText = serde_json::from_slice(payload).map_err(|_| MALFORMED)?;
    let refused = text.err.iter().filter_map(|(name, code)| {
        let field: Field = name.parse().ok()?;
        Some((field, Refusal::of(code.as_str()?)))
    });
    Ok(SettingsReport {
        id: MessageId::new(text.b, text.s),
        version: version_number(text.ver)?,
        applied: Settings::from_json(&text.state).map_err(|_| OUT_OF_RANGE)?,
        refused: refused.collect(),
    })
}

pub(super) fn version_number(version: i64) -> Result<i64, Reason> {
    let known = (0..MAX_VERSION).contains(&version);
    known.then_some(version).ok_or(OUT_OF_RANGE)
}
