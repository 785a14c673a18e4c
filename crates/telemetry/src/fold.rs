//! Moves samples from the logs into chunks, in the background: system by system, many samples at a time.
use crate::late_samples::LATE_AFTER;
use crate::tail::{Keep, LogId};
use crate::{Telemetry, chunks, late_samples, log, message_ranges, sample_retention};
use db::{Result, Tx};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{Sample, Serial};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

/// A log is folded this often: at one sample every ten seconds a chunk then has 60.
pub const FOLD_INTERVAL: Millis = 10 * MINUTE;
/// Sooner, when this many samples are in memory.
const MAX_UNFOLDED_SAMPLES: usize = 300_000;
/// Systems per transaction. Reports wait for it.
const SYSTEMS_PER_TRANSACTION: usize = 64;
/// A process without a sign of life for this long has ended, and another one folds its log.
const ABANDONED_AFTER: Millis = 5 * MINUTE;
/// An ended process is forgotten after this time.
const FORGOTTEN_AFTER: Millis = DAY;
/// The most samples of one system and day (in UTC), more than one per second. Further ones are dropped: a faulty battery must not
/// make its day unreadable.
const MAX_SAMPLES_PER_DAY: usize = 120_000;

/// Stores samples of one system in chunks, once each, and returns for each whether it was new. The caller holds the lock of the
/// system.
pub(crate) async fn store(
    tx: &mut Tx,
    sn: &Serial,
    samples: &[Sample],
    now: Millis,
) -> Result<Vec<bool>> {
    let ids = samples.iter().map(|sample| sample.id);
    let mut is_new = message_ranges::record(tx, sn, ids).await?;
    let is_late = |sample: &Sample| now - sample.at >= LATE_AFTER;
    let late = || {
        samples
            .iter()
            .zip(&is_new)
            .filter(|(sample, new)| **new && is_late(sample))
    };
    if late().next().is_some() {
        late_samples::bump_version(tx, sn).await?;
        let zone = late_samples::zone_of(tx, sn).await?;
        let kept_from = sample_retention::kept_from(tx, sn, &zone).await?;
        let moments = late().map(|(sample, _)| sample.at);
        let moments: Vec<Millis> = moments.filter(|at| *at >= kept_from).collect();
        late_samples::mark_dirty(tx, sn, &zone, kept_from, moments.into_iter()).await?;
        for (sample, is_new) in samples.iter().zip(&mut is_new) {
            *is_new &= sample.at >= kept_from;
        }
    }
    let new = samples.iter().zip(&is_new).filter(|(_, new)| **new);
    let mut new: Vec<Sample> = new.map(|(sample, _)| *sample).collect();
    new.sort_unstable_by_key(Sample::order);
    limit_days(tx, sn, &mut new).await?;
    chunks::insert(tx, sn, &new).await?;
    Ok(is_new)
}

/// Drops samples of days that are full.
async fn limit_days(tx: &mut Tx, sn: &Serial, samples: &mut Vec<Sample>) -> Result<()> {
    let mut room: HashMap<Millis, usize> = HashMap::new();
    for day in samples.iter().map(|sample| sample.at / DAY) {
        if let std::collections::hash_map::Entry::Vacant(entry) = room.entry(day) {
            let stored = chunks::count_between(tx, sn, &(day * DAY..(day + 1) * DAY)).await?;
            entry.insert(MAX_SAMPLES_PER_DAY.saturating_sub(stored));
        }
    }
    let before = samples.len();
    samples.retain(|sample| {
        let left = room.get_mut(&(sample.at / DAY));
        left.is_some_and(|left| std::mem::replace(left, left.saturating_sub(1)) > 0)
    });
    let dropped = before - samples.len();
    if dropped > 0 {
        metrics::counter!("telemetry_samples_dropped_total").increment(dropped as u64);
        tracing::warn!(%sn, dropped, "too_many_samples: this battery measured more than a day may hold; the rest is dropped");
    }
    Ok(())
}

