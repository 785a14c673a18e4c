//! Samples, as a time-series engine. Recent ones are rows; finished days are sealed into compressed columns, with their totals in
//! extra tables. Readers get the same numbers from either, and a late sample counts at once.

#[macro_use]
extern crate db;

mod aggregate;
mod chart;
mod codec;
mod columns;
mod day_context;
mod forget;
mod history;
mod insert;
mod late_samples;
mod latest;
mod measured_days;
mod pack;
mod quarters;
mod row;
mod seal;
mod sealed_days;
mod sealed_messages;
mod sealed_months;
mod totals;
mod transfer;
mod varint;

pub use day_context::MeasuredSite;
pub use forget::erase_after;
pub use insert::insert;
pub use pack::{pack, unpack};
pub use seal::SEAL_AFTER;
pub use transfer::{boot_offset, first_measured, last_measured, transfer_history};

use db::Db;
use domain::clock::Millis;
use domain::{Series, SiteDay};

/// The samples of all systems. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Telemetry {
    db: Db,
}

impl Telemetry {
    pub fn new(db: Db) -> Self {
        Self { db }
    }
}

/// Series over the same points of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// When each point begins.
    pub time: Vec<Millis>,
    pub lines: Vec<ChartLine>,
}

/// One series of a chart, one value per point; `None` is not measured, never zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartLine {
    pub series: Series,
    /// Decimal places of each value: 2304 with one is 230.4.
    pub decimals: u8,
    pub values: Vec<Option<i64>>,
}

/// The energy of one day in Wh, in the order of `Counter::ALL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayTotals {
    pub day: SiteDay,
    /// Includes `unplaced`; `None` when nothing was measured.
    pub energy: [Option<i64>; 5],
    /// The part that flowed during a gap in the data, so it cannot be assigned to an hour.
    pub unplaced: [i64; 5],
}

impl DayTotals {
    fn missing(day: SiteDay) -> Self {
        Self {
            day,
            energy: [None; 5],
            unplaced: [0; 5],
        }
    }
}
