//! Chunks: samples of one system as compressed columns, until their day is sealed.
use crate::Telemetry;
use crate::codec::{self, Effort};
use crate::columns::{Columns, SampleField};
use db::{FromRow, Result, Tx};
use domain::clock::Millis;
use domain::{Sample, Serial};
use std::ops::Range;

/// The most samples in one chunk: a day of one sample every 30 seconds.
const MAX_SAMPLES_PER_CHUNK: usize = 2_880;

/// PostgreSQL's advisory locks of systems. A transaction that changes the stored samples of a system holds its lock until it
/// ends.
const SYSTEM_LOCK_CLASS: i32 = 0x5343_5359;

#[derive(Debug, FromRow)]
struct ChunkRow {
    body: Vec<u8>,
}

#[derive(Debug, FromRow)]
struct SpanRow {
    starts_at: Millis,
    boot: i64,
    seq: i64,
    ends_at: Millis,
    body: Vec<u8>,
}

impl ChunkRow {
    fn samples(&self) -> Result<Vec<Sample>> {
        unpack(&self.body)
    }
}

fn unpack(body: &[u8]) -> Result<Vec<Sample>> {
    codec::decode(body, &SampleField::ALL)?.samples()
}

/// Locks systems until the transaction ends. SQLite has a single writer anyway.
pub(crate) async fn lock_systems(tx: &mut Tx, systems: &[&Serial]) -> Result<()> {
    if let Tx::Postgres(tx) = tx {
        let mut systems: Vec<&str> = systems.iter().map(|sn| sn.as_str()).collect();
        systems.sort_unstable();
        sqlx::query("SELECT pg_advisory_xact_lock($1, hashtext(sn)) FROM unnest($2::text[]) AS sn")
            .bind(SYSTEM_LOCK_CLASS)
            .bind(systems)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Records that a system has measured something.
pub(crate) async fn mark_measured(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE systems SET measured = TRUE WHERE sn = $1 AND NOT measured")
            .bind(sn.as_str())
    )?;
    Ok(())
}

/// Writes samples, which must be in order and new.
pub(crate) async fn insert(tx: &mut Tx, sn: &Serial, samples: &[Sample]) -> Result<()> {
    for samples in samples.chunks(MAX_SAMPLES_PER_CHUNK) {
        let (first, last) = (&samples[0], &samples[samples.len() - 1]);
        let body = codec::encode(&Columns::of(samples), Effort::Fast)?;
        execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO sample_chunks (sn, starts_at, boot, seq, ends_at, samples, body)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)"
            )
            .bind(sn.as_str())
            .bind(first.at)
            .bind(first.id.stored_boot())
            .bind(i64::from(first.id.seq))
            .bind(last.at)
            .bind(i64::try_from(samples.len()).unwrap_or(i64::MAX))
            .bind(body)
        )?;
    }
    Ok(())
}

/// Deletes the samples of a time span. A chunk that reaches beyond it is rewritten without them. Returns whether there were any.
pub(crate) async fn delete_between(tx: &mut Tx, sn: &Serial, span: &Range<Millis>) -> Result<bool> {
    let inside = execute!(
        &mut *tx,
        sqlx::query("DELETE FROM sample_chunks WHERE sn = $1 AND starts_at >= $2 AND ends_at < $3")
            .bind(sn.as_str())
            .bind(span.start)
            .bind(span.end)
    )?;
    let across: Vec<SpanRow> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT starts_at, boot, seq, ends_at, body FROM sample_chunks
         WHERE sn = $1 AND starts_at < $3 AND ends_at >= $2")
        .bind(sn.as_str()).bind(span.start).bind(span.end).fetch_all(c).await)?;
    let mut deleted = inside > 0;
    for chunk in across {
        debug_assert!(chunk.starts_at < span.start || chunk.ends_at >= span.end);
        let mut samples = unpack(&chunk.body)?;
        let before = samples.len();
        samples.retain(|sample| !span.contains(&sample.at));
        if samples.len() == before {
            continue;
        }
        deleted = true;
        execute!(
            &mut *tx,
            sqlx::query("DELETE FROM sample_chunks WHERE sn = $1 AND starts_at = $2 AND boot = $3 AND seq = $4")
                .bind(sn.as_str())
                .bind(chunk.starts_at)
                .bind(chunk.boot)
                .bind(chunk.seq)
        )?;
        insert(tx, sn, &samples).await?;
    }
    Ok(deleted)
}

