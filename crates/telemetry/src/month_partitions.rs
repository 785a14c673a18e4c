//! Sealed days by month. On PostgreSQL each month is a partition, which is created before the first write and dropped as a whole.
//! On SQLite old days are deleted from the single table.
use crate::late_samples::month_number;
use crate::sample_retention::{self, FirstKeptDay};
use crate::{Telemetry, month_objects};
use db::{Error, Pool, Result, Tx, attach_month};
use domain::clock::Millis;
use domain::{SiteDay, Zone};
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use std::collections::BTreeSet;

/// PostgreSQL's advisory lock for creating a partition.
const LOCK_CLASS: i32 = 0x4d4f_4e54;

/// How many months are created in advance.
const MONTHS_AHEAD: usize = 3;

/// Creating and dropping a partition wait for transactions that use the table. Other transactions queue behind them for at most
/// this long.
const LOCK_TIMEOUT: &str = "SET LOCAL lock_timeout = '1s'";

const LIST: &str = "SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'sealed_days'::regclass ORDER BY c.relname";

/// Rows deleted in one transaction. Other writers wait for it.
const ROWS_PER_TRANSACTION: i64 = 500;
/// The same for PostgreSQL, where no writers wait: pages of 8 KiB.
const PAGES_PER_TRANSACTION: i64 = 2_000;

/// A partition of `sealed_days`. Its name ends with its last month: `sealed_days_202611`, or `sealed_days_until_202611` for all the
/// days that were there before the partitions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Partition {
    last_month: i64,
    name: String,
}

impl Partition {
    fn of_month(month: i64) -> Self {
        Self {
            last_month: month,
            name: format!("sealed_days_{month}"),
        }
    }

    fn parse(name: String) -> Option<Self> {
        let last_month = name.rsplit('_').next()?.parse().ok()?;
        Some(Self { last_month, name })
    }

    fn covers(&self, month: i64) -> bool {
        match self.is_from_before() {
            true => month <= self.last_month,
            false => month == self.last_month,
        }
    }

    /// Whether it has many months, from before there were partitions.
    fn is_from_before(&self) -> bool {
        self.name.contains("_until_")
    }
}

/// The partitions that this process has seen. A dropped one is never created again.
#[derive(Debug, Default)]
pub(crate) struct KnownPartitions(BTreeSet<Partition>);

impl KnownPartitions {
    fn cover(&self, month: i64) -> bool {
        self.0.iter().any(|partition| partition.covers(month))
    }
}

impl Telemetry {
    /// Creates the partitions of the present month and the following ones, if they are missing.
    pub async fn make_months(&self, now: Millis) -> Result<()> {
        let mut month = Zone::default().day_of(now).month_start();
        for _ in 0..=MONTHS_AHEAD {
            self.make_month_of(month).await?;
            month = month.next_month();
        }
        Ok(())
    }

    /// Creates the partition of a day, unless it exists or the day is no longer kept. Call it before the transaction that writes
    /// the day.
    pub(crate) async fn make_month_of(&self, day: SiteDay) -> Result<()> {
        let Pool::Postgres(pool) = self.db.pool() else {
            return Ok(());
        };
        let month = month_number(day);
        if self.state().partitions.cover(month) {
            return Ok(());
        }
        let mut tx = Tx::Postgres(pool.begin().await?);
        // Until the end of this transaction the month cannot be dropped.
        let is_kept = sample_retention::hold(&mut tx).await?.keeps(day);
        let Tx::Postgres(mut tx) = tx else {
            return Ok(());
        };
        lock_partitions(&mut tx).await?;
        let mut known = list(&mut *tx).await?;
        if is_kept && !known.iter().any(|partition| partition.covers(month)) {
            attach_month(&mut tx, month).await?;
            known.push(Partition::of_month(month));
        }
        tx.commit().await?;
        self.state().partitions = KnownPartitions(known.into_iter().collect());
        Ok(())
    }

    /// Deletes the full resolution of all months that ended before `keep_from`, everywhere; the totals stay. Returns the first day that
    /// is still kept, if anything had to be deleted.
    pub async fn delete_old_months(&self, keep_from: Millis) -> Result<Option<SiteDay>> {
        self.raise_first_kept_day(FirstKeptDay::to_keep_since(keep_from))
            .await?;
        let Some(first) = self.days_to_delete().await? else {
            return Ok(None);
        };
        let is_complete = match self.db.pool() {
            Pool::Sqlite(_) => self.delete_rows_before(first).await?,
            Pool::Postgres(pool) => drop_partitions_before(pool, first).await?,
        };
        if is_complete {
            self.record_deleted(first).await?;
        }
        Ok(first.day())
    }

