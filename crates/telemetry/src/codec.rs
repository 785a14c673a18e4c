//! A day's samples as compressed columns. Groups of columns are packed separately behind a directory, so that a chart unpacks
//! only what it draws.
//!
//! Layout: `version, rows, length of each group, groups, CRC-32 of all before`. A group is `0, bytes` or `1, length, zstd`,
//! or `2, length, bits` and then one of these. Within a group each column begins with a tag that names its predictor. The
//! residuals of the prediction follow.
mod balance;
mod column;
mod content;
mod predict;
mod residual;
#[cfg(test)]
mod tests;

use crate::columns::{Columns, MISSING, SampleField};
use crate::varint::{self, ByteReader};
use column::PredictorInputs;
pub(crate) use content::{Content, Effort, decompress};
use db::{Error, Result};
use domain::names::variants;
use strum::VariantArray;

const VERSION: u8 = 3;
/// The same without a checksum.
const VERSION_WITHOUT_CHECKSUM: u8 = 2;
const CHECKSUM_BYTES: usize = 4;
const DB_COLUMN: &str = "sealed_days.body";
/// More rows than any day has. Guards against a damaged count.
pub(crate) const MAX_ROWS: usize = 1 << 18;

/// Columns that are packed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
#[repr(u8)]
enum ColumnGroup {
    Time,
    Voltage,
    Frequency,
    Pv,
    Power,
    Meter,
    Soc,
    Counters,
    State,
}

impl ColumnGroup {
    const COUNT: usize = Self::VARIANTS.len();
    const ALL: [Self; Self::COUNT] = variants();

    fn fields(self) -> &'static [SampleField] {
        use SampleField::*;
        match self {
            Self::Time => &[],
            Self::Voltage => &[Voltage1, Voltage2, Voltage3],
            Self::Frequency => &[Frequency],
            Self::Pv => &[Pv],
            Self::Power => &[Grid, Battery],
            Self::Meter => &[Meter1, Meter2, Meter3],
            Self::Soc => &[Soc],
            Self::Counters => &[Import, FeedIn, PvEnergy, Charge, Discharge],
            Self::State => &[
                Boot, Seq, Status, Message1, Message2, Message3, Message5, Message6,
            ],
        }
    }

    /// Groups that must be unpacked first, because its columns are predicted from theirs.
    fn needs(self) -> &'static [Self] {
        match self {
            Self::Power => &[Self::Pv],
            Self::Meter | Self::Counters => &[Self::Pv, Self::Power],
            _ => &[],
        }
    }
}

/// The columns that a field may be predicted from.
fn predictor_inputs(columns: &Columns, field: SampleField) -> PredictorInputs<'_> {
    let complete = |field: SampleField| {
        let values = columns.get(field);
        (!values.is_empty() && !values.contains(&MISSING)).then_some(values)
    };
    let counted = |field: SampleField, sign: i64| match complete(field) {
        Some(power) => PredictorInputs::Integral(power, sign, &columns.times),
        None => PredictorInputs::None,
    };
    match field {
        SampleField::Seq => PredictorInputs::Regular,
        SampleField::Import => counted(SampleField::Grid, 1),
        SampleField::FeedIn => counted(SampleField::Grid, -1),
        SampleField::PvEnergy => counted(SampleField::Pv, 1),
        SampleField::Charge => counted(SampleField::Battery, -1),
        SampleField::Discharge => counted(SampleField::Battery, 1),
        SampleField::Meter1 | SampleField::Meter2 => {
            let powers = [SampleField::Grid, SampleField::Pv, SampleField::Battery].map(complete);
            match powers {
                [Some(grid), Some(pv), Some(battery)] => {
                    PredictorInputs::Linear([grid, pv, battery])
                }
                _ => PredictorInputs::None,
            }
        }
        SampleField::Meter3 => {
            match [SampleField::Grid, SampleField::Meter1, SampleField::Meter2].map(complete) {
                [Some(grid), Some(one), Some(two)] => PredictorInputs::Remainder(grid, [one, two]),
                _ => PredictorInputs::None,
            }
        }
        _ => PredictorInputs::None,
    }
}

