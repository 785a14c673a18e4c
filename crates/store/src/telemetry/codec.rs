//! A day's samples as compressed columns. Each group of columns stands by itself behind a directory, so that a chart
//! unpacks what it draws and no more.
//!
//! `version, rows, length of each group, groups`; a group is `0, bytes` or `1, length, zstd`. Within a group each column
//! has a tag of its own that says how it is predicted; what is stored is what the prediction missed by.
mod balance;
mod column;
mod predict;
mod residual;
#[cfg(test)]
mod tests;

use super::columns::{Columns, Field, MISSING};
use super::varint::{self, Reader};
use crate::{Error, Result};
use column::Others;
use std::cell::RefCell;
use zstd::zstd_safe::CParameter;

const VERSION: u8 = 2;
const WHAT: &str = "sealed_days.body";
/// More rows than any day has; guards against a damaged count.
const ROWS_AT_MOST: usize = 1 << 18;

/// Columns that are packed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Group {
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

impl Group {
    const COUNT: usize = 9;
    const ALL: [Self; Self::COUNT] = [
        Self::Time,
        Self::Voltage,
        Self::Frequency,
        Self::Pv,
        Self::Power,
        Self::Meter,
        Self::Soc,
        Self::Counters,
        Self::State,
    ];

    fn fields(self) -> &'static [Field] {
        use Field::*;
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

    /// What must be unpacked before it.
    fn needs(self) -> &'static [Self] {
        match self {
            Self::Power => &[Self::Pv],
            Self::Meter | Self::Counters => &[Self::Pv, Self::Power],
            _ => &[],
        }
    }
}

/// What a field may be predicted from, among the columns that are there already.
fn others(columns: &Columns, field: Field) -> Others<'_> {
    let complete = |field: Field| {
        let values = columns.get(field);
        (!values.is_empty() && !values.contains(&MISSING)).then_some(values)
    };
    let counted = |field: Field, sign: i64| match complete(field) {
        Some(power) => Others::Integral(power, sign, &columns.times),
        None => Others::None,
    };
    match field {
        Field::Seq => Others::Regular,
        Field::Import => counted(Field::Grid, 1),
        Field::FeedIn => counted(Field::Grid, -1),
        Field::PvEnergy => counted(Field::Pv, 1),
        Field::Charge => counted(Field::Battery, -1),
        Field::Discharge => counted(Field::Battery, 1),
        Field::Meter1 | Field::Meter2 => {
            let powers = [Field::Grid, Field::Pv, Field::Battery].map(complete);
            match powers {
                [Some(grid), Some(pv), Some(battery)] => Others::Mixture([grid, pv, battery]),
                _ => Others::None,
            }
        }
        Field::Meter3 => match [Field::Grid, Field::Meter1, Field::Meter2].map(complete) {
            [Some(grid), Some(one), Some(two)] => Others::Rest(grid, [one, two]),
            _ => Others::None,
        },
        _ => Others::None,
    }
}

/// Packs samples that are in order.
pub(super) fn encode(columns: &Columns) -> Result<Vec<u8>> {
    let mut lengths = Vec::with_capacity(2 * Group::COUNT);
    let mut packed = Vec::with_capacity(columns.times.len() * 4 + 64);
    for group in Group::ALL {
        let before = packed.len();
        compress(&mut packed, &content(columns, group))?;
        varint::put(&mut lengths, (packed.len() - before) as u64);
    }
    let mut out = vec![VERSION];
    varint::put(&mut out, columns.times.len() as u64);
    out.extend(lengths);
    out.extend(packed);
    Ok(out)
}

fn content(columns: &Columns, group: Group) -> Vec<u8> {
    let mut out = Vec::with_capacity(columns.times.len() * group.fields().len() + 32);
    match group {
        Group::Time => column::put(&mut out, &columns.times, Others::Regular),
        Group::Power => put_power(&mut out, columns),
        _ => {
            for field in group.fields() {
                column::put(&mut out, columns.get(*field), others(columns, *field));
            }
        }
    }
    out
}

/// The columns of a day, those that `wanted` needs; the others stay empty.
pub(super) fn decode(body: &[u8], wanted: &[Field]) -> Result<Columns> {
    let mut reader = Reader::new(body, WHAT);
    if reader.byte()? != VERSION {
        return Err(reader.damaged());
    }
    let rows: usize = reader.number()?;
    if rows > ROWS_AT_MOST {
        return Err(reader.damaged());
    }
    let mut lengths = [0_usize; Group::COUNT];
    for length in &mut lengths {
        *length = reader.number()?;
    }
    let mut asked = [false; Group::COUNT];
    asked[Group::Time as usize] = true;
    for group in Group::ALL {
        if group.fields().iter().any(|field| wanted.contains(field)) {
            asked[group as usize] = true;
            for needed in group.needs() {
                asked[*needed as usize] = true;
            }
        }
    }
    let mut columns = Columns::default();
    for group in Group::ALL {
        let packed = reader.bytes(lengths[group as usize])?;
        if asked[group as usize] {
            take_group(&mut columns, group, packed, rows)?;
        }
    }
    Ok(columns)
}