/// All samples in chunks of a system, in order, within a transaction.
pub(crate) async fn read_all(tx: &mut Tx, sn: &Serial) -> Result<Vec<Sample>> {
    let rows: Vec<ChunkRow> = within!(tx, c => sqlx::query_as(
        "SELECT body FROM sample_chunks WHERE sn = $1 ORDER BY starts_at, boot, seq")
        .bind(sn.as_str()).fetch_all(c).await)?;
    collect(&rows)
}

/// How many samples chunks hold that begin in a time span.
pub(crate) async fn count_between(tx: &mut Tx, sn: &Serial, span: &Range<Millis>) -> Result<usize> {
    let count: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT CAST(COALESCE(SUM(samples), 0) AS BIGINT) FROM sample_chunks
         WHERE sn = $1 AND starts_at >= $2 AND starts_at < $3")
        .bind(sn.as_str()).bind(span.start).bind(span.end).fetch_one(c).await)?;
    Ok(usize::try_from(count).unwrap_or_default())
}

fn collect(rows: &[ChunkRow]) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for row in rows {
        samples.extend(row.samples()?);
    }
    if !samples.is_sorted_by_key(Sample::order) {
        samples.sort_unstable_by_key(Sample::order);
    }
    Ok(samples)
}

impl Telemetry {
    /// The samples of a time span that are in chunks, in order.
    pub(crate) async fn chunk_samples(
        &self,
        sn: &Serial,
        span: &Range<Millis>,
    ) -> Result<Vec<Sample>> {
        let rows: Vec<ChunkRow> = on!(self, p => sqlx::query_as(
            "SELECT body FROM sample_chunks WHERE sn = $1 AND starts_at < $3 AND ends_at >= $2
             ORDER BY starts_at, boot, seq")
            .bind(sn.as_str()).bind(span.start).bind(span.end).fetch_all(p).await)?;
        let mut samples = collect(&rows)?;
        samples.retain(|sample| span.contains(&sample.at));
        Ok(samples)
    }

    /// The first sample in chunks within a time span.
    pub(crate) async fn first_in_chunks(
        &self,
        sn: &Serial,
        span: &Range<Millis>,
    ) -> Result<Option<Millis>> {
        let begins: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT min(starts_at) FROM sample_chunks WHERE sn = $1 AND starts_at >= $2 AND starts_at < $3")
            .bind(sn.as_str()).bind(span.start).bind(span.end).fetch_one(p).await)?;
        let across: Vec<ChunkRow> = on!(self, p => sqlx::query_as(
            "SELECT body FROM sample_chunks WHERE sn = $1 AND starts_at < $2 AND ends_at >= $2")
            .bind(sn.as_str()).bind(span.start).fetch_all(p).await)?;
        let across = collect(&across)?;
        let across = across.iter().map(|sample| sample.at);
        let across = across.filter(|at| span.contains(at)).min();
        Ok([begins, across].into_iter().flatten().min())
    }

    /// The last sample in chunks before a moment.
    pub(crate) async fn last_in_chunks_before(
        &self,
        sn: &Serial,
        moment: Millis,
    ) -> Result<Option<Sample>> {
        let rows: Vec<ChunkRow> = on!(self, p => sqlx::query_as(
            "SELECT body FROM sample_chunks WHERE sn = $1 AND starts_at < $2 AND ends_at >= COALESCE(
                 (SELECT max(ends_at) FROM sample_chunks WHERE sn = $1 AND ends_at < $2), 0)")
            .bind(sn.as_str()).bind(moment).fetch_all(p).await)?;
        let samples = collect(&rows)?;
        Ok(samples.iter().rfind(|sample| sample.at < moment).copied())
    }
}