/// The samples must be in order.
pub(crate) fn encode(columns: &Columns, effort: Effort) -> Result<Vec<u8>> {
    let mut lengths = Vec::with_capacity(2 * ColumnGroup::COUNT);
    let mut packed = Vec::with_capacity(columns.times.len() * 4 + 64);
    for group in ColumnGroup::ALL {
        let before = packed.len();
        encode_group(columns, group).compress(&mut packed, effort)?;
        varint::put(&mut lengths, (packed.len() - before) as u64);
    }
    let mut out = vec![VERSION];
    varint::put(&mut out, columns.times.len() as u64);
    out.extend(lengths);
    out.extend(packed);
    out.extend(crc32fast::hash(&out).to_le_bytes());
    Ok(out)
}

fn encode_group(columns: &Columns, group: ColumnGroup) -> Content {
    let mut out = Content::with_capacity(columns.times.len() * group.fields().len() + 32);
    match group {
        ColumnGroup::Time => column::encode(&mut out, &columns.times, PredictorInputs::Regular),
        ColumnGroup::Power => encode_power(&mut out, columns),
        _ => {
            for field in group.fields() {
                column::encode(
                    &mut out,
                    columns.get(*field),
                    predictor_inputs(columns, *field),
                );
            }
        }
    }
    out
}

/// Unpacks the columns that `wanted` needs; the others stay empty.
pub(crate) fn decode(body: &[u8], wanted: &[SampleField]) -> Result<Columns> {
    let mut reader = ByteReader::new(checked(body)?, DB_COLUMN);
    reader.byte()?;
    let rows: usize = reader.number()?;
    if rows > MAX_ROWS {
        return Err(reader.damaged());
    }
    let mut lengths = [0_usize; ColumnGroup::COUNT];
    for length in &mut lengths {
        *length = reader.number()?;
    }
    let mut needed = [false; ColumnGroup::COUNT];
    needed[ColumnGroup::Time as usize] = true;
    for group in ColumnGroup::ALL {
        if group.fields().iter().any(|field| wanted.contains(field)) {
            needed[group as usize] = true;
            for other in group.needs() {
                needed[*other as usize] = true;
            }
        }
    }
    let mut columns = Columns::default();
    for group in ColumnGroup::ALL {
        let packed = reader.bytes(lengths[group as usize])?;
        if needed[group as usize] {
            decode_group(&mut columns, group, packed, rows)?;
        }
    }
    match reader.rest().is_empty() {
        true => Ok(columns),
        false => Err(reader.damaged()),
    }
}

/// A body with this content, which need not be valid.
#[cfg(any(test, fuzzing))]
pub(crate) fn complete(content: &[u8]) -> Vec<u8> {
    let mut body = [&[VERSION], content].concat();
    body.extend(crc32fast::hash(&body).to_le_bytes());
    body
}

/// The opposite of [`complete`].
#[cfg(test)]
pub(crate) fn content(body: &[u8]) -> &[u8] {
    &body[1..body.len() - CHECKSUM_BYTES]
}

/// Whether a body is as it was written.
pub(crate) fn check(body: &[u8]) -> Result<()> {
    checked(body).map(drop)
}

/// The body without its checksum, if it is as it was written.
fn checked(body: &[u8]) -> Result<&[u8]> {
    let intact = match body.first() {
        Some(&VERSION) => body
            .split_last_chunk::<CHECKSUM_BYTES>()
            .and_then(|(rest, checksum)| {
                (crc32fast::hash(rest).to_le_bytes() == *checksum).then_some(rest)
            }),
        Some(&VERSION_WITHOUT_CHECKSUM) => Some(body),
        _ => None,
    };
    intact.ok_or(Error::Damaged(DB_COLUMN))
}

