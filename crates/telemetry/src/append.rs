//! Appends samples: one row of the log per commit, however many systems they are from. Late ones go straight into chunks.
use crate::late_samples::LATE_AFTER;
use crate::log_format::LogEntry;
use crate::tail::{Keep, LogId};
use crate::{Telemetry, chunks, fold, known_messages, log, new_ranges};
use db::{Result, Tx};
use domain::clock::Millis;
use domain::sample::MessageId;
use domain::{Sample, Serial};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// The log that this process appends to.
#[derive(Debug, Default)]
pub(crate) struct LogWriter {
    /// `None` until the first sample.
    writer: Option<i64>,
    position: i64,
    /// Whether the result of the last commit is unknown.
    is_unsure: bool,
}

impl LogWriter {
    fn next_place(&self) -> LogId {
        LogId::new(self.writer.unwrap_or_default(), self.position + 1)
    }

    /// Forgets the log, so that the next sample starts a new one.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Samples that become visible once their transaction is committed. No other samples are appended meanwhile.
#[must_use = "call `committed` after the commit"]
pub struct Append {
    telemetry: Telemetry,
    writer: OwnedMutexGuard<LogWriter>,
    new: Vec<bool>,
    entries: Vec<LogEntry>,
    /// Messages that went straight into chunks.
    stored: Vec<(Serial, MessageId)>,
    /// Systems whose stored messages were read in this transaction.
    read: Vec<Serial>,
}

impl Drop for Append {
    fn drop(&mut self) {
        // Without a commit, the next one reads them again.
        let mut state = self.telemetry.state();
        self.read.iter().for_each(|sn| state.known.forget(sn));
    }
}

impl Append {
    /// For each sample, whether it was new.
    pub fn new_samples(&self) -> &[bool] {
        &self.new
    }

    /// Call it when the transaction is durable.
    pub fn committed(mut self) {
        self.writer.is_unsure = false;
        self.read.clear();
        let entries = std::mem::take(&mut self.entries);
        let place = self.writer.next_place();
        let telemetry = self.telemetry.clone();
        let mut state = telemetry.state();
        for (sn, id) in &self.stored {
            state.known.insert(sn, *id);
        }
        for entry in &entries {
            state.known.insert(&entry.sn, entry.sample.id);
        }
        if !entries.is_empty() {
            self.writer.position = place.position();
            state.tail.add(place, entries, Keep::All);
        }
    }
}

impl Telemetry {
    /// Idempotent: appends samples that are not stored yet, in a transaction with whatever else the caller writes.
    pub async fn append(
        &self,
        tx: &mut Tx,
        samples: &[(&Serial, &Sample)],
        now: Millis,
    ) -> Result<Append> {
        let mut append = Append {
            telemetry: self.clone(),
            writer: Arc::clone(&self.writer).lock_owned().await,
            new: vec![false; samples.len()],
            entries: Vec::new(),
            stored: Vec::new(),
            read: Vec::new(),
        };
        let is_late = |sample: &Sample| now - sample.at >= LATE_AFTER;
        let is_live = samples.iter().any(|(_, sample)| !is_late(sample));
        self.read_earlier_logs().await?;
        if is_live {
            self.prepare(tx, &mut append.writer, now).await?;
        }
        self.apply_settled_in(tx).await?;
        append.read = self.read_known(tx, samples).await?;
        let mut late: BTreeMap<&Serial, Vec<(usize, &Sample)>> = BTreeMap::new();
        {
            let mut state = self.state();
            let mut seen = HashSet::new();
            for (place, (sn, sample)) in samples.iter().enumerate() {
                let is_known = state.known.contains(sn, sample.id) == Some(true);
                if is_known || seen.contains(&(*sn, sample.id)) {
                    continue;
                }
                let begins_range = state.known.begins_range(sn, sample.id)
                    && new_ranges::has_no_neighbour(&seen, sn, sample.id);
                if begins_range && !state.new_ranges.begin(sn, now) {
                    continue;
                }
                seen.insert((*sn, sample.id));
                if is_late(sample) {
                    late.entry(sn).or_default().push((place, sample));
                } else {
                    append.new[place] = true;
                    append.entries.push(LogEntry::new(sn, sample));
                }
            }
        }
        // All writers use the order of serial numbers, so that they never deadlock.
        for (sn, samples) in late {
            let (places, samples): (Vec<usize>, Vec<Sample>) = samples
                .into_iter()
                .map(|(place, sample)| (place, *sample))
                .unzip();
            chunks::lock_systems(tx, &[sn]).await?;
            let stored_here = fold::store(tx, sn, &samples, now).await?;
            for ((place, sample), is_new) in places.into_iter().zip(&samples).zip(stored_here) {
                append.new[place] = is_new;
                append.stored.push((sn.clone(), sample.id));
            }
        }
        if !append.entries.is_empty() {
            log::insert(tx, append.writer.next_place(), &append.entries).await?;
        }
        append.writer.is_unsure = true;
        Ok(append)
    }