impl Telemetry {
    /// Folds this process's log if it is due, and frees what nobody asks about. Call it every few seconds.
    pub async fn fold_due(&self, now: Millis) -> Result<()> {
        let (folded_at, unfolded) = {
            let mut state = self.state();
            let is_same_turn = (state.turn_began..state.turn_began + FOLD_INTERVAL).contains(&now);
            if self.db.is_shared() && !is_same_turn {
                let own = state.own_writer;
                state.turn_began = now;
                state.tail.begin_turn(own);
            }
            let Some(own) = state.own_writer else {
                return Ok(());
            };
            (state.folded_at, state.tail.count_of(own))
        };
        let is_recent = (folded_at..folded_at + FOLD_INTERVAL).contains(&now);
        match is_recent && unfolded < MAX_UNFOLDED_SAMPLES {
            true => Ok(()),
            false => self.fold(now).await,
        }
    }

    /// Folds this process's log.
    pub async fn fold(&self, now: Millis) -> Result<()> {
        let Some(writer) = self.state().own_writer else {
            return Ok(());
        };
        let is_registered = self.keep_writer(writer, now).await?;
        self.fold_log(writer, now).await?;
        if !is_registered {
            // This process was suspended for so long that others forgot it.
            self.writer.lock().await.forget();
            self.state().own_writer = None;
        }
        self.state().folded_at = now;
        Ok(())
    }

