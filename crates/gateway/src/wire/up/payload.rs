//! Reading the JSON of a payload, and the reasons why a message cannot be used.
use serde::Deserialize;

/// Why a message cannot be used; stored with the reject.
pub(crate) type RejectReason = &'static str;

pub(super) const MALFORMED: RejectReason = "malformed";
pub(super) const OUT_OF_RANGE: RejectReason = "out_of_range";
pub(super) const TOO_MANY_SAMPLES: RejectReason = "too_many_samples";
pub(super) const TOO_LARGE: RejectReason = "too_large";
pub(super) const NOT_DEFLATED: RejectReason = "not_deflated";
pub(super) const UNKNOWN_CODE: RejectReason = "unknown_code";
pub(super) const UNKNOWN_ZONE: RejectReason = "unknown_time_zone";
pub(super) const UNKNOWN_TOPIC: RejectReason = "unknown_topic";

pub(super) fn parse_json<'a, T: Deserialize<'a>>(payload: &'a [u8]) -> Result<T, RejectReason> {
    serde_json::from_slice(payload).map_err(|_| MALFORMED)
}

pub(super) fn at_most(max_bytes: usize, payload: &[u8]) -> Result<&[u8], RejectReason> {
    match payload.len() <= max_bytes {
        true => Ok(payload),
        false => Err(TOO_LARGE),
    }
}
