//! Inserts samples: one statement per batch for live ones; late ones are checked against sealed days first.
use crate::Telemetry;
use crate::{late_samples, row};
use db::{Error, Result, Tx};
use domain::clock::{HOUR, Millis};
use domain::sample::MessageId;
use domain::{Sample, Serial};
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::HashSet;

/// A sample this old may belong to a sealed day.
pub(crate) const LATE_AFTER: Millis = HOUR;

/// Rows in one SQLite statement. Batches are split into powers of two, so that few distinct statements are prepared.
const MAX_ROWS_PER_STATEMENT: usize = 512;

pub(crate) type RowKey = (String, i64, i64);

fn key(sn: &Serial, id: MessageId) -> RowKey {
    (sn.as_str().to_owned(), id.stored_boot(), i64::from(id.seq))
}

/// Idempotent: inserts samples that are not stored yet. Returns for each whether it was new.
pub async fn insert(tx: &mut Tx, samples: &[(&Serial, &Sample)], now: Millis) -> Result<Vec<bool>> {
    let late: Vec<_> = samples
        .iter()
        .copied()
        .filter(|(_, sample)| now - sample.at >= LATE_AFTER)
        .collect();
    let known = if late.is_empty() {
        HashSet::new()
    } else {
        late_samples::mark_and_find_known(tx, &late).await?
    };
    // Every writer uses the same order, so that two never deadlock.
    let mut fresh: Vec<_> = samples
        .iter()
        .copied()
        .filter(|(sn, sample)| known.is_empty() || !known.contains(&((*sn).clone(), sample.id)))
        .collect();
    fresh.sort_unstable_by_key(|(sn, sample)| (sn.as_str(), sample.id, sample.at));
    let mut written = write_rows(tx, &fresh).await?;
    let new = samples
        .iter()
        .map(|(sn, sample)| written.remove(&key(sn, sample.id)));
    Ok(new.collect())
}

/// Inserts rows without checking sealed days.
pub(crate) async fn write_rows(
    tx: &mut Tx,
    samples: &[(&Serial, &Sample)],
) -> Result<HashSet<RowKey>> {
    match tx {
        Tx::Sqlite(tx, _) => insert_sqlite(&mut *tx, samples).await,
        Tx::Postgres(tx) => insert_postgres(&mut *tx, samples).await,
    }
}

async fn insert_sqlite(
    connection: &mut sqlx::SqliteConnection,
    mut samples: &[(&Serial, &Sample)],
) -> Result<HashSet<RowKey>> {
    let mut written = HashSet::with_capacity(samples.len());
    while !samples.is_empty() {
        let fitting = 1 << samples.len().ilog2();
        let (part, rest) = samples.split_at(MAX_ROWS_PER_STATEMENT.min(fitting));
        samples = rest;
        let mut query = sqlx::query(AssertSqlSafe(sqlite_statement(part.len())));
        for (sn, sample) in part {
            query = query
                .bind(sn.as_str())
                .bind(sample.at)
                .bind(sample.id.stored_boot())
                .bind(i64::from(sample.id.seq))
                .bind(row::pack(sample));
        }
        for row in query.fetch_all(&mut *connection).await? {
            written.insert((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
        }
    }
    Ok(written)
}

fn sqlite_statement(rows: usize) -> String {
    let placeholders = vec!["(?, ?, ?, ?, ?)"; rows].join(", ");
    format!(
        "/* SQLite */ INSERT INTO samples (sn, ts, boot, seq, body) VALUES {placeholders}
         ON CONFLICT DO NOTHING RETURNING sn, boot, seq"
    )
}

async fn insert_postgres(
    connection: &mut sqlx::PgConnection,
    samples: &[(&Serial, &Sample)],
) -> Result<HashSet<RowKey>> {
    let column = |value: fn(&Sample) -> i64| samples.iter().map(move |(_, sample)| value(sample));
    let serials: Vec<&str> = samples.iter().map(|(sn, _)| sn.as_str()).collect();
    let bodies: Vec<Vec<u8>> = samples
        .iter()
        .map(|(_, sample)| row::pack(sample))
        .collect();
    let rows = sqlx::query(
        "INSERT INTO samples (sn, ts, boot, seq, body)
         SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])
         ON CONFLICT DO NOTHING RETURNING sn, boot, seq",
    )
    .bind(serials)
    .bind(column(|sample| sample.at).collect::<Vec<_>>())
    .bind(column(|sample| sample.id.stored_boot()).collect::<Vec<_>>())
    .bind(column(|sample| i64::from(sample.id.seq)).collect::<Vec<_>>())
    .bind(bodies)
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
        .collect::<Result<_, sqlx::Error>>()
        .map_err(Error::from)
}

impl Telemetry {
    /// Stores samples of one system and returns how many were new. Durable when it returns.
    pub async fn append_samples(
        &self,
        sn: &Serial,
        samples: &[Sample],
        now: Millis,
    ) -> Result<usize> {
        let samples: Vec<_> = samples.iter().map(|sample| (sn, sample)).collect();
        let mut tx = self.db.begin().await?;
        let new = super::insert(&mut tx, &samples, now).await?;
        tx.commit().await?;
        Ok(new.into_iter().filter(|new| *new).count())
    }
}
