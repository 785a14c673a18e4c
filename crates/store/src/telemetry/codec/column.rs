//! One column: how it is predicted, which rows have it, and what the prediction missed by.
use super::super::columns::MISSING;
use super::super::varint::{self, Reader};
use super::predict::{self, Integral, Level, Mixture, Rest};
use super::residual;
use crate::Result;

/// Nobody measured it.
const MISSING_ALL: u8 = 0;
/// The same in every row.
const CONSTANT: u8 = 1;
/// A level; its slowness, drift and jump follow.
const LEVEL: u8 = 2;
/// What other columns leave over.
const REST: u8 = 3;
/// A mixture of other columns; its parts follow.
const MIXTURE: u8 = 4;
/// A counter of another column's power.
const INTEGRAL: u8 = 5;
/// Added to the others: a bit per row says whether it has a value.
const SPARSE: u8 = 0x80;

/// What a column may be predicted from besides itself. Only columns without missing values are given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Others<'a> {
    #[default]
    None,
    /// It changes by about the same from row to row.
    Regular,
    /// It is the whole less two parts.
    Rest(&'a [i64], [&'a [i64]; 2]),
    /// It goes with these.
    Mixture([&'a [i64]; 3]),
    /// It counts what is positive of the power (or negative, with −1) over these times.
    Integral(&'a [i64], i64, &'a [i64]),
}

/// Beyond this miss a slow level moves at once.
const JUMP: i64 = 64;

pub(super) fn put(out: &mut Vec<u8>, values: &[i64], others: Others<'_>) {
    let present: Vec<i64>;
    let complete = !values.contains(&MISSING);
    let known = if complete {
        values
    } else {
        present = values.iter().copied().filter(|v| *v != MISSING).collect();
        &present
    };
    let Some(first) = known.first() else {
        out.push(MISSING_ALL);
        return;
    };
    let tag = out.len();
    out.push(0);
    if !complete {
        put_presence(out, values);
    }
    if known.iter().all(|value| value == first) {
        out[tag] = CONSTANT;
        varint::put_signed(out, *first);
    } else {
        let others = if complete { others } else { Others::None };
        out[tag] = put_predicted(out, known, others);
    }
    if !complete {
        out[tag] |= SPARSE;
    }
}

/// Writes the cheapest prediction and returns its tag.
fn put_predicted(out: &mut Vec<u8>, values: &[i64], others: Others<'_>) -> u8 {
    let mut best = (f64::INFINITY, 0, Vec::new(), Vec::new());
    let mut offer = |tag: u8, parameters: &[i64], misses: Vec<i64>| {
        let cost = residual::cost(&misses);
        if cost < best.0 {
            best = (cost, tag, parameters.to_vec(), misses);
        }
    };
    let mut level = |slow: u32, drift: i64, jump: i64| {
        let misses = predict::misses(Level::new(slow, drift, jump), values);
        offer(LEVEL, &[i64::from(slow), drift, jump], misses);
    };
    if let Others::Regular = others {
        let drift = usual_change(values);
        for slow in [0, 2, 4] {
            level(slow, drift, drift / 2);
        }
    } else {
        for slow in [0, 1, 2, 3] {
            level(slow, 0, JUMP);
        }
    }
    match others {
        Others::Rest(whole, parts) => {
            offer(REST, &[], predict::misses(Rest { whole, parts }, values));
        }
        Others::Mixture(columns) => {
            if let Some(parts) = mixture(columns, values) {
                let misses = predict::misses(Mixture { columns, parts }, values);
                offer(MIXTURE, &parts, misses);
            }
        }
        Others::Integral(power, sign, times) => {
            let model = Integral::new(power, sign, times);
            offer(INTEGRAL, &[], predict::misses(model, values));
        }
        Others::None | Others::Regular => {}
    }
    let (_, tag, parameters, misses) = best;
    for parameter in parameters {
        varint::put_signed(out, parameter);
    }
    residual::put(out, &misses);
    tag
}

pub(super) fn take(reader: &mut Reader<'_>, rows: usize, others: Others<'_>) -> Result<Vec<i64>> {
    let tag = reader.byte()?;
    if tag == MISSING_ALL {
        return Ok(vec![MISSING; rows]);
    }
    let presence = if tag & SPARSE == 0 {
        None
    } else {
        Some(reader.bytes(rows.div_ceil(8))?)
    };
    let known = presence.map_or(rows, |bits| count_present(bits, rows));
    let values = match (tag & !SPARSE, others) {
        (CONSTANT, _) => vec![reader.signed()?; known],
        (LEVEL, _) => {
            let slow = reader.signed_number::<u8>()?;
            let (drift, jump) = (reader.signed()?, reader.signed()?);
            let mut values = residual::take(reader, known)?;
            predict::restore(
                Level::new(u32::from(slow).min(63), drift, jump),
                &mut values,
            );
            values
        }
        (REST, Others::Rest(whole, parts)) if known == rows => {
            let mut values = residual::take(reader, rows)?;
            predict::restore(Rest { whole, parts }, &mut values);
            values
        }
        (MIXTURE, Others::Mixture(columns)) if known == rows => {
            let mut parts = [0; 4];
            for part in &mut parts {
                *part = reader.signed()?;
            }
            let mut values = residual::take(reader, rows)?;
            predict::restore(Mixture { columns, parts }, &mut values);
            values
        }
        (INTEGRAL, Others::Integral(power, sign, times)) if known == rows => {
            let mut values = residual::take(reader, rows)?;
            predict::restore(Integral::new(power, sign, times), &mut values);
            values
        }
        _ => return Err(reader.damaged()),
    };
    Ok(match presence {
        None => values,
        Some(bits) => spread(values, bits, rows),
    })
}

fn put_presence(out: &mut Vec<u8>, values: &[i64]) {
    for rows in values.chunks(8) {
        let bits = rows.iter().enumerate();
        let bits = bits.map(|(place, value)| u8::from(*value != MISSING) << place);
        out.push(bits.fold(0, |all, bit| all | bit));
    }
}

fn is_present(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

fn count_present(bits: &[u8], rows: usize) -> usize {
    (0..rows).filter(|row| is_present(bits, *row)).count()
}

fn spread(values: Vec<i64>, bits: &[u8], rows: usize) -> Vec<i64> {
    let mut values = values.into_iter();
    (0..rows)
        .map(|row| {
            let value = is_present(bits, row).then(|| values.next());
            value.flatten().unwrap_or(MISSING)
        })
        .collect()
}

/// The middle one of all changes.
fn usual_change(values: &[i64]) -> i64 {
    let mut changes: Vec<i64> = values
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .collect();
    let middle = changes.len() / 2;
    *changes.select_nth_unstable(middle).1
}

/// Least squares: which mixture of the columns, and a constant, comes nearest to the values.
fn mixture(columns: [&[i64]; 3], values: &[i64]) -> Option<[i64; 4]> {
    let mut table = [[0.0_f64; 5]; 4];
    for (row, value) in values.iter().enumerate() {
        let known = [
            columns[0][row] as f64,
            columns[1][row] as f64,
            columns[2][row] as f64,
            1.0,
            *value as f64,
        ];
        for line in 0..4 {
            for place in 0..5 {
                table[line][place] += known[line] * known[place];
            }
        }
    }
    // A trace of ridge keeps a column of nothing but zeros (PV at night) from dividing by zero.
    for (line, values) in table.iter_mut().enumerate() {
        values[line] += 1.0;
    }
    for pivot in 0..4 {
        let divisor = table[pivot][pivot];
        for line in 0..4 {
            if line != pivot {
                let factor = table[line][pivot] / divisor;
                let known = table[pivot];
                for (value, known) in table[line].iter_mut().zip(known) {
                    *value -= factor * known;
                }
            }
        }
    }
    let parts = [0, 1, 2, 3].map(|line| table[line][4] / table[line][line] * Mixture::ONE);
    let sane = parts.iter().all(|part| part.abs() < 1e12);
    sane.then(|| parts.map(|part| part.round() as i64))
}