    /// Runs once. After reading the logs of earlier processes, the only process that writes knows its own log.
    async fn read_earlier_logs(&self) -> Result<()> {
        if !self.db.is_shared() && !self.state().is_complete {
            self.read_logs().await?;
            self.state().is_complete = true;
        }
        Ok(())
    }

    /// Registers a log for this process, and finds its end.
    async fn prepare(&self, tx: &mut Tx, log_writer: &mut LogWriter, now: Millis) -> Result<()> {
        if log_writer.writer.is_some() && !log_writer.is_unsure {
            return Ok(());
        }
        log_writer.is_unsure = true;
        let writer = register_writer(tx, log_writer.writer, now).await?;
        log_writer.writer = Some(writer);
        // The last commit may have succeeded although its answer was lost.
        self.read_log(writer, Keep::All).await?;
        let mut state = self.state();
        if state.own_writer != Some(writer) {
            state.own_writer = Some(writer);
            state.folded_at = now;
        }
        log_writer.position = state.tail.read_to(writer);
        // What is in memory about these systems may be outdated, too.
        for sn in state.tail.systems_of(writer) {
            state.known.forget(&sn);
        }
        Ok(())
    }

    /// Reads which messages are stored, for boots that are not in memory. Returns their systems.
    async fn read_known(&self, tx: &mut Tx, samples: &[(&Serial, &Sample)]) -> Result<Vec<Serial>> {
        let messages = samples.iter().map(|(sn, sample)| (*sn, sample.id));
        let missing = self.state().known.missing(messages);
        if missing.is_empty() {
            return Ok(Vec::new());
        }
        let mut systems: Vec<&Serial> = missing.iter().map(|(sn, _)| *sn).collect();
        systems.dedup();
        for sn in &systems {
            chunks::mark_measured(tx, sn).await?;
        }
        let read = known_messages::read(tx, &missing).await?;
        let mut state = self.state();
        for (sn, boot, mut ranges) in read {
            let unfolded = state.tail.ids(sn).filter(|id| id.stored_boot() == boot);
            for id in unfolded {
                ranges.insert(id.seq);
            }
            state.known.add(sn, boot, ranges);
        }
        Ok(systems.into_iter().cloned().collect())
    }

    /// Stores samples of one system in chunks and returns how many were new. Durable when it returns.
    pub async fn append_samples(
        &self,
        sn: &Serial,
        samples: &[Sample],
        now: Millis,
    ) -> Result<usize> {
        let mut tx = self.db.begin().await?;
        chunks::lock_systems(&mut tx, &[sn]).await?;
        chunks::mark_measured(&mut tx, sn).await?;
        let new = fold::store(&mut tx, sn, samples, now).await?;
        tx.commit().await?;
        Ok(new.into_iter().filter(|new| *new).count())
    }
}

/// Registers the log of this process and returns its number. It is unknown whether a number that was drawn before has been
/// committed.
async fn register_writer(tx: &mut Tx, drawn: Option<i64>, now: Millis) -> Result<i64> {
    if let Some(writer) = drawn {
        let known: Option<i64> = within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT writer FROM sample_log_writers WHERE writer = $1").bind(writer).fetch_optional(c).await)?;
        if known.is_some() {
            return Ok(writer);
        }
    }
    let register = "INSERT INTO sample_log_writers (seen_at) VALUES ($1) RETURNING writer";
    Ok(within!(tx, c => sqlx::query_scalar(register).bind(now).fetch_one(c).await)?)
}
