//! What a prediction missed by, as bytes: two in each when they are small, one when they are not, the rare large one
//! escaped, or byte planes when most are large.
use super::super::varint::{self, Reader};
use crate::Result;

/// Says that the value stands in the list behind the bytes.
const ESCAPE: u8 = u8::MAX;
/// How a column's misses are laid out; other numbers are the count of byte planes.
const ESCAPED: u8 = 0;
/// Two to a byte: what follows sees pairs, and may spend less than a bit on each.
const PAIRED: u8 = 9;
/// The escape of half a byte.
const HALF_ESCAPE: u8 = 15;
/// Misses are paired when nearly all are smaller: with larger ones there would be more kinds of pairs than pay.
const SMALL: u8 = 7;

/// The bits that these misses will take, roughly: the entropy of their bytes, and more for each that is large.
pub(super) fn cost(misses: &[i64]) -> f64 {
    let mut seen = [0_u32; 256];
    let mut large = 0.0;
    for miss in misses {
        let folded = varint::zigzag(*miss);
        if folded >= u64::from(ESCAPE) {
            large += f64::from(folded.ilog2());
        }
        seen[folded.min(u64::from(ESCAPE)) as usize] += 1;
    }
    let all = misses.len() as f64;
    let entropy = seen
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) * (all / f64::from(*count)).log2());
    entropy.sum::<f64>() + large
}

pub(super) fn put(out: &mut Vec<u8>, misses: &[i64]) {
    let folded = || misses.iter().map(|miss| varint::zigzag(*miss));
    let beyond = |escape: u8| move |value: &u64| *value >= u64::from(escape);
    let within = |escape: u8| move |value: u64| value.min(u64::from(escape)) as u8;
    let put_large = |out: &mut Vec<u8>, escape: u8| {
        for value in folded().filter(beyond(escape)) {
            varint::put(out, value - u64::from(escape));
        }
    };
    if folded().filter(beyond(SMALL)).count() * 64 <= misses.len() {
        out.push(PAIRED);
        let halves: Vec<u8> = folded().map(within(HALF_ESCAPE)).collect();
        let pair = |pair: &[u8]| pair[0] | pair.get(1).copied().unwrap_or_default() << 4;
        out.extend(halves.chunks(2).map(pair));
        put_large(out, HALF_ESCAPE);
    } else if folded().filter(beyond(ESCAPE)).count() * 8 <= misses.len() {
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

pub(super) fn take(reader: &mut Reader<'_>, count: usize) -> Result<Vec<i64>> {
    match reader.byte()? {
        PAIRED => {
            let halves = reader.bytes(count.div_ceil(2))?.iter();
            let halves = halves.flat_map(|pair| [pair & 15, pair >> 4]).take(count);
            unfold(reader, halves.collect(), HALF_ESCAPE)
        }
        ESCAPED => {
            let bytes = reader.bytes(count)?.to_vec();
            unfold(reader, bytes, ESCAPE)
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

/// Small misses as they are; for each escape the large one that follows.
fn unfold(reader: &mut Reader<'_>, small: Vec<u8>, escape: u8) -> Result<Vec<i64>> {
    let mut misses = Vec::with_capacity(small.len());
    for byte in small {
        misses.push(varint::unzigzag(match byte {
            byte if byte == escape => reader.unsigned()?.wrapping_add(u64::from(escape)),
            byte => u64::from(byte),
        }));
    }
    Ok(misses)
}
