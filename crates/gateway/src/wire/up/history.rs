//! `up/hist`: back-fill, a JSON array of samples, deflated with or without the zlib header.
use super::SampleMessage;
use super::payload::{NOT_DEFLATED, RejectReason, TOO_LARGE, TOO_MANY_SAMPLES, parse_json};
use flate2::read::{DeflateDecoder, ZlibDecoder};
use std::io::Read;

const MAX_SAMPLES: usize = 60;
/// Four times the size of a real batch.
const MAX_INFLATED_BYTES: u64 = 128 * 1024;

pub(super) fn parse_samples(payload: &[u8]) -> Result<Vec<SampleMessage>, RejectReason> {
    let text = inflate(ZlibDecoder::new(payload)).or_else(|reason| match reason {
        TOO_LARGE => Err(TOO_LARGE),
        _ => inflate(DeflateDecoder::new(payload)),
    })?;
    let samples: Vec<SampleMessage> = parse_json(&text)?;
    if samples.len() > MAX_SAMPLES {
        return Err(TOO_MANY_SAMPLES);
    }
    Ok(samples)
}

/// Stops at the limit: a few bytes may inflate to gigabytes.
fn inflate(source: impl Read) -> Result<Vec<u8>, RejectReason> {
    let mut text = Vec::new();
    let read = source.take(MAX_INFLATED_BYTES + 1).read_to_end(&mut text);
    match read {
        Ok(length) if length as u64 > MAX_INFLATED_BYTES => Err(TOO_LARGE),
        Ok(_) => Ok(text),
        Err(_) => Err(NOT_DEFLATED),
    }
}
