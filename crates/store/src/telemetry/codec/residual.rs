//! What a prediction missed by, as bytes: one each, the rare large one escaped, or byte planes when most are large.
use super::super::varint::{self, Reader};
use crate::Result;

/// Says that the value stands in the list behind the bytes.
const ESCAPE: u8 = u8::MAX;
/// How a column's misses are laid out; other numbers are the count of byte planes.
const ESCAPED: u8 = 0;

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
    let large = folded().filter(|value| *value >= u64::from(ESCAPE)).count();
    if large * 8 <= misses.len() {
        out.push(ESCAPED);
        out.extend(folded().map(|value| u8::try_from(value).unwrap_or(ESCAPE)));
        for value in folded().filter(|value| *value >= u64::from(ESCAPE)) {
            varint::put(out, value - u64::from(ESCAPE));
        }
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
        ESCAPED => {
            let bytes = reader.bytes(count)?;
            let mut misses = Vec::with_capacity(count);
            for byte in bytes {
                misses.push(varint::unzigzag(u64::from(*byte)));
            }
            for (place, _) in bytes
                .iter()
                .enumerate()
                .filter(|(_, byte)| **byte == ESCAPE)
            {
                let folded = reader.unsigned()?.wrapping_add(u64::from(ESCAPE));
                misses[place] = varint::unzigzag(folded);
            }
            Ok(misses)
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
