//! Setting batches: changes by one account at several systems at once, stored with the former values.
use crate::company::colleagues;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::setting::{BATCH_UNDO_WINDOW, BatchId, ChangedField};
use domain::{AccountId, Serial};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub struct Batch {
    pub id: BatchId,
    pub created_at: Millis,
    /// The systems that were changed and that the batch's author may still set, by serial number.
    pub systems: Vec<BatchSystem>,
}

#[derive(Clone, Debug)]
pub struct BatchSystem {
    pub access: Access,
    /// The version that the batch saved.
    pub version: i64,
    pub changes: Vec<ChangedField>,
    /// Whether the notice under §14a had been acknowledged before the batch.
    pub acknowledged: bool,
    pub undone_at: Option<Millis>,
}

/// What a batch saved at one system.
#[derive(Clone, Copy, Debug)]
pub struct NewBatchSystem<'a> {
    pub version: i64,
    pub changes: &'a [ChangedField],
    /// Whether the notice under §14a had been acknowledged before.
    pub acknowledged: bool,
}

#[derive(Debug, FromRow)]
struct Row {
    id: String,
    created_at: Millis,
    sn: String,
    version: i64,
    changes: String,
    acknowledged: bool,
    undone_at: Option<Millis>,
}

impl Store {
    /// The recent batches of an account, newest first, limited to `systems`, which it may still set.
    pub async fn batches(
        &self,
        account: AccountId,
        systems: &[Access],
        now: Millis,
    ) -> Result<Vec<Batch>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT b.id, b.created_at, s.sn, s.version, s.changes, s.acknowledged, s.undone_at
             FROM setting_batches b JOIN setting_batch_systems s ON s.batch_id = b.id
             WHERE b.account_id = $1 AND b.created_at > $2 ORDER BY b.created_at DESC, b.id, s.sn")
            .bind(account.0).bind(now - BATCH_UNDO_WINDOW).fetch_all(p).await)?;
        let accesses = systems.iter().map(|access| (access.sn().as_str(), access));
        let accesses: HashMap<&str, &Access> = accesses.collect();
        let mut batches: Vec<Batch> = Vec::new();
        for row in rows {
            let Some(access) = accesses.get(row.sn.as_str()) else {
                continue;
            };
            let id: BatchId = row
                .id
                .parse()
                .map_err(|_| Error::Damaged("setting_batches.id"))?;
            if batches.last().is_none_or(|batch| batch.id != id) {
                batches.push(Batch {
                    id,
                    created_at: row.created_at,
                    systems: Vec::new(),
                });
            }
            let system = BatchSystem {
                access: (*access).clone(),
                version: row.version,
                changes: changes(&row.changes)?,
                acknowledged: row.acknowledged,
                undone_at: row.undone_at,
            };
            if let Some(batch) = batches.last_mut() {
                batch.systems.push(system);
            }
        }
        Ok(batches)
    }

    pub async fn purge_batches(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM setting_batches WHERE created_at <= $1")
            .bind(now - BATCH_UNDO_WINDOW))?;
        Ok(())
    }
}

/// Records what a batch saved at one system; the first call creates the batch.
pub async fn record_batch(
    tx: &mut Tx,
    access: &Access,
    id: &BatchId,
    saved: NewBatchSystem<'_>,
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO setting_batches (id, account_id, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING"
        )
        .bind(id.as_str())
        .bind(access.account().0)
        .bind(now)
    )?;
    let changes: Vec<_> = saved.changes.iter().map(ChangedField::json).collect();
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO setting_batch_systems (batch_id, sn, version, changes, acknowledged) VALUES ($1, $2, $3, $4, $5)"
        )
        .bind(id.as_str())
        .bind(access.sn().as_str())
        .bind(saved.version)
        .bind(serde_json::Value::Array(changes).to_string())
        .bind(saved.acknowledged)
    )?;
    Ok(())
}

/// Records that a batch was undone at one system; `false` when it had been undone before.
pub async fn mark_undone(tx: &mut Tx, access: &Access, id: &BatchId, now: Millis) -> Result<bool> {
    let marked = execute!(
        tx,
        sqlx::query(
            "UPDATE setting_batch_systems SET undone_at = $3 WHERE batch_id = $1 AND sn = $2 AND undone_at IS NULL"
        )
        .bind(id.as_str())
        .bind(access.sn().as_str())
        .bind(now)
    )?;
    Ok(marked == 1)
}

/// Deletes batch rows of a system: those of an account whose access ends and of its company, or those of all accounts (`None`)
/// when the household leaves.
pub(crate) async fn forget_batches(
    tx: &mut Tx,
    sn: &Serial,
    account: Option<AccountId>,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query(concat!(
            "DELETE FROM setting_batch_systems WHERE sn = $1
                 AND ($2 OR batch_id IN (SELECT id FROM setting_batches WHERE account_id IN (",
            colleagues!("$3"),
            ")))"
        ))
        .bind(sn.as_str())
        .bind(account.is_none())
        .bind(account.map(|account| account.0))
    )?;
    Ok(())
}

fn changes(text: &str) -> Result<Vec<ChangedField>> {
    let damaged = || Error::Damaged("setting_batch_systems.changes");
    let list: Vec<serde_json::Value> = serde_json::from_str(text).map_err(|_| damaged())?;
    let read = list
        .iter()
        .map(|one| ChangedField::from_json(one).ok_or_else(damaged));
    read.collect()
}
