//! The content of the logs, in memory and by system: samples that are durable but not in chunks yet. A process keeps all samples of
//! the log that it appends to. A row of another process's log holds one commit of whatever systems: of those that nobody has asked
//! about lately it keeps only which rows they are in, and reads these rows again when somebody asks.
use crate::log_format::{LogEntry, PackedSample};
use db::Result;
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// A position in the logs: the writer's number and the position in its log, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogId(pub(crate) i64);

impl LogId {
    const POSITION_BITS: u32 = 40;

    pub(crate) const fn new(writer: i64, position: i64) -> Self {
        Self(writer << Self::POSITION_BITS | position)
    }

    pub(crate) const fn writer(self) -> i64 {
        self.0 >> Self::POSITION_BITS
    }

    pub(crate) const fn position(self) -> i64 {
        self.0 & ((1 << Self::POSITION_BITS) - 1)
    }

    /// Whether a position is in the same log, here or before.
    pub(crate) fn covers(self, place: Self) -> bool {
        place.writer() == self.writer() && place <= self
    }
}

/// A sample and its position.
#[derive(Debug)]
pub(crate) struct TailEntry {
    pub(crate) place: LogId,
    pub(crate) sample: PackedSample,
}

/// What of a log is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    All,
    /// Samples of systems in use; of the others where they are.
    InUse,
}

#[derive(Debug, Default)]
struct SystemTail {
    entries: Vec<TailEntry>,
    /// Rows with samples that are not in memory.
    left_out: Vec<LogId>,
}

impl SystemTail {
    fn leave_out(&mut self, place: LogId) {
        if self.left_out.last() != Some(&place) {
            self.left_out.push(place);
        }
    }

    /// Returns whether anything is left.
    fn forget(&mut self, upto: LogId) -> bool {
        self.entries.retain(|one| !upto.covers(one.place));
        self.left_out.retain(|place| !upto.covers(*place));
        !self.entries.is_empty() || !self.left_out.is_empty()
    }
}

/// A system stays in use for two to three turns after somebody has asked about it.
const TURNS_IN_USE: u64 = 2;

#[derive(Debug, Default)]
pub(crate) struct Tail {
    systems: HashMap<Serial, SystemTail>,
    /// Systems that somebody has asked about, and the turn in which it was last.
    in_use: HashMap<Serial, u64>,
    turn: u64,
    /// How far each log was read.
    read_to: HashMap<i64, i64>,
    /// How far each log is known to be folded.
    folded_to: HashMap<i64, i64>,
    /// Up to where the samples of a system no longer count in a log, whether read or not.
    settled: HashMap<Serial, Vec<LogId>>,
}

impl Tail {
    /// Adds a row of a log, unless it is known.
    pub(crate) fn add(
        &mut self,
        place: LogId,
        entries: impl IntoIterator<Item = LogEntry>,
        keep: Keep,
    ) {
        let read_to = self.read_to.entry(place.writer()).or_default();
        if place.position() <= *read_to {
            return;
        }
        *read_to = place.position();
        for LogEntry { sn, sample } in entries {
            let settled = self.settled.get(&sn);
            if settled.is_some_and(|all| all.iter().any(|upto| upto.covers(place))) {
                continue;
            }
            let is_kept = keep == Keep::All || self.in_use.contains_key(&sn);
            let tail = self.systems.entry(sn).or_default();
            match is_kept {
                true => tail.entries.push(TailEntry { place, sample }),
                false => tail.leave_out(place),
            }
        }
    }

