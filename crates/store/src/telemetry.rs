//! What batteries measured. Recent samples are rows; days that are over are sealed into compressed columns with their
//! totals beside them. Readers get the same numbers from either, and a late sample is in them at once.

mod aggregate;
mod chart;
mod codec;
mod columns;
mod exchange;
mod forget;
mod history;
mod insert;
mod late;
mod latest;
mod measured;
mod measured_days;
mod messages;
mod month;
pub(crate) mod pack;
mod quarters;
mod row;
mod seal;
mod sealed;
mod totals;
mod varint;

use crate::Access;
use domain::clock::Millis;
use domain::{Series, SiteDay};
pub(crate) use exchange::{boots_before, exchange, first_measured, last_measured};
pub(crate) use insert::insert;
use measured::Site;
pub use seal::SEAL_AFTER;

/// Series over the same points of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// When each point begins.
    pub time: Vec<Millis>,
    pub lines: Vec<Line>,
}

/// One series of a chart, one value per point; `None` is not measured, never zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub series: Series,
    /// How many digits of each value stand behind the point: 2304 with one is 230.4.
    pub decimals: u8,
    pub values: Vec<Option<i64>>,
}

/// The energy of one day in Wh, in the order of `Counter::ALL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayTotals {
    pub day: SiteDay,
    /// All of it; `None` when nothing was measured.
    pub energy: [Option<i64>; 5],
    /// The part that flowed while no data came, so that no hour of the day has it.
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

impl<'a> Site<'a> {
    fn of(access: &'a Access) -> Self {
        Self {
            sn: access.sn(),
            phase: access.phase(),
            zone: access.zone(),
            history_from: access.history_from(),
        }
    }
}
