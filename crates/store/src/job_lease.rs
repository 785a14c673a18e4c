//! Which process runs the jobs of which shard. On PostgreSQL processes share them by leases in the database; on SQLite the only
//! process has them all. Leases use the database's clock in real time, because the clocks of processes may differ.
use crate::{Error, Result, Store};
use db::{Pool, Tx};
use domain::shard::{SHARDS, Shard, ShardSet};
use std::collections::BTreeMap;
use std::time::Duration;

/// The leases of this process.
#[derive(Clone, Debug, Default)]
pub struct ShardLeases(BTreeMap<Shard, i64>);

/// The right to write the results of a job, until another process holds its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLease {
    shard: Shard,
    token: i64,
}

impl ShardLeases {
    /// All shards, for the only process.
    pub fn all() -> Self {
        Self(Shard::each().map(|shard| (shard, 0)).collect())
    }

    pub fn shards(&self) -> ShardSet {
        self.0.keys().copied().collect()
    }

    /// `None` if the shard is not held.
    pub fn lease(&self, shard: Shard) -> Option<JobLease> {
        let token = *self.0.get(&shard)?;
        Some(JobLease { shard, token })
    }
}

impl JobLease {
    /// Whether the shard is still held. If so, no other process gets it before the transaction ends.
    pub async fn is_held(self, tx: &mut Tx) -> Result<bool> {
        let Tx::Postgres(tx) = tx else {
            return Ok(true);
        };
        let held: Option<i64> = sqlx::query_scalar(
            "SELECT shard FROM job_leases WHERE shard = $1 AND token = $2 FOR SHARE",
        )
        .bind(self.shard.number())
        .bind(self.token)
        .fetch_optional(&mut **tx)
        .await?;
        Ok(held.is_some())
    }
}

/// Milliseconds of the database's clock.
macro_rules! clock {
    () => {
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    };
}

impl Store {
    /// Extends this process's leases by `duration`, and takes or releases some until it has its fair share.
    pub async fn renew_job_leases(&self, worker: i64, duration: Duration) -> Result<ShardLeases> {
        let Pool::Postgres(pool) = self.db.pool() else {
            return Ok(ShardLeases::all());
        };
        let duration = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        let mut tx = pool.begin().await?;
        sqlx::query(concat!(
            "INSERT INTO job_workers (id, expires_at) VALUES ($1, ",
            clock!(),
            " + $2)
             ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at"
        ))
        .bind(worker)
        .bind(duration)
        .execute(&mut *tx)
        .await?;
        // After an outage all leases have expired, and each process extends its own while it deletes those of the others. It must
        // not wait.
        sqlx::query(concat!(
            "DELETE FROM job_workers WHERE id IN (SELECT id FROM job_workers WHERE expires_at <= ",
            clock!(),
            " FOR UPDATE SKIP LOCKED)"
        ))
        .execute(&mut *tx)
        .await?;
        let workers: i64 = sqlx::query_scalar(concat!(
            "SELECT count(*) FROM job_workers WHERE expires_at > ",
            clock!()
        ))
        .fetch_one(&mut *tx)
        .await?;
        let fair_part = usize::try_from((SHARDS + workers - 1) / workers.max(1)).unwrap_or(0);
        let kept: Vec<(i64, i64)> = sqlx::query_as(concat!(
            "UPDATE job_leases SET expires_at = ",
            clock!(),
            " + $2
             WHERE holder = $1 AND expires_at > ",
            clock!(),
            " RETURNING shard, token"
        ))
        .bind(worker)
        .bind(duration)
        .fetch_all(&mut *tx)
        .await?;
        let mut held = ShardLeases::from_rows(kept)?;
        if held.0.len() > fair_part {
            let surplus: Vec<i64> = held
                .0
                .keys()
                .skip(fair_part)
                .map(|shard| shard.number())
                .collect();
            held.0.retain(|shard, _| !surplus.contains(&shard.number()));
            sqlx::query("UPDATE job_leases SET holder = NULL, expires_at = 0 WHERE holder = $1 AND shard = ANY($2)")
                .bind(worker).bind(&surplus).execute(&mut *tx).await?;
        }
        let wanted = i64::try_from(fair_part - held.0.len()).unwrap_or(0);
        if wanted > 0 {
            let taken: Vec<(i64, i64)> = sqlx::query_as(concat!(
                "UPDATE job_leases SET holder = $1, token = token + 1, expires_at = ",
                clock!(),
                " + $2
                 WHERE shard IN (SELECT shard FROM job_leases WHERE expires_at <= ",
                clock!(),
                "
                     ORDER BY shard LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING shard, token"
            ))
            .bind(worker)
            .bind(duration)
            .bind(wanted)
            .fetch_all(&mut *tx)
            .await?;
            held.0.extend(ShardLeases::from_rows(taken)?.0);
        }
        tx.commit().await?;
        Ok(held)
    }

    /// Releases all leases of this process before it stops.
    pub async fn release_job_leases(&self, worker: i64) -> Result<()> {
        let Pool::Postgres(pool) = self.db.pool() else {
            return Ok(());
        };
        for release in [
            "UPDATE job_leases SET holder = NULL, expires_at = 0 WHERE holder = $1",
            "DELETE FROM job_workers WHERE id = $1",
        ] {
            sqlx::query(release).bind(worker).execute(pool).await?;
        }
        Ok(())
    }
}

impl ShardLeases {
    fn from_rows(rows: Vec<(i64, i64)>) -> Result<Self> {
        let held = |(shard, token)| {
            let shard = Shard::from_number(shard).ok_or(Error::Damaged("job_leases.shard"))?;
            Ok((shard, token))
        };
        rows.into_iter().map(held).collect::<Result<_>>().map(Self)
    }
}
