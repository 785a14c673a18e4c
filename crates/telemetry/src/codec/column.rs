//! One column: its predictor, the rows that have a value, and the residuals.
use super::super::columns::MISSING;
use super::super::varint::{self, ByteReader};
use super::content::Content;
use super::predict::{self, Integral, Linear, Remainder, SmoothedLevel};
use super::residual;
use db::Result;

/// No row has a value.
const MISSING_ALL: u8 = 0;
/// The same value in every row.
const CONSTANT: u8 = 1;
/// [`SmoothedLevel`]; `slow`, `drift` and `jump` follow.
const LEVEL: u8 = 2;
/// [`Remainder`] of other columns.
const REMAINDER: u8 = 3;
/// [`Linear`] combination of other columns; its coefficients follow.
const LINEAR: u8 = 4;
/// [`Integral`] of another column's power.
const INTEGRAL: u8 = 5;
/// Flag on the other tags: a bit per row says whether it has a value.
const SPARSE: u8 = 0x80;

/// Other columns that a column may be predicted from. Only columns without missing values are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum PredictorInputs<'a> {
    #[default]
    None,
    /// It grows by about the same from row to row.
    Regular,
    /// It is about the whole minus two parts.
    Remainder(&'a [i64], [&'a [i64]; 2]),
    /// It is about a linear combination of these.
    Linear([&'a [i64]; 3]),
    /// It integrates the positive part of the power (the negative part with sign −1) over these times.
    Integral(&'a [i64], i64, &'a [i64]),
}

/// A larger residual moves a slow level at once.
const JUMP: i64 = 64;

pub(super) fn encode(out: &mut Content, values: &[i64], inputs: PredictorInputs<'_>) {
    let present: Vec<i64>;
    let complete = !values.contains(&MISSING);
    let known = if complete {
        values
    } else {
        present = values.iter().copied().filter(|v| *v != MISSING).collect();
        &present
    };
    let Some(first) = known.first() else {
        out.bytes.push(MISSING_ALL);
        return;
    };
    let tag = out.bytes.len();
    out.bytes.push(0);
    if !complete {
        encode_presence(out, values);
    }
    if known.iter().all(|value| value == first) {
        out.bytes[tag] = CONSTANT;
        varint::put_signed(&mut out.bytes, *first);
    } else {
        let inputs = if complete {
            inputs
        } else {
            PredictorInputs::None
        };
        out.bytes[tag] = encode_predicted(out, known, inputs);
    }
    if !complete {
        out.bytes[tag] |= SPARSE;
    }
}

/// Writes the column with the cheapest predictor and returns its tag.
fn encode_predicted(out: &mut Content, values: &[i64], inputs: PredictorInputs<'_>) -> u8 {
    let mut best = (f64::INFINITY, 0, Vec::new(), Vec::new());
    let mut offer = |tag: u8, parameters: &[i64], residuals: Vec<i64>| {
        let cost = residual::estimated_bits(&residuals);
        if cost < best.0 {
            best = (cost, tag, parameters.to_vec(), residuals);
        }
    };
    let mut level = |slow: u32, drift: i64, jump: i64| {
        let residuals = predict::residuals(SmoothedLevel::new(slow, drift, jump), values);
        offer(LEVEL, &[i64::from(slow), drift, jump], residuals);
    };
    if let PredictorInputs::Regular = inputs {
        let drift = median_change(values);
        for slow in [0, 2, 4] {
            level(slow, drift, drift / 2);
        }
    } else {
        for slow in [0, 1, 2, 3] {
            level(slow, 0, JUMP);
        }
    }
    match inputs {
        PredictorInputs::Remainder(whole, parts) => {
            offer(
                REMAINDER,
                &[],
                predict::residuals(Remainder { whole, parts }, values),
            );
        }
        PredictorInputs::Linear(columns) => {
            if let Some(parts) = fit_linear(columns, values) {
                let residuals = predict::residuals(Linear { columns, parts }, values);
                offer(LINEAR, &parts, residuals);
            }
        }
        PredictorInputs::Integral(power, sign, times) => {
            let model = Integral::new(power, sign, times);
            offer(INTEGRAL, &[], predict::residuals(model, values));
        }
        PredictorInputs::None | PredictorInputs::Regular => {}
    }
    let (_, tag, parameters, residuals) = best;
    for parameter in parameters {
        varint::put_signed(&mut out.bytes, parameter);
    }
    residual::encode(out, &residuals);
    tag
}

pub(super) fn decode(
    reader: &mut ByteReader<'_>,
    rows: usize,
    inputs: PredictorInputs<'_>,
) -> Result<Vec<i64>> {
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
    let values = match (tag & !SPARSE, inputs) {
        (CONSTANT, _) => vec![reader.signed()?; known],
        (LEVEL, _) => {
            let slow = reader.signed_number::<u8>()?;
            let (drift, jump) = (reader.signed()?, reader.signed()?);
            let mut values = residual::decode(reader, known)?;
            predict::restore(
                SmoothedLevel::new(u32::from(slow).min(63), drift, jump),
                &mut values,
            );
            values
        }
        (REMAINDER, PredictorInputs::Remainder(whole, parts)) if known == rows => {
            let mut values = residual::decode(reader, rows)?;
            predict::restore(Remainder { whole, parts }, &mut values);
            values
        }
        (LINEAR, PredictorInputs::Linear(columns)) if known == rows => {
            let mut parts = [0; 4];
            for part in &mut parts {
                *part = reader.signed()?;
            }
            let mut values = residual::decode(reader, rows)?;
            predict::restore(Linear { columns, parts }, &mut values);
            values
        }
        (INTEGRAL, PredictorInputs::Integral(power, sign, times)) if known == rows => {
            let mut values = residual::decode(reader, rows)?;
            predict::restore(Integral::new(power, sign, times), &mut values);
            values
        }
        _ => return Err(reader.damaged()),
    };
    Ok(match presence {
        None => values,
        Some(bits) => expand_missing(values, bits, rows),
    })
}

fn encode_presence(out: &mut Content, values: &[i64]) {
    for rows in values.chunks(8) {
        let bits = rows.iter().enumerate();
        let bits = bits.map(|(index, value)| u8::from(*value != MISSING) << index);
        out.bytes.push(bits.fold(0, |all, bit| all | bit));
    }
}

fn is_present(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

fn count_present(bits: &[u8], rows: usize) -> usize {
    (0..rows).filter(|row| is_present(bits, *row)).count()
}

fn expand_missing(values: Vec<i64>, bits: &[u8], rows: usize) -> Vec<i64> {
    let mut values = values.into_iter();
    (0..rows)
        .map(|row| {
            let value = is_present(bits, row).then(|| values.next());
            value.flatten().unwrap_or(MISSING)
        })
        .collect()
}

/// The median of the changes from row to row.
fn median_change(values: &[i64]) -> i64 {
    let mut changes: Vec<i64> = values
        .windows(2)
        .map(|pair| pair[1].wrapping_sub(pair[0]))
        .collect();
    let middle = changes.len() / 2;
    *changes.select_nth_unstable(middle).1
}

/// Least squares: the coefficients of the columns and a constant that fit the values best.
fn fit_linear(columns: [&[i64]; 3], values: &[i64]) -> Option<[i64; 4]> {
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
    // Slight ridge regularisation prevents a division by zero for a column of zeros (PV at night).
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
    let parts = [0, 1, 2, 3].map(|line| table[line][4] / table[line][line] * Linear::SCALE);
    let sane = parts.iter().all(|part| part.abs() < 1e12);
    sane.then(|| parts.map(|part| part.round() as i64))
}