fn decode_group(
    columns: &mut Columns,
    group: ColumnGroup,
    packed: &[u8],
    rows: usize,
) -> Result<()> {
    let content = decompress(packed, rows, group.fields().len().max(1))?;
    let mut reader = content.reader(DB_COLUMN);
    match group {
        ColumnGroup::Time => {
            let times = column::decode(&mut reader, rows, PredictorInputs::Regular)?;
            if times.contains(&MISSING) || !times.is_sorted() {
                return Err(reader.damaged());
            }
            columns.times = times;
        }
        ColumnGroup::Power => decode_power(columns, &mut reader, rows)?,
        _ => {
            for field in group.fields() {
                let values = column::decode(&mut reader, rows, predictor_inputs(columns, *field))?;
                columns.values[*field as usize] = values;
            }
        }
    }
    if group != ColumnGroup::Counters {
        // Boot holds the unit number in its upper bits, and is never summed.
        let small = group
            .fields()
            .iter()
            .filter(|field| **field != SampleField::Boot);
        for field in small {
            check_range(columns.get(*field))?;
        }
    }
    Ok(())
}

/// Only counters have more than 32 bits. The check prevents overflow in sums over damaged values.
fn check_range(values: &[i64]) -> Result<()> {
    let fits = |value: &i64| (-(1 << 31)..1 << 32).contains(value) || *value == MISSING;
    match values.iter().all(fits) {
        true => Ok(()),
        false => Err(Error::Damaged(DB_COLUMN)),
    }
}

/// Encodes one column, predicted from itself alone.
pub(crate) fn encode_column(out: &mut Content, values: &[i64]) {
    column::encode(out, values, PredictorInputs::None);
}

pub(crate) fn decode_column(reader: &mut ByteReader<'_>, rows: usize) -> Result<Vec<i64>> {
    column::decode(reader, rows, PredictorInputs::None)
}

/// First byte of the power group: each column is predicted by itself. Other values are `slow + 1` of [`balance::Balance`].
const SEPARATE: u8 = 0;

fn encode_power(out: &mut Content, columns: &Columns) {
    let [pv, grid, battery] =
        [SampleField::Pv, SampleField::Grid, SampleField::Battery].map(|f| columns.get(f));
    let complete = ![pv, grid, battery].iter().any(|c| c.contains(&MISSING));
    let mut best: (f64, u8, [Vec<i64>; 2]) = (f64::INFINITY, SEPARATE, Default::default());
    if complete {
        let alone = |values: &[i64]| {
            residual::estimated_bits(&predict::residuals(
                predict::SmoothedLevel::new(0, 0, 0),
                values,
            ))
        };
        best.0 = alone(grid) + alone(battery);
        for slow in [0, 1, 2] {
            let residuals = balance::residuals(slow, pv, grid, battery);
            let cost = residuals
                .iter()
                .map(|residuals| residual::estimated_bits(residuals))
                .sum();
            if cost < best.0 {
                best = (cost, slow as u8 + 1, residuals);
            }
        }
    }
    out.bytes.push(best.1);
    if best.1 == SEPARATE {
        column::encode(out, grid, PredictorInputs::None);
        column::encode(out, battery, PredictorInputs::None);
    } else {
        best.2
            .iter()
            .for_each(|residuals| residual::encode(out, residuals));
    }
}

fn decode_power(columns: &mut Columns, reader: &mut ByteReader<'_>, rows: usize) -> Result<()> {
    let slow = reader.byte()?;
    let (grid, battery) = if slow == SEPARATE {
        let grid = column::decode(reader, rows, PredictorInputs::None)?;
        (grid, column::decode(reader, rows, PredictorInputs::None)?)
    } else {
        let mut grid = residual::decode(reader, rows)?;
        let mut battery = residual::decode(reader, rows)?;
        let pv = columns.get(SampleField::Pv);
        balance::restore(u32::from(slow - 1).min(63), pv, &mut grid, &mut battery);
        (grid, battery)
    };
    columns.values[SampleField::Grid as usize] = grid;
    columns.values[SampleField::Battery as usize] = battery;
    Ok(())
}
