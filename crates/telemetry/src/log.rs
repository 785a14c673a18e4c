//! The sample log in the database: rows in order of commit, one log per process. Readers keep its samples in memory.
use crate::log_format::{self, LogEntry};
use crate::tail::{Keep, LogId};
use crate::{Telemetry, TelemetryState};
use db::{Error, FromRow, Pool, Result, Tx};
use domain::Serial;
use domain::clock::Millis;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, PoisonError};

const SETTLED_SINCE: &str =
    "SELECT id, sn, writer, upto FROM sample_log_settled WHERE id > $1 ORDER BY id";

/// Rows that are read at a time.
const READ_ROWS: i64 = 2_000;
/// Rows of which only some systems are needed.
const FILL_ROWS: usize = 200;

#[derive(Debug, FromRow)]
struct LogRow {
    id: i64,
    body: Vec<u8>,
}

#[derive(Debug, FromRow)]
pub(crate) struct WriterRow {
    pub(crate) writer: i64,
    pub(crate) folded: i64,
    pub(crate) seen_at: Millis,
}

#[derive(Debug, FromRow)]
struct SettledRow {
    id: i64,
    sn: String,
    writer: i64,
    upto: i64,
}

impl LogRow {
    /// A damaged row is reported and left out: everything else is still served.
    fn entries(&self) -> Vec<LogEntry> {
        log_format::decode(&self.body).unwrap_or_else(|error| {
            let place = LogId(self.id);
            tracing::error!(
                writer = place.writer(), position = place.position(), %error,
                "sample_log_damaged: a row of the sample log is left out; its samples are lost unless a backup has them"
            );
            Vec::new()
        })
    }
}

pub(crate) async fn insert(tx: &mut Tx, place: LogId, entries: &[LogEntry]) -> Result<()> {
    let newest = entries.iter().map(|entry| entry.sample.at).max();
    let inserted = execute!(
        tx,
        sqlx::query("INSERT INTO sample_log (id, newest, body) VALUES ($1, $2, $3)")
            .bind(place.0)
            .bind(newest.unwrap_or_default())
            .bind(log_format::encode(entries))
    );
    match inserted.map_err(Error::from) {
        // A commit with an unknown result has succeeded after all: try again after it.
        Err(Error::Taken(_)) => Err(Error::Conflict),
        inserted => inserted.map(drop),
    }
}

/// The first and the last row of each log that has any, within a transaction.
pub(crate) async fn present(tx: &mut Tx) -> Result<Vec<RangeInclusive<LogId>>> {
    let mut logs: Vec<RangeInclusive<LogId>> = Vec::new();
    loop {
        let after = logs.last().map_or(0, |log| log.end().0);
        let first: Option<i64> = within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT min(id) FROM sample_log WHERE id > $1").bind(after).fetch_one(c).await)?;
        let Some(first) = first.map(LogId) else {
            return Ok(logs);
        };
        let next = LogId::new(first.writer() + 1, 0);
        let last: i64 = within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT max(id) FROM sample_log WHERE id >= $1 AND id < $2")
            .bind(first.0).bind(next.0).fetch_one(c).await)?;
        logs.push(first..=LogId(last));
    }
}

/// The rows of a log after one place, up to another one, in batches, within a transaction.
pub(crate) async fn read_between(
    tx: &mut Tx,
    after: LogId,
    upto: LogId,
    mut each: impl FnMut(LogId, LogEntry),
) -> Result<()> {
    let mut after = after.0;
    while after < upto.0 {
        let rows: Vec<LogRow> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT id, body FROM sample_log WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3")
            .bind(after).bind(upto.0).bind(READ_ROWS).fetch_all(c).await)?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in &rows {
            let entries = row.entries().into_iter();
            entries.for_each(|entry| each(LogId(row.id), entry));
        }
    }
    Ok(())
}