fn take_group(columns: &mut Columns, group: Group, packed: &[u8], rows: usize) -> Result<()> {
    let content = decompress(packed, rows, group.fields().len().max(1))?;
    let mut reader = Reader::new(&content, WHAT);
    match group {
        Group::Time => {
            let times = column::take(&mut reader, rows, Others::Regular)?;
            if times.contains(&MISSING) || !times.is_sorted() {
                return Err(reader.damaged());
            }
            columns.times = times;
        }
        Group::Power => take_power(columns, &mut reader, rows)?,
        _ => {
            for field in group.fields() {
                let values = column::take(&mut reader, rows, others(columns, *field))?;
                columns.values[*field as usize] = values;
            }
        }
    }
    if group != Group::Counters {
        // The unit stands above the bits of its boot, which nobody sums up.
        let small = group.fields().iter().filter(|field| **field != Field::Boot);
        for field in small {
            check_range(columns.get(*field))?;
        }
    }
    Ok(())
}

/// Nothing but a counter is kept in more than 32 bits, so that sums over damaged bytes do not overflow either.
fn check_range(values: &[i64]) -> Result<()> {
    let fits = |value: &i64| (-(1 << 31)..1 << 32).contains(value) || *value == MISSING;
    match values.iter().all(fits) {
        true => Ok(()),
        false => Err(Error::Damaged(WHAT)),
    }
}

/// One column that is predicted from itself alone.
pub(super) fn put_column(out: &mut Vec<u8>, values: &[i64]) {
    column::put(out, values, Others::None);
}

pub(super) fn take_column(reader: &mut Reader<'_>, rows: usize) -> Result<Vec<i64>> {
    column::take(reader, rows, Others::None)
}

/// How the group of powers begins: each column by itself, or one more than how slowly the house is followed.
const APART: u8 = 0;

fn put_power(out: &mut Vec<u8>, columns: &Columns) {
    let [pv, grid, battery] = [Field::Pv, Field::Grid, Field::Battery].map(|f| columns.get(f));
    let complete = ![pv, grid, battery].iter().any(|c| c.contains(&MISSING));
    let mut best: (f64, u8, [Vec<i64>; 2]) = (f64::INFINITY, APART, Default::default());
    if complete {
        let alone =
            |values: &[i64]| residual::cost(&predict::misses(predict::Level::new(0, 0, 0), values));
        best.0 = alone(grid) + alone(battery);
        for slow in [0, 1, 2] {
            let misses = balance::misses(slow, pv, grid, battery);
            let cost = misses.iter().map(|misses| residual::cost(misses)).sum();
            if cost < best.0 {
                best = (cost, slow as u8 + 1, misses);
            }
        }
    }
    out.push(best.1);
    if best.1 == APART {
        column::put(out, grid, Others::None);
        column::put(out, battery, Others::None);
    } else {
        best.2.iter().for_each(|misses| residual::put(out, misses));
    }
}

fn take_power(columns: &mut Columns, reader: &mut Reader<'_>, rows: usize) -> Result<()> {
    let slow = reader.byte()?;
    let (grid, battery) = if slow == APART {
        let grid = column::take(reader, rows, Others::None)?;
        (grid, column::take(reader, rows, Others::None)?)
    } else {
        let mut grid = residual::take(reader, rows)?;
        let mut battery = residual::take(reader, rows)?;
        let pv = columns.get(Field::Pv);
        balance::restore(u32::from(slow - 1).min(63), pv, &mut grid, &mut battery);
        (grid, battery)
    };
    columns.values[Field::Grid as usize] = grid;
    columns.values[Field::Battery as usize] = battery;
    Ok(())
}

const PLAIN: u8 = 0;
const ZSTD: u8 = 1;
const LEVEL: i32 = 3;
/// What predictions missed by is noise: short repeats in it are chance, and telling of them takes more room than they save
/// (an eighth of a day, measured).
const SHORTEST_REPEAT: u32 = 7;

thread_local! {
    /// Their tables are large: made once for each thread.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

pub(super) fn compress(out: &mut Vec<u8>, content: &[u8]) -> Result<()> {
    let failed = |_| Error::Damaged("zstd does not compress");
    let packed = COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(compressor().map_err(failed)?),
        };
        compressor.compress(content).map_err(failed)
    })?;
    if packed.len() + 3 < content.len() {
        out.push(ZSTD);
        varint::put(out, content.len() as u64);
        out.extend(packed);
    } else {
        out.push(PLAIN);
        out.extend(content);
    }
    Ok(())
}

fn compressor() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.set_parameter(CParameter::MinMatch(SHORTEST_REPEAT))?;
    Ok(compressor)
}

/// A column takes at most ten bytes a row, and a little.
pub(super) fn decompress(packed: &[u8], rows: usize, columns: usize) -> Result<Vec<u8>> {
    let mut reader = Reader::new(packed, WHAT);
    match reader.byte()? {
        PLAIN => Ok(reader.rest().to_vec()),
        ZSTD => {
            let length: usize = reader.number()?;
            if length > columns * (rows * 12 + 64) {
                return Err(reader.damaged());
            }
            let failed = |_| Error::Damaged(WHAT);
            DECOMPRESSOR.with_borrow_mut(|slot| {
                let decompressor = match slot {
                    Some(decompressor) => decompressor,
                    None => slot.insert(zstd::bulk::Decompressor::new().map_err(failed)?),
                };
                decompressor
                    .decompress(reader.rest(), length)
                    .map_err(failed)
            })
        }
        _ => Err(reader.damaged()),
    }
}