    /// Folds the logs of processes that have ended.
    pub async fn fold_abandoned(&self, now: Millis) -> Result<()> {
        let writers = self.writers().await?;
        // Read it after the list, because the row of this process may have been added meanwhile.
        let own = self.state().own_writer;
        for writer in writers {
            // SQLite has one process that writes: all others have ended.
            let has_ended = !self.db.is_shared() || now - writer.seen_at > ABANDONED_AFTER;
            if Some(writer.writer) == own || !has_ended {
                continue;
            }
            // Our memory has only what was asked about of another process's log.
            let all_of_it = match self.db.is_shared() {
                true => Self::new(self.db.clone()),
                false => self.clone(),
            };
            all_of_it.fold_log(writer.writer, now).await?;
            if now - writer.seen_at > FORGOTTEN_AFTER {
                execute!(on self, sqlx::query(
                    "DELETE FROM sample_log_writers WHERE writer = $1 AND seen_at = $2
                     AND NOT EXISTS (SELECT 1 FROM sample_log WHERE id > $3 AND id < $4)")
                    .bind(writer.writer).bind(writer.seen_at)
                    .bind(LogId::new(writer.writer, 0).0).bind(LogId::new(writer.writer + 1, 0).0))?;
            }
        }
        Ok(())
    }

    /// Moves everything that one log holds now into chunks, and deletes it there. Can be interrupted at any point and repeated.
    pub(crate) async fn fold_log(&self, writer: i64, now: Millis) -> Result<()> {
        self.read_log(writer, Keep::All).await?;
        self.apply_settled().await?;
        let (upto, systems) = {
            let state = self.state();
            let upto = LogId::new(writer, state.tail.read_to(writer));
            (upto, state.tail.systems_of(writer))
        };
        for systems in systems.chunks(SYSTEMS_PER_TRANSACTION) {
            match self.fold_systems(systems, upto, now).await {
                Err(error) if error.is_damage() || error.is_refusal() => {
                    self.fold_sound(systems, upto, now).await?
                }
                folded => folded?,
            }
            tokio::task::yield_now().await;
        }
        // The log of a damaged system is kept from its first sample on.
        let kept = self.state().tail.first_of(writer);
        let upto = kept.map_or(upto, |first| upto.min(LogId(first.0 - 1)));
        let mut tx = self.db.begin().await?;
        log::delete_folded(&mut tx, upto).await?;
        tx.commit_invalidating(std::iter::empty()).await?;
        self.state().tail.forget_folded(upto);
        Ok(())
    }

    /// Folds the systems whose part of the database is not damaged. The others stay in the log.
    async fn fold_sound(&self, systems: &[Serial], upto: LogId, now: Millis) -> Result<()> {
        for sn in systems {
            match self.fold_systems(std::slice::from_ref(sn), upto, now).await {
                Err(error) if error.is_damage() || error.is_refusal() => {
                    let tables = "sample_chunks, message_ranges";
                    self.db.report_damage(&error, tables, sn);
                }
                folded => folded?,
            }
        }
        Ok(())
    }

    /// Folds some systems of one log, up to a position.
    async fn fold_systems(&self, systems: &[Serial], upto: LogId, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let all: Vec<&Serial> = systems.iter().collect();
        chunks::lock_systems(&mut tx, &all).await?;
        let settled = log::settled_upto(&mut tx, upto.writer()).await?;
        for sn in systems {
            let from = settled.get(sn.as_str()).copied();
            let samples = self.due_samples(sn, from, upto)?;
            store(&mut tx, sn, &samples, now).await?;
        }
        // No rights change, and cached data of these systems stays valid: the samples are the same.
        tx.commit_invalidating(std::iter::empty()).await?;
        let mut state = self.state();
        for sn in systems {
            state.tail.forget(sn, upto);
        }
        Ok(())
    }

    /// The samples of a system in one log after one position, up to another one.
    fn due_samples(&self, sn: &Serial, from: Option<LogId>, upto: LogId) -> Result<Vec<Sample>> {
        let state = self.state();
        let is_due = |place: LogId| upto.covers(place) && from.is_none_or(|from| place > from);
        let due = state
            .tail
            .entries(sn)
            .iter()
            .filter(|one| is_due(one.place));
        due.map(|one| one.sample.unpack()).collect()
    }

    /// Adds what memory has of systems in the rows of a log, if it has all of it. Returns up to where.
    fn known_of(
        &self,
        rows: &RangeInclusive<LogId>,
        systems: &[&Serial],
        found: &mut BTreeMap<Serial, Vec<(LogId, Result<Sample>)>>,
    ) -> LogId {
        let state = self.state();
        let writer = rows.end().writer();
        if systems.iter().any(|sn| state.tail.leaves_out(sn, writer)) {
            return LogId(rows.start().0 - 1);
        }
        for sn in systems {
            let entries = state.tail.entries(sn).iter();
            let present = entries.filter(|one| rows.contains(&one.place));
            let present: Vec<_> = present
                .map(|one| (one.place, one.sample.unpack()))
                .collect();
            if !present.is_empty() {
                found.entry((*sn).clone()).or_default().extend(present);
            }
        }
        LogId::new(writer, state.tail.read_to(writer))
    }

    /// Records a sign of life for other processes. Returns whether they still know this one.
    async fn keep_writer(&self, writer: i64, now: Millis) -> Result<bool> {
        let update = "UPDATE sample_log_writers SET seen_at = $2 WHERE writer = $1";
        let updated = execute!(on self, sqlx::query(update).bind(writer).bind(now))?;
        Ok(updated == 1)
    }
}

/// Stores what the logs hold of these systems in their chunks, in the caller's transaction: then their history can be moved or
/// erased there. From the commit on, it no longer counts in the logs. What `memory` has read of the logs is not read again: others
/// wait meanwhile.
pub(crate) async fn settle(
    tx: &mut Tx,
    memory: Option<&Telemetry>,
    systems: &[&Serial],
    now: Millis,
) -> Result<()> {
    chunks::lock_systems(tx, systems).await?;
    let wanted: HashSet<&str> = systems.iter().map(|sn| sn.as_str()).collect();
    let mut found: BTreeMap<Serial, Vec<(LogId, Result<Sample>)>> = BTreeMap::new();
    let mut ends = Vec::new();
    for rows in &log::present(tx).await? {
        let after = match memory {
            Some(memory) => memory.known_of(rows, systems, &mut found),
            None => LogId(rows.start().0 - 1),
        };
        log::read_between(tx, after, *rows.end(), |place, entry| {
            if wanted.contains(entry.sn.as_str()) {
                let sample = entry.sample.unpack();
                found.entry(entry.sn).or_default().push((place, sample));
            }
        })
        .await?;
        ends.push(*rows.end());
    }
    for end in &ends {
        let settled = log::settled_upto(tx, end.writer()).await?;
        for (sn, entries) in &mut found {
            if let Some(upto) = settled.get(sn.as_str()) {
                entries.retain(|(place, _)| !upto.covers(*place));
            }
        }
    }
    for (sn, samples) in found {
        let samples = samples.into_iter().map(|(_, sample)| sample);
        store(tx, &sn, &samples.collect::<Result<Vec<_>>>()?, now).await?;
    }
    // Even without a log: what other processes know about these systems' messages is outdated.
    let ends = if ends.is_empty() {
        vec![LogId(0)]
    } else {
        ends
    };
    for sn in systems {
        for end in &ends {
            execute!(
                &mut *tx,
                sqlx::query(
                    "INSERT INTO sample_log_settled (sn, writer, upto) VALUES ($1, $2, $3)"
                )
                .bind(sn.as_str())
                .bind(end.writer())
                .bind(end.position())
            )?;
        }
    }
    Ok(())
}