impl Telemetry {
    pub(crate) fn state(&self) -> MutexGuard<'_, TelemetryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn writers(&self) -> Result<Vec<WriterRow>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT writer, folded, seen_at FROM sample_log_writers ORDER BY writer").fetch_all(p).await)?)
    }

    /// Updates the memory of a system from all logs. Read chunks afterwards: what is folded meanwhile is then found twice instead
    /// of not at all.
    pub(crate) async fn refresh(&self, sn: &Serial) -> Result<()> {
        let (is_complete, is_empty) = {
            let state = self.state();
            (state.is_complete, state.tail.entries(sn).is_empty())
        };
        match (is_complete, is_empty) {
            (false, _) => self.read_logs_of(std::slice::from_ref(sn)).await,
            (true, false) => self.apply_settled().await,
            (true, true) => Ok(()),
        }
    }

    /// Reads what the logs have of these systems. To be called before a transaction for which others wait, which then reads only
    /// what comes from now on, and before many systems are read some at a time.
    pub async fn read_ahead(&self, systems: &[Serial]) -> Result<()> {
        self.read_logs_of(systems).await
    }

    /// How many samples of the logs are in memory.
    pub fn samples_in_memory(&self) -> usize {
        self.state().tail.count()
    }

    /// Reads new rows of all logs, and what was left out of earlier ones about these systems.
    pub(crate) async fn read_logs_of(&self, systems: &[Serial]) -> Result<()> {
        if self.db.is_shared() {
            self.state().tail.use_systems(systems);
        }
        self.read_logs().await?;
        self.fill(systems).await
    }

    /// Reads what was left out about these systems. Rows that are gone were folded: their samples are in chunks.
    async fn fill(&self, systems: &[Serial]) -> Result<()> {
        let left_out = self.state().tail.left_out(systems);
        let Pool::Postgres(pool) = self.db.pool() else {
            return Ok(());
        };
        for places in left_out.chunks(FILL_ROWS) {
            let ids: Vec<i64> = places.iter().map(|place| place.0).collect();
            let rows: Vec<LogRow> = in_span!(
                sqlx::query_as("SELECT id, body FROM sample_log WHERE id = ANY($1) ORDER BY id")
                    .bind(ids)
                    .fetch_all(pool)
                    .await
            )?;
            let found: Vec<_> = rows
                .iter()
                .map(|row| (LogId(row.id), row.entries()))
                .collect();
            self.state().tail.fill(systems, places, found);
        }
        Ok(())
    }

    /// Reads new rows of all logs. Only one read runs at a time; a caller that has waited for a read that started after the call
    /// needs no further one.
    pub(crate) async fn read_logs(&self) -> Result<()> {
        let ticket = self.refreshes_wanted.fetch_add(1, Ordering::Relaxed) + 1;
        let mut done = self.refreshes_done.lock().await;
        if *done >= ticket {
            return Ok(());
        }
        let covered = self.refreshes_wanted.load(Ordering::Relaxed);
        let writers = self.writers().await?;
        for writer in &writers {
            let keep = self.keep_of(writer.writer);
            self.read_log(writer.writer, keep).await?;
        }
        self.apply_settled().await?;
        // Read the list again, and last: a log that was folded since is in chunks by now.
        let folded = self.writers().await?;
        let mut state = self.state();
        for writer in folded {
            let upto = LogId::new(writer.writer, writer.folded);
            state.tail.forget_folded(upto);
        }
        *done = covered;
        Ok(())
    }

    /// On SQLite only one process writes, and folds all logs.
    fn keep_of(&self, writer: i64) -> Keep {
        let is_own = self.state().own_writer == Some(writer);
        match is_own || !self.db.is_shared() {
            true => Keep::All,
            false => Keep::InUse,
        }
    }

    /// Reads new rows of one log.
    pub(crate) async fn read_log(&self, writer: i64, keep: Keep) -> Result<()> {
        loop {
            let after = LogId::new(writer, self.state().tail.read_to(writer));
            let rows: Vec<LogRow> = on!(self, p => sqlx::query_as(
                "SELECT id, body FROM sample_log WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3")
                .bind(after.0).bind(LogId::new(writer + 1, 0).0).bind(READ_ROWS).fetch_all(p).await)?;
            if rows.is_empty() {
                return Ok(());
            }
            // Decoding is the slow part, and needs no lock.
            let decoded: Vec<_> = rows
                .iter()
                .map(|row| (LogId(row.id), row.entries()))
                .collect();
            let mut state = self.state();
            for (place, entries) in decoded {
                state.tail.add(place, entries, keep);
            }
        }
    }

    /// Forgets samples that were put into chunks ahead of time.
    pub(crate) async fn apply_settled(&self) -> Result<()> {
        let seen = self.state().settled;
        let rows: Vec<SettledRow> = on!(self, p => sqlx::query_as(SETTLED_SINCE)
            .bind(seen).fetch_all(p).await)?;
        self.forget_settled(&rows);
        Ok(())
    }

    /// The same within a transaction. The effect remains even if the transaction fails.
    pub(crate) async fn apply_settled_in(&self, tx: &mut Tx) -> Result<()> {
        let seen = self.state().settled;
        let rows: Vec<SettledRow> = within!(tx, c => sqlx::query_as(SETTLED_SINCE)
            .bind(seen).fetch_all(c).await)?;
        self.forget_settled(&rows);
        Ok(())
    }

    fn forget_settled(&self, rows: &[SettledRow]) {
        let mut state = self.state();
        for row in rows {
            state.settled = state.settled.max(row.id);
            if let Ok(sn) = row.sn.parse::<Serial>() {
                state.tail.settle(&sn, LogId::new(row.writer, row.upto));
                state.known.forget(&sn);
            }
        }
    }
}

/// Up to where the samples of systems in one log were settled, by serial number, in a transaction.
pub(crate) async fn settled_upto(tx: &mut Tx, writer: i64) -> Result<HashMap<String, LogId>> {
    let rows: Vec<SettledRow> = within!(tx, c => sqlx::query_as(
        "SELECT id, sn, writer, upto FROM sample_log_settled WHERE writer = $1 ORDER BY upto")
        .bind(writer).fetch_all(c).await)?;
    let settled = rows.into_iter();
    Ok(settled
        .map(|row| (row.sn, LogId::new(writer, row.upto)))
        .collect())
}

/// Rows about systems that were in no log. The newest are kept, for processes that have not seen them yet.
const MAX_SETTLED_ROWS_WITHOUT_LOG: i64 = 1_000;

/// Deletes a log up to a position, and the record of what was settled there.
pub(crate) async fn delete_folded(tx: &mut Tx, upto: LogId) -> Result<()> {
    let (writer, position) = (upto.writer(), upto.position());
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM sample_log WHERE id > $1 AND id <= $2")
            .bind(LogId::new(writer, 0).0)
            .bind(upto.0)
    )?;
    execute!(
        &mut *tx,
        sqlx::query(
            "DELETE FROM sample_log_settled WHERE (writer = $1 AND upto <= $2)
             OR (writer = 0 AND id <= (SELECT max(id) FROM sample_log_settled) - $3)"
        )
        .bind(writer)
        .bind(position)
        .bind(MAX_SETTLED_ROWS_WITHOUT_LOG)
    )?;
    execute!(
        tx,
        sqlx::query("UPDATE sample_log_writers SET folded = $2 WHERE writer = $1 AND folded < $2")
            .bind(writer)
            .bind(position)
    )?;
    Ok(())
}
