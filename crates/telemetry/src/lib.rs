//! Samples, as a time-series engine. New ones are appended to a log, one row per commit, and kept in memory. Every few minutes they
//! are folded into chunks, which are compressed columns of one system. Finished days are sealed: one row of columns per day, with
//! their totals in extra tables. Readers get the same numbers from all of them, and a late sample counts at once.

#[macro_use]
extern crate db;

#[macro_use]
mod stored_body;

mod aggregate;
mod append;
mod chart;
mod chunks;
mod codec;
mod columns;
mod day_context;
mod fold;
mod forget;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod history;
mod known_messages;
mod late_samples;
mod latest;
mod log;
mod log_format;
mod measured_days;
mod message_ranges;
mod month_objects;
mod month_partitions;
mod new_ranges;
mod old_rows;
mod pack;
mod quarters;
mod row;
mod sample_retention;
mod sample_store;
mod seal;
mod sealed_days;
mod sealed_months;
mod tail;
mod totals;
mod transfer;
mod varint;

pub use append::Append;
pub use day_context::MeasuredSite;
pub use fold::FOLD_INTERVAL;
pub use forget::{erase_after, erase_all};
pub use pack::{pack, unpack};
pub use sample_store::{NotASampleStore, SampleStore, SampleStoreUrl};
pub use seal::SEAL_AFTER;
pub use transfer::{boot_offset, exchange_moment, transfer_history};

use append::LogWriter;
use db::Db;
use domain::clock::Millis;
use domain::{Series, SiteDay};
use known_messages::KnownMessages;
use month_partitions::KnownPartitions;
use new_ranges::NewRanges;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};
use tail::Tail;

/// The samples of all systems. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Telemetry {
    db: Db,
    state: Arc<Mutex<TelemetryState>>,
    /// Held from the start of an append until its commit.
    writer: Arc<tokio::sync::Mutex<LogWriter>>,
    /// Counts the requests to read the logs.
    refreshes_wanted: Arc<AtomicU64>,
    /// The count of requests that have been served.
    refreshes_done: Arc<tokio::sync::Mutex<u64>>,
    /// Where bodies of old months are stored; empty if the operator keeps them in the database.
    sample_store: Arc<OnceLock<SampleStore>>,
}

/// The part of the data that this process keeps in memory. The lock is never held during a query.
#[derive(Debug, Default)]
struct TelemetryState {
    tail: Tail,
    known: KnownMessages,
    new_ranges: NewRanges,
    /// The number of this process's own log.
    own_writer: Option<i64>,
    /// Whether this process is the only writer and has read the logs of earlier ones.
    is_complete: bool,
    folded_at: Millis,
    /// When memory was last searched for samples that nobody asks about.
    turn_began: Millis,
    /// The last row of `sample_log_settled` that was seen.
    settled: i64,
    partitions: KnownPartitions,
}

impl Telemetry {
    pub fn new(db: Db) -> Self {
        Self {
            db,
            state: Arc::default(),
            writer: Arc::default(),
            refreshes_wanted: Arc::default(),
            refreshes_done: Arc::default(),
            sample_store: Arc::default(),
        }
    }
}

impl Telemetry {
    /// Call it once, before anything is read.
    pub fn use_sample_store(&self, store: SampleStore) {
        // A second call would be a programming error; the first store is kept.
        let _ = self.sample_store.set(store);
    }

    pub(crate) fn sample_store(&self) -> db::Result<&SampleStore> {
        let missing = || db::Error::SampleStore("the option --sample-store is missing".to_owned());
        self.sample_store.get().ok_or_else(missing)
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