    /// From now on samples of these systems are kept. What was left out before is in the rows [`left_out`](Self::left_out).
    pub(crate) fn use_systems<'a>(&mut self, systems: impl IntoIterator<Item = &'a Serial>) {
        for sn in systems {
            self.in_use.insert(sn.clone(), self.turn);
        }
    }

    /// The rows with samples of these systems that are not in memory.
    pub(crate) fn left_out(&self, systems: &[Serial]) -> Vec<LogId> {
        let tails = systems.iter().filter_map(|sn| self.systems.get(sn));
        let places = tails.flat_map(|tail| &tail.left_out).copied();
        let places: BTreeSet<LogId> = places.collect();
        places.into_iter().collect()
    }

    /// Whether samples of this system in this writer's log are not in memory.
    pub(crate) fn leaves_out(&self, sn: &Serial, writer: i64) -> bool {
        let tail = self.systems.get(sn);
        tail.is_some_and(|tail| tail.left_out.iter().any(|place| place.writer() == writer))
    }

    /// Adds what was left out of these rows, in order, about these systems. A row that was not found has been folded meanwhile.
    pub(crate) fn fill(
        &mut self,
        systems: &[Serial],
        rows: &[LogId],
        found: impl IntoIterator<Item = (LogId, Vec<LogEntry>)>,
    ) {
        let wanted: HashSet<&Serial> = systems.iter().collect();
        for (place, entries) in found {
            for LogEntry { sn, sample } in entries {
                if wanted.contains(&sn)
                    && let Some(tail) = self.systems.get_mut(&sn)
                    && tail.left_out.contains(&place)
                {
                    tail.entries.push(TailEntry { place, sample });
                }
            }
        }
        for sn in systems {
            if let Some(tail) = self.systems.get_mut(sn) {
                tail.left_out
                    .retain(|place| rows.binary_search(place).is_err());
            }
        }
    }

    /// Begins the next turn, and frees samples of systems that are no longer in use, except those of our own log.
    pub(crate) fn begin_turn(&mut self, own_writer: Option<i64>) {
        self.turn += 1;
        let turn = self.turn;
        self.in_use.retain(|_, used| turn - *used <= TURNS_IN_USE);
        let is_own = |one: &TailEntry| own_writer == Some(one.place.writer());
        for (sn, tail) in &mut self.systems {
            if self.in_use.contains_key(sn) || tail.entries.iter().all(is_own) {
                continue;
            }
            for one in std::mem::take(&mut tail.entries) {
                match is_own(&one) {
                    true => tail.entries.push(one),
                    false => tail.leave_out(one.place),
                }
            }
        }
    }

    /// How far this writer's log was read.
    pub(crate) fn read_to(&self, writer: i64) -> i64 {
        self.read_to.get(&writer).copied().unwrap_or_default()
    }

    fn all_entries(&self) -> impl Iterator<Item = &TailEntry> {
        self.systems.values().flat_map(|tail| &tail.entries)
    }

    /// How many samples are in memory.
    pub(crate) fn count(&self) -> usize {
        self.systems.values().map(|tail| tail.entries.len()).sum()
    }

    /// How many samples of this writer's log are in memory.
    pub(crate) fn count_of(&self, writer: i64) -> usize {
        let all = self.all_entries();
        all.filter(|one| one.place.writer() == writer).count()
    }

    /// The systems that have samples of this writer's log in memory, in order.
    pub(crate) fn systems_of(&self, writer: i64) -> Vec<Serial> {
        let of_writer = |one: &TailEntry| one.place.writer() == writer;
        let systems = self.systems.iter();
        let systems = systems.filter(|(_, tail)| tail.entries.iter().any(of_writer));
        let mut systems: Vec<Serial> = systems.map(|(sn, _)| sn.clone()).collect();
        systems.sort_unstable();
        systems
    }

    /// The entries of a system that are in memory, in the order in which they were read.
    pub(crate) fn entries(&self, sn: &Serial) -> &[TailEntry] {
        self.systems.get(sn).map_or(&[], |tail| &tail.entries)
    }

    pub(crate) fn ids(&self, sn: &Serial) -> impl Iterator<Item = MessageId> {
        self.entries(sn).iter().map(|one| one.sample.id)
    }

    /// The samples of a time span.
    pub(crate) fn samples(&self, sn: &Serial, span: &Range<Millis>) -> Result<Vec<Sample>> {
        let entries = self.entries(sn).iter();
        let within = entries.filter(|one| span.contains(&one.sample.at));
        within.map(|one| one.sample.unpack()).collect()
    }

    /// Forgets samples of a system up to a position in one log: they are in chunks.
    pub(crate) fn forget(&mut self, sn: &Serial, upto: LogId) {
        if let Some(tail) = self.systems.get_mut(sn)
            && !tail.forget(upto)
        {
            self.systems.remove(sn);
        }
    }

    /// The same, also for samples that were not read yet.
    pub(crate) fn settle(&mut self, sn: &Serial, upto: LogId) {
        self.forget(sn, upto);
        if upto.position() == 0 {
            return;
        }
        self.settled.entry(sn.clone()).or_default().push(upto);
    }

    /// Forgets a log up to a position: it is folded, and its rows are deleted.
    pub(crate) fn forget_folded(&mut self, upto: LogId) {
        let folded_to = self.folded_to.entry(upto.writer()).or_default();
        if upto.position() <= *folded_to {
            return;
        }
        *folded_to = upto.position();
        let read_to = self.read_to.entry(upto.writer()).or_default();
        *read_to = (*read_to).max(upto.position());
        self.settled.retain(|_, marks| {
            marks.retain(|mark| !upto.covers(*mark));
            !marks.is_empty()
        });
        self.systems.retain(|_, tail| tail.forget(upto));
    }

    /// The first position of this writer that is still in memory.
    pub(crate) fn first_of(&self, writer: i64) -> Option<LogId> {
        let places = self.all_entries().map(|one| one.place);
        places.filter(|place| place.writer() == writer).min()
    }
}

#[cfg(test)]
mod tests;
