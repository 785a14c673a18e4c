//! Residuals of a prediction: the few that are not 0; two per byte when nearly all are small; otherwise a symbol for each, and
//! beside it the lower bits of large ones, which are noise.
use super::super::varint::{self, ByteReader};
use super::content::Content;
use db::Result;

/// Layout byte, only read: one byte per residual; large ones are escaped and follow.
const ESCAPED: u8 = 0;
const ESCAPE: u8 = u8::MAX;
// Layout bytes 1 to 8: the number of byte planes.
/// Layout byte: two residuals per byte. The entropy coder of zstd then sees pairs, and may spend less than a bit on each.
const PAIRED: u8 = 9;
/// The escape of half a byte.
const HALF_ESCAPE: u8 = 15;
/// Residuals are paired when nearly all are smaller. With larger ones there would be too many distinct pairs.
const PAIRED_LIMIT: u64 = 7;
/// Layout byte: the places and values of residuals that are not 0.
const RARE: u8 = 10;
/// Layout byte: a symbol for each residual.
const SYMBOLS: u8 = 11;
/// Smaller numbers are their own symbol. Above, four symbols share each power of two, and the bits below follow.
const FIRST_SHARED_SYMBOL: u8 = 16;
/// Numbers from here on have no symbol.
const SYMBOL_LIMIT: u64 = 1 << 60;

/// The symbol of a number, and how many of its bits it leaves open.
fn symbol_of(number: u64) -> (u8, u32) {
    if number < u64::from(FIRST_SHARED_SYMBOL) {
        return (number as u8, 0);
    }
    let power = number.min(SYMBOL_LIMIT - 1).ilog2();
    let open = power - 2;
    let quarter = (number >> open & 3) as u8;
    let first = FIRST_SHARED_SYMBOL + 4 * (power - FIRST_SHARED_SYMBOL.ilog2()) as u8;
    (first + quarter, open)
}

/// The reverse: the number without its open bits, and how many they are.
fn number_of(symbol: u8) -> (u64, u32) {
    if symbol < FIRST_SHARED_SYMBOL {
        return (u64::from(symbol), 0);
    }
    let above = symbol - FIRST_SHARED_SYMBOL;
    let open = u32::from(above / 4) + FIRST_SHARED_SYMBOL.ilog2() - 2;
    (u64::from(4 | above & 3) << open, open)
}

/// The approximate size of these residuals: the entropy of their symbols, plus the open bits.
pub(super) fn estimated_bits(residuals: &[i64]) -> f64 {
    let mut seen = [0_u32; 256];
    let mut open_bits = 0;
    for residual in residuals {
        let (symbol, open) = symbol_of(varint::zigzag(*residual));
        seen[usize::from(symbol)] += 1;
        open_bits += u64::from(open);
    }
    let all = residuals.len() as f64;
    let entropy = seen
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) * (all / f64::from(*count)).log2());
    entropy.sum::<f64>() + open_bits as f64
}

pub(super) fn encode(out: &mut Content, residuals: &[i64]) {
    let numbers: Vec<u64> = residuals.iter().copied().map(varint::zigzag).collect();
    let at_least = |limit: u64| numbers.iter().filter(|number| **number >= limit).count();
    if at_least(1) * 16 <= numbers.len() {
        encode_rare(&mut out.bytes, &numbers);
    } else if at_least(PAIRED_LIMIT) * 64 <= numbers.len() {
        encode_paired(&mut out.bytes, &numbers);
    } else if at_least(SYMBOL_LIMIT) == 0 {
        encode_symbols(out, &numbers);
    } else {
        encode_planes(&mut out.bytes, &numbers);
    }
}

fn encode_rare(out: &mut Vec<u8>, numbers: &[u64]) {
    let places = || (0_u64..).zip(numbers).filter(|(_, number)| **number > 0);
    out.push(RARE);
    varint::put(out, places().count() as u64);
    let mut next = 0;
    for (place, number) in places() {
        varint::put(out, place - next);
        varint::put(out, *number);
        next = place + 1;
    }
}

fn encode_paired(out: &mut Vec<u8>, numbers: &[u64]) {
    out.push(PAIRED);
    let half = |number: &u64| (*number).min(u64::from(HALF_ESCAPE)) as u8;
    let pair = |pair: &[u64]| half(&pair[0]) | pair.get(1).map(half).unwrap_or_default() << 4;
    out.extend(numbers.chunks(2).map(pair));
    for number in numbers {
        if let Some(above) = number.checked_sub(u64::from(HALF_ESCAPE)) {
            varint::put(out, above);
        }
    }
}

fn encode_symbols(out: &mut Content, numbers: &[u64]) {
    out.bytes.push(SYMBOLS);
    for number in numbers {
        let (symbol, open) = symbol_of(*number);
        out.bytes.push(symbol);
        out.put_bits(*number, open);
    }
}

fn encode_planes(out: &mut Vec<u8>, numbers: &[u64]) {
    let widest = numbers.iter().max().copied().unwrap_or_default();
    let planes = (64 - widest.leading_zeros()).div_ceil(8).max(1);
    out.push(planes as u8);
    for plane in 0..planes {
        out.extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
    }
}

pub(super) fn decode(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<i64>> {
    match reader.byte()? {
        RARE => decode_rare(reader, count),
        PAIRED => {
            let halves = reader.bytes(count.div_ceil(2))?.iter();
            let halves = halves.flat_map(|pair| [pair & 15, pair >> 4]).take(count);
            decode_escaped(reader, halves.collect(), HALF_ESCAPE)
        }
        SYMBOLS => decode_symbols(reader, count),
        ESCAPED => {
            let bytes = reader.bytes(count)?.to_vec();
            decode_escaped(reader, bytes, ESCAPE)
        }
        planes @ 1..=8 => {
            let mut numbers = vec![0_u64; count];
            for plane in 0..planes {
                for (number, byte) in numbers.iter_mut().zip(reader.bytes(count)?) {
                    *number |= u64::from(*byte) << (8 * plane);
                }
            }
            Ok(numbers.into_iter().map(varint::unzigzag).collect())
        }
        _ => Err(reader.damaged()),
    }
}

fn decode_rare(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<i64>> {
    let mut residuals = vec![0; count];
    let mut next = 0_usize;
    for _ in 0..reader.number::<usize>()? {
        let place = next.checked_add(reader.number()?);
        let slot = place.and_then(|place| residuals.get_mut(place));
        *slot.ok_or_else(|| reader.damaged())? = reader.signed()?;
        next = place.map_or(count, |place| place + 1);
    }
    Ok(residuals)
}

fn decode_symbols(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<i64>> {
    let mut residuals = Vec::with_capacity(count);
    for symbol in reader.bytes(count)? {
        let (number, open) = number_of(*symbol);
        let number = match open {
            0 => number,
            _ => number | reader.bits(open)?,
        };
        residuals.push(varint::unzigzag(number));
    }
    Ok(residuals)
}

/// Takes small residuals as they are, and reads a large one for each escape.
fn decode_escaped(reader: &mut ByteReader<'_>, small: Vec<u8>, escape: u8) -> Result<Vec<i64>> {
    let mut residuals = Vec::with_capacity(small.len());
    for byte in small {
        residuals.push(varint::unzigzag(match byte {
            byte if byte == escape => reader.unsigned()?.wrapping_add(u64::from(escape)),
            byte => u64::from(byte),
        }));
    }
    Ok(residuals)
}