    /// Days before this one are deleted, with their objects.
    async fn record_deleted(&self, first: FirstKeptDay) -> Result<()> {
        let mut tx = self.db.begin().await?;
        month_objects::erase_before(&mut tx, first.number() / 100).await?;
        let deleted = "UPDATE sample_retention SET deleted_to = $1 WHERE deleted_to < $1";
        execute!(&mut tx, sqlx::query(deleted).bind(first.number()))?;
        tx.commit().await
    }

    /// On SQLite, in small transactions, because reports wait for each.
    async fn delete_rows_before(&self, first: FirstKeptDay) -> Result<bool> {
        loop {
            let deleted = execute!(on self, sqlx::query(
                "/* SQLite */ DELETE FROM sealed_days WHERE rowid IN (SELECT rowid FROM sealed_days WHERE day < $1 LIMIT $2)")
                .bind(first.number()).bind(ROWS_PER_TRANSACTION))?;
            if deleted == 0 {
                return Ok(true);
            }
            tokio::task::yield_now().await;
        }
    }
}

async fn list<'c>(executor: impl sqlx::PgExecutor<'c>) -> Result<Vec<Partition>> {
    let names: Vec<String> = sqlx::query_scalar(LIST).fetch_all(executor).await?;
    Ok(names.into_iter().filter_map(Partition::parse).collect())
}

async fn lock_partitions(tx: &mut Transaction<'static, Postgres>) -> Result<()> {
    sqlx::query(LOCK_TIMEOUT).execute(&mut **tx).await?;
    let lock = sqlx::query("SELECT pg_advisory_xact_lock($1, 0)");
    lock.bind(LOCK_CLASS).execute(&mut **tx).await?;
    Ok(())
}

/// Returns whether all of it is gone. A month that is in use is left for the next run.
async fn drop_partitions_before(pool: &PgPool, first: FirstKeptDay) -> Result<bool> {
    for partition in list(pool).await? {
        if partition.last_month < first.number() / 100 {
            match drop_partition(pool, &partition).await {
                Err(error) if is_lock_timeout(&error) => {
                    let month = partition.last_month;
                    tracing::info!(month, "month_in_use: dropping it is tried again");
                    return Ok(false);
                }
                dropped => dropped?,
            }
        } else if partition.is_from_before() {
            delete_from(pool, &partition, first).await?;
        }
    }
    Ok(true)
}

/// Fails if an open transaction, such as a dump, has read or written sealed days.
async fn drop_partition(pool: &PgPool, partition: &Partition) -> Result<()> {
    let mut tx = pool.begin().await?;
    lock_partitions(&mut tx).await?;
    let drop = format!("DROP TABLE IF EXISTS {}", partition.name);
    sqlx::query(AssertSqlSafe(drop)).execute(&mut *tx).await?;
    tx.commit().await?;
    tracing::info!(month = partition.last_month, "month_dropped");
    Ok(())
}

/// Deletes days by going once through the table, some pages in each transaction: it has no index by day.
async fn delete_from(pool: &PgPool, partition: &Partition, first: FirstKeptDay) -> Result<()> {
    let name = &partition.name;
    let pages = format!(
        "SELECT pg_relation_size('{name}'::regclass) / current_setting('block_size')::bigint"
    );
    let pages: i64 = sqlx::query_scalar(AssertSqlSafe(pages))
        .fetch_one(pool)
        .await?;
    let mut page = 0;
    while page < pages {
        let next = page + PAGES_PER_TRANSACTION;
        let delete = format!(
            "DELETE FROM {name} WHERE ctid >= '({page},0)'::tid AND ctid < '({next},0)'::tid AND day < $1"
        );
        let delete = sqlx::query(AssertSqlSafe(delete));
        delete.bind(first.number()).execute(pool).await?;
        page = next;
    }
    Ok(())
}

/// Whether a statement timed out waiting for a lock.
fn is_lock_timeout(error: &Error) -> bool {
    match error {
        Error::Sqlx(sqlx::Error::Database(cause)) => cause.code().as_deref() == Some("55P03"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_partition_says_by_its_name_which_months_it_has() {
        let one = Partition::parse("sealed_days_202611".to_owned()).unwrap();
        assert_eq!(one, Partition::of_month(202_611));
        assert!(one.covers(202_611) && !one.covers(202_610));
        let before = Partition::parse("sealed_days_until_202611".to_owned()).unwrap();
        assert!(before.covers(202_611) && before.covers(202_410) && !before.covers(202_612));
    }
}
