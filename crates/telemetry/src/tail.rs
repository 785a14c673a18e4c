//! The content of the logs, in memory and by system: samples that are durable but not in chunks yet.
use crate::log_format::{LogEntry, PackedSample};
use db::Result;
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::HashMap;
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

#[derive(Debug, Default)]
pub(crate) struct Tail {
    systems: HashMap<Serial, Vec<TailEntry>>,
    /// How far each log was read.
    read_to: HashMap<i64, i64>,
    /// How far each log is known to be folded.
    folded_to: HashMap<i64, i64>,
    /// Up to where the samples of a system no longer count in a log, whether read or not.
    settled: HashMap<Serial, Vec<LogId>>,
}

impl Tail {
    /// Adds a row of a log, unless it is known.
    pub(crate) fn add(&mut self, place: LogId, entries: impl IntoIterator<Item = LogEntry>) {
        let read_to = self.read_to.entry(place.writer()).or_default();
        if place.position() <= *read_to {
            return;
        }
        *read_to = place.position();
        for LogEntry { sn, sample } in entries {
            let settled = self.settled.get(&sn);
            if !settled.is_some_and(|all| all.iter().any(|upto| upto.covers(place))) {
                let tail = self.systems.entry(sn).or_default();
                tail.push(TailEntry { place, sample });
            }
        }
    }

    /// How far this writer's log was read.
    pub(crate) fn read_to(&self, writer: i64) -> i64 {
        self.read_to.get(&writer).copied().unwrap_or_default()
    }

    /// How many samples of this writer's log are in memory.
    pub(crate) fn count_of(&self, writer: i64) -> usize {
        let all = self.systems.values().flatten();
        all.filter(|one| one.place.writer() == writer).count()
    }

    /// The systems that have samples in the log of this writer, in order.
    pub(crate) fn systems_of(&self, writer: i64) -> Vec<Serial> {
        let of_writer = |tail: &[TailEntry]| tail.iter().any(|one| one.place.writer() == writer);
        let systems = self.systems.iter().filter(|(_, tail)| of_writer(tail));
        let mut systems: Vec<Serial> = systems.map(|(sn, _)| sn.clone()).collect();
        systems.sort_unstable();
        systems
    }

    /// The entries of a system, in the order in which they were read.
    pub(crate) fn entries(&self, sn: &Serial) -> &[TailEntry] {
        self.systems.get(sn).map_or(&[], Vec::as_slice)
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
        if let Some(tail) = self.systems.get_mut(sn) {
            tail.retain(|one| !upto.covers(one.place));
            if tail.is_empty() {
                self.systems.remove(sn);
            }
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
        self.systems.retain(|_, tail| {
            tail.retain(|one| !upto.covers(one.place));
            !tail.is_empty()
        });
    }

    /// The first position of this writer that is still in memory.
    pub(crate) fn first_of(&self, writer: i64) -> Option<LogId> {
        let places = self.systems.values().flatten().map(|one| one.place);
        places.filter(|place| place.writer() == writer).min()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn entry(sn: &str, seq: u32) -> LogEntry {
        let sample = testkit::sample(i64::from(seq) * 10, seq);
        LogEntry::new(&sn.parse().unwrap(), &sample)
    }

    #[test]
    fn a_row_that_was_read_twice_counts_once() {
        let mut tail = Tail::default();
        let sn: Serial = "SC0001".parse().unwrap();
        tail.add(LogId::new(3, 1), [entry("SC0001", 1), entry("SC0002", 1)]);
        tail.add(LogId::new(3, 1), [entry("SC0001", 1)]);
        tail.add(LogId::new(3, 2), [entry("SC0001", 2)]);
        assert_eq!(tail.samples(&sn, &(0..100)).unwrap().len(), 2);
        assert_eq!(tail.samples(&sn, &(15..100)).unwrap().len(), 1);
        assert_eq!(tail.count_of(3), 3);
    }

    #[test]
    fn settled_samples_do_not_count_even_if_they_are_read_later() {
        let mut tail = Tail::default();
        let sn: Serial = "SC0001".parse().unwrap();
        tail.add(LogId::new(3, 1), [entry("SC0001", 1)]);
        tail.settle(&sn, LogId::new(3, 2));
        tail.add(LogId::new(3, 2), [entry("SC0001", 2), entry("SC0002", 1)]);
        tail.add(LogId::new(3, 3), [entry("SC0001", 3)]);
        assert_eq!(tail.ids(&sn).collect::<Vec<_>>(), [MessageId::new(1, 3)]);
        assert_eq!(tail.count_of(3), 2);
    }

    #[test]
    fn what_left_one_log_stays_in_the_others() {
        let mut tail = Tail::default();
        let sn: Serial = "SC0001".parse().unwrap();
        tail.add(LogId::new(3, 7), [entry("SC0001", 1)]);
        tail.add(LogId::new(4, 1), [entry("SC0001", 2), entry("SC0002", 1)]);
        tail.forget(&sn, LogId::new(4, 1));
        assert_eq!(tail.ids(&sn).collect::<Vec<_>>(), [MessageId::new(1, 1)]);
        tail.forget_folded(LogId::new(3, 7));
        assert_eq!(tail.ids(&sn).count(), 0);
        assert_eq!((tail.count_of(3), tail.count_of(4)), (0, 1));
        assert_eq!(tail.systems_of(4).len(), 1);
        assert_eq!(tail.first_of(4), Some(LogId::new(4, 1)));
        assert_eq!(tail.first_of(3), None);
    }
}
