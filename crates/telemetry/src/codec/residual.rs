//! Residuals of a prediction as bytes: two per byte when nearly all are small, one per byte with rare large ones escaped, or
//! byte planes when many are large.
use super::super::varint::{self, ByteReader};
use db::Result;

/// Marks a value that is stored in the list after the bytes.
const ESCAPE: u8 = u8::MAX;
/// Layout byte: one byte per residual, with escapes. 1 to 8 is the number of byte planes.
const ESCAPED: u8 = 0;
/// Layout byte: two residuals per byte. The entropy coder of zstd then sees pairs, and may spend less than a bit on each.
const PAIRED: u8 = 9;
/// The escape of half a byte.
const HALF_ESCAPE: u8 = 15;
/// Residuals are paired when nearly all are smaller. With larger ones there would be too many distinct pairs.
const PAIRED_LIMIT: u8 = 7;

/// The approximate size of these residuals: the entropy of their bytes, plus the extra bits of large ones.
pub(super) fn estimated_bits(residuals: &[i64]) -> f64 {
    let mut seen = [0_u32; 256];
    let mut large = 0.0;
    for residual in residuals {
        let folded = varint::zigzag(*residual);
        if folded >= u64::from(ESCAPE) {
            large += f64::from(folded.ilog2());
        }
        seen[folded.min(u64::from(ESCAPE)) as usize] += 1;
    }
    let all = residuals.len() as f64;
    let entropy = seen
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) * (all / f64::from(*count)).log2());
    entropy.sum::<f64>() + large
}

pub(super) fn encode(out: &mut Vec<u8>, residuals: &[i64]) {
    let folded = || residuals.iter().map(|residual| varint::zigzag(*residual));
    let beyond = |escape: u8| move |value: &u64| *value >= u64::from(escape);
    let within = |escape: u8| move |value: u64| value.min(u64::from(escape)) as u8;
    let put_large = |out: &mut Vec<u8>, escape: u8| {
        for value in folded().filter(beyond(escape)) {
            varint::put(out, value - u64::from(escape));
        }
    };
    if folded().filter(beyond(PAIRED_LIMIT)).count() * 64 <= residuals.len() {
        out.push(PAIRED);
        let halves: Vec<u8> = folded().map(within(HALF_ESCAPE)).collect();
        let pair = |pair: &[u8]| pair[0] | pair.get(1).copied().unwrap_or_default() << 4;
        out.extend(halves.chunks(2).map(pair));
        put_large(out, HALF_ESCAPE);
    } else if folded().filter(beyond(ESCAPE)).count() * 8 <= residuals.len() {
        out.push(ESCAPED);
        out.extend(folded().map(within(ESCAPE)));
        put_large(out, ESCAPE);
    } else {
        let widest = folded().max().unwrap_or_default();
        let planes = (64 - widest.leading_zeros()).div_ceil(8).max(1);
        out.push(planes as u8);
        for plane in 0..planes {
            out.extend(folded().map(|value| (value >> (8 * plane)) as u8));
        }
    }
}

pub(super) fn decode(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<i64>> {
    match reader.byte()? {
        PAIRED => {
            let halves = reader.bytes(count.div_ceil(2))?.iter();
            let halves = halves.flat_map(|pair| [pair & 15, pair >> 4]).take(count);
            read_escaped(reader, halves.collect(), HALF_ESCAPE)
        }
        ESCAPED => {
            let bytes = reader.bytes(count)?.to_vec();
            read_escaped(reader, bytes, ESCAPE)
        }
        planes @ 1..=8 => {
            let mut folded = vec![0_u64; count];
            for plane in 0..planes {
                for (value, byte) in folded.iter_mut().zip(reader.bytes(count)?) {
                    *value |= u64::from(*byte) << (8 * plane);
                }
            }
            Ok(folded.into_iter().map(varint::unzigzag).collect())
        }
        _ => Err(reader.damaged()),
    }
}

/// Takes small residuals as they are, and reads a large one for each escape.
fn read_escaped(reader: &mut ByteReader<'_>, small: Vec<u8>, escape: u8) -> Result<Vec<i64>> {
    let mut residuals = Vec::with_capacity(small.len());
    for byte in small {
        residuals.push(varint::unzigzag(match byte {
            byte if byte == escape => reader.unsigned()?.wrapping_add(u64::from(escape)),
            byte => u64::from(byte),
        }));
    }
    Ok(residuals)
}
