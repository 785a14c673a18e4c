//! The body of one row of the sample log: the samples of a commit after a checksum.
//!
//! Layout: `version, CRC-32 of the rest, entries`. An entry is `length of the serial number, serial number, time since the
//! previous entry, boot, sequence number, length of the packed sample, packed sample`.
use crate::row;
use crate::varint::{self, ByteReader};
use db::{Error, Result};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};

const VERSION: u8 = 1;
const DB_COLUMN: &str = "sample_log.body";
const HEADER_BYTES: usize = 5;

/// A sample as the log holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub(crate) sn: Serial,
    pub(crate) sample: PackedSample,
}

/// A sample in a third of its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackedSample {
    pub(crate) at: Millis,
    pub(crate) id: MessageId,
    body: Box<[u8]>,
}

impl LogEntry {
    pub(crate) fn new(sn: &Serial, sample: &Sample) -> Self {
        let sample = PackedSample {
            at: sample.at,
            id: sample.id,
            body: row::pack(sample).into_boxed_slice(),
        };
        Self {
            sn: sn.clone(),
            sample,
        }
    }
}

impl PackedSample {
    pub(crate) fn unpack(&self) -> Result<Sample> {
        row::unpack(self.at, self.id, &self.body)
    }
}

pub(crate) fn encode(entries: &[LogEntry]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER_BYTES + 64 * entries.len());
    out.extend([VERSION, 0, 0, 0, 0]);
    let mut before = 0;
    for entry in entries {
        let sn = entry.sn.as_str().as_bytes();
        varint::put(&mut out, sn.len() as u64);
        out.extend(sn);
        let PackedSample { at, id, body } = &entry.sample;
        varint::put_signed(&mut out, at.wrapping_sub(before));
        before = *at;
        varint::put_signed(&mut out, id.stored_boot());
        varint::put(&mut out, u64::from(id.seq));
        varint::put(&mut out, body.len() as u64);
        out.extend(body);
    }
    with_checksum(out)
}

/// Writes the checksum into the header.
fn with_checksum(mut body: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&body[HEADER_BYTES..]);
    body[1..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
    body
}

/// A body with this content, which need not be valid.
#[cfg(any(test, fuzzing))]
pub(crate) fn complete(content: &[u8]) -> Vec<u8> {
    with_checksum([&[VERSION, 0, 0, 0, 0], content].concat())
}

/// The opposite of [`complete`].
#[cfg(test)]
pub(crate) fn content(body: &[u8]) -> &[u8] {
    &body[HEADER_BYTES..]
}

pub(crate) fn decode(body: &[u8]) -> Result<Vec<LogEntry>> {
    let damaged = || Error::Damaged(DB_COLUMN);
    let (header, content) = body.split_at_checked(HEADER_BYTES).ok_or_else(damaged)?;
    if header[0] != VERSION || header[1..] != crc32fast::hash(content).to_le_bytes() {
        return Err(damaged());
    }
    let mut reader = ByteReader::new(content, DB_COLUMN);
    let mut entries = Vec::with_capacity(content.len() / 48);
    let mut at = 0;
    while !reader.rest().is_empty() {
        let length: usize = reader.number()?;
        let sn = std::str::from_utf8(reader.bytes(length)?).map_err(|_| damaged())?;
        at = reader.signed()?.wrapping_add(at);
        let id = MessageId::from_stored(reader.signed()?, i64::from(reader.number::<u32>()?));
        let length: usize = reader.number()?;
        let sample = PackedSample {
            at,
            id: id.ok_or_else(damaged)?,
            body: reader.bytes(length)?.into(),
        };
        let sn = sn.parse().map_err(|_| damaged())?;
        entries.push(LogEntry { sn, sample });
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn entries() -> Vec<LogEntry> {
        let entry = |n: u32| {
            let sample = Sample {
                id: MessageId::new(7, n).with_unit((n % 2) as u8),
                ..testkit::sample(1_700_000_000_000 + i64::from(n % 3) * 10_000, n)
            };
            LogEntry::new(&format!("SC000{n:04}").parse().unwrap(), &sample)
        };
        (0..20).map(entry).collect()
    }

    #[test]
    fn a_row_gives_back_its_samples() {
        let entries = entries();
        assert_eq!(decode(&encode(&entries)).unwrap(), entries);
        assert_eq!(decode(&encode(&[])).unwrap(), []);
    }

    #[test]
    fn times_at_the_ends_of_what_a_number_holds_come_back() {
        let at = |at| {
            let sample = Sample {
                at,
                ..testkit::sample(0, 1)
            };
            LogEntry::new(&"SC000001".parse().unwrap(), &sample)
        };
        let entries = [at(i64::MAX), at(i64::MIN), at(0)];
        assert_eq!(decode(&encode(&entries)).unwrap(), entries);
    }

    proptest! {
        #[test]
        fn a_changed_or_torn_row_is_never_read_as_data(place in 0usize..1_000, bit in 0u8..8, keep in 0usize..1_000) {
            let whole = encode(&entries());
            let mut changed = whole.clone();
            let place = place % changed.len();
            changed[place] ^= 1 << bit;
            prop_assert!(decode(&changed).is_err());
            let torn = &whole[..keep % whole.len()];
            prop_assert!(decode(torn).is_err() || torn.len() == HEADER_BYTES);
        }
    }
}
