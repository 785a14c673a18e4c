//! Transactions, and on SQLite the queue of those who want to write.
use crate::{Changes, Result};
use domain::Serial;
use sqlx::{Postgres, Sqlite, SqlitePool, Transaction};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How long to wait for a connection or a lock: the error should arrive before the request times out.
pub(crate) const WAIT_TIMEOUT: Duration = Duration::from_secs(10);

/// A transaction. Dropped without a commit, it changes nothing.
pub enum Tx {
    /// Its commit counts as a write of this process.
    Sqlite(Transaction<'static, Sqlite>, Changes, WritePermit),
    /// Other processes write here, too, so nothing is cached that a write would have to invalidate.
    Postgres(Transaction<'static, Postgres>),
}

impl Tx {
    pub(crate) async fn begin_sqlite(
        pool: &SqlitePool,
        permit: WritePermit,
        changes: Changes,
    ) -> Result<Self> {
        // IMMEDIATE: a deferred transaction that reads first and writes later fails with SQLITE_BUSY instead of waiting.
        let tx = pool.begin_with("BEGIN IMMEDIATE").await?;
        Ok(Self::Sqlite(tx, changes, permit))
    }

    pub async fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(tx, changes, _permit) => {
                let done = tx.commit().await;
                // Also after a failed commit: it may have been written nevertheless.
                changes.count_write();
                done?;
            }
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }

    /// Commits a change that affects nobody's rights. Only what is cached about these systems becomes stale.
    pub async fn commit_invalidating(self, changed: impl Iterator<Item = &Serial>) -> Result<()> {
        match self {
            Self::Sqlite(tx, changes, _permit) => {
                let done = tx.commit().await;
                changes.count_systems(changed);
                done?;
            }
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}

/// The writers of this process write one at a time, in the order in which they asked. SQLite itself only lets those who wait try again
/// and again: under load somebody waits in vain until the timeout, and holds a connection all the while.
#[derive(Clone, Debug)]
pub(crate) struct WriteQueue(Arc<Semaphore>);

/// Held by the one who may write.
#[derive(Debug)]
pub struct WritePermit(#[expect(dead_code, reason = "released on drop")] OwnedSemaphorePermit);

impl Default for WriteQueue {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl WriteQueue {
    pub(crate) async fn permit(&self) -> sqlx::Result<WritePermit> {
        let begun = Instant::now();
        let permit = self.0.clone().acquire_owned();
        let permit = tokio::time::timeout(WAIT_TIMEOUT, permit).await;
        metrics::histogram!("database_write_wait_seconds").record(begun.elapsed());
        match permit {
            Ok(Ok(permit)) => Ok(WritePermit(permit)),
            Ok(Err(_closed)) => Err(sqlx::Error::PoolClosed),
            Err(_elapsed) => Err(sqlx::Error::PoolTimedOut),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Db;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn transactions_of_a_file_write_in_the_order_in_which_they_asked() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("portal.db").display());
        let db = Db::open(&url).await.unwrap();
        let first = db.begin().await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = tokio::task::JoinSet::new();
        for number in 0..20 {
            let (db, order) = (db.clone(), order.clone());
            waiting.spawn(async move {
                let tx = db.begin().await.unwrap();
                order.lock().unwrap().push(number);
                tx.commit().await.unwrap();
            });
        }
        tokio::task::yield_now().await; // all of them ask, in this order
        first.commit().await.unwrap();
        waiting.join_all().await;
        assert_eq!(*order.lock().unwrap(), (0..20).collect::<Vec<_>>());
    }
}
