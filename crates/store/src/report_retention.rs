//! Deletes old reports of batteries other than samples: events, undated samples, rejects. Each has a maximum age, and a maximum
//! number per system, so that one battery cannot fill the disk.
//!
//! Everything is deleted in small batches, each a transaction of its own: on SQLite batteries wait for the writer meanwhile.
use crate::{Result, Store};
use domain::clock::{DAY, Millis};

const MAX_UNDATED_SAMPLE_AGE: Millis = 90 * DAY;
const MAX_REJECT_AGE: Millis = 30 * DAY;
/// The newest are kept. (Rejects are limited when they are written: `reject.rs`.)
const MAX_EVENTS_PER_SYSTEM: i64 = 10_000;
const MAX_UNDATED_SAMPLES_PER_SYSTEM: i64 = 5_000;
const BATCH_SIZE: i64 = 500;

/// The newest event of each code stays, however old it is: an open alarm or the day of the next calibration may depend on it. An
/// event without a time is never shown, so nothing depends on it.
macro_rules! superseded {
    () => {
        "(e.at IS NULL OR EXISTS (SELECT 1 FROM events n WHERE n.sn = e.sn AND n.code = e.code
             AND (n.at, n.boot, n.seq) > (e.at, e.boot, e.seq)))"
    };
}

const DELETE_OLD_EVENTS: &str = concat!(
    "DELETE FROM events WHERE (sn, boot, seq) IN (SELECT e.sn, e.boot, e.seq FROM events e
         WHERE e.received_at < $1 AND ",
    superseded!(),
    " LIMIT $2)"
);
const DELETE_OLD_UNDATED_SAMPLES: &str =
    "DELETE FROM hidden_samples WHERE (sn, boot, seq) IN (SELECT sn, boot, seq FROM hidden_samples
         WHERE received_at < $1 LIMIT $2)";
const DELETE_OLD_REJECTS: &str =
    "DELETE FROM rejects WHERE id IN (SELECT id FROM rejects WHERE received_at < $1 LIMIT $2)";

/// What is limited per system. `last_kept` finds the oldest row that stays; `delete` takes it as `$2` to `$4`.
struct Cap {
    most: i64,
    crowded_systems: &'static str,
    last_kept: &'static str,
    delete: &'static str,
}

const CAPS: [Cap; 3] = [
    // Journal entries of a battery follow its events: every one of them has an entry.
    Cap {
        most: MAX_EVENTS_PER_SYSTEM,
        crowded_systems: "SELECT sn FROM events GROUP BY sn HAVING COUNT(*) > $1",
        last_kept: "SELECT at, id, CAST(0 AS BIGINT) FROM journal WHERE sn = $1 AND actor = 'battery' AND account_id IS NULL
             ORDER BY at DESC, id DESC LIMIT 1 OFFSET $2 - 1",
        delete: "DELETE FROM journal WHERE id IN (SELECT id FROM journal WHERE sn = $1 AND actor = 'battery'
             AND account_id IS NULL AND (at, id, CAST(0 AS BIGINT)) < ($2, $3, $4) LIMIT $5)",
    },
    Cap {
        most: MAX_EVENTS_PER_SYSTEM,
        crowded_systems: "SELECT sn FROM events GROUP BY sn HAVING COUNT(*) > $1",
        last_kept: "SELECT received_at, boot, seq FROM events WHERE sn = $1
             ORDER BY received_at DESC, boot DESC, seq DESC LIMIT 1 OFFSET $2 - 1",
        delete: concat!(
            "DELETE FROM events WHERE sn = $1 AND (boot, seq) IN (SELECT e.boot, e.seq FROM events e WHERE e.sn = $1
                 AND (e.received_at, e.boot, e.seq) < ($2, $3, $4) AND ",
            superseded!(),
            " LIMIT $5)"
        ),
    },
    Cap {
        most: MAX_UNDATED_SAMPLES_PER_SYSTEM,
        crowded_systems: "SELECT sn FROM hidden_samples GROUP BY sn HAVING COUNT(*) > $1",
        last_kept: "SELECT received_at, boot, seq FROM hidden_samples WHERE sn = $1
             ORDER BY received_at DESC, boot DESC, seq DESC LIMIT 1 OFFSET $2 - 1",
        delete: "DELETE FROM hidden_samples WHERE sn = $1 AND (boot, seq) IN (SELECT boot, seq FROM hidden_samples
             WHERE sn = $1 AND (received_at, boot, seq) < ($2, $3, $4) LIMIT $5)",
    },
];

impl Store {
    /// Deletes reports that are too old, or too many. Events are kept as long as samples in full resolution: from `keep_from` on.
    /// Returns how many rows were deleted.
    pub async fn purge_reports(&self, keep_from: Millis, now: Millis) -> Result<u64> {
        let mut deleted = 0;
        for (delete, before) in [
            (DELETE_OLD_EVENTS, keep_from),
            (DELETE_OLD_UNDATED_SAMPLES, now - MAX_UNDATED_SAMPLE_AGE),
            (DELETE_OLD_REJECTS, now - MAX_REJECT_AGE),
        ] {
            deleted += self.delete_in_batches(delete, None, &[before]).await?;
        }
        for cap in &CAPS {
            let crowded: Vec<String> = on!(self, p => sqlx::query_scalar(cap.crowded_systems)
                .bind(cap.most).fetch_all(p).await)?;
            for sn in crowded {
                deleted += self.apply_cap(cap, &sn).await?;
            }
        }
        Ok(deleted)
    }

    /// Keeps the newest of a system.
    async fn apply_cap(&self, cap: &Cap, sn: &str) -> Result<u64> {
        let last_kept: Option<(i64, i64, i64)> = on!(self, p => sqlx::query_as(cap.last_kept)
            .bind(sn).bind(cap.most).fetch_optional(p).await)?;
        let Some((at, first, second)) = last_kept else {
            return Ok(0);
        };
        self.delete_in_batches(cap.delete, Some(sn), &[at, first, second])
            .await
    }

    /// Repeats a statement until it deletes nothing more. Its parameters are the system, if any, the numbers, and the size of a
    /// batch.
    async fn delete_in_batches(
        &self,
        delete: &'static str,
        sn: Option<&str>,
        numbers: &[i64],
    ) -> Result<u64> {
        let mut total = 0;
        loop {
            let mut tx = self.db.begin().await?;
            let deleted = execute!(&mut tx, {
                let mut query = sqlx::query(delete);
                if let Some(sn) = sn {
                    query = query.bind(sn);
                }
                for number in numbers {
                    query = query.bind(*number);
                }
                query.bind(BATCH_SIZE)
            })?;
            tx.commit_invalidating(std::iter::empty()).await?;
            total += deleted;
            if deleted == 0 {
                return Ok(total);
            }
        }
    }
}
