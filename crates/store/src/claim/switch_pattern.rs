//! The pattern of the battery's main switch, which completes a claim.
use super::Row;
use crate::journal::{Actor, NewEntry};
use crate::{Result, Store, system};
use db::Tx;
use domain::claim::{CONTEST_TTL, ClaimEvent, ClaimState};
use domain::clock::Millis;
use domain::journal::JournalEvent;
use domain::{AccountId, Serial};

impl Store {
    /// [`apply_switch_pattern`] in its own transaction, for a pattern that began and ended at `at`.
    pub async fn report_switch_cycle(
        &self,
        sn: &Serial,
        at: Millis,
        now: Millis,
    ) -> Result<Option<AccountId>> {
        let mut tx = self.db.begin().await?;
        let owner = apply_switch_pattern(&mut tx, sn, at, at, now).await?;
        tx.commit().await?;
        Ok(owner)
    }
}

/// Applies a switch pattern that the battery reported. Returns the new owner if the pattern completed a claim.
pub(crate) async fn apply_switch_pattern(
    tx: &mut Tx,
    sn: &Serial,
    from: Millis,
    until: Millis,
    now: Millis,
) -> Result<Option<AccountId>> {
    if needs_code(tx, sn, now).await? {
        return Ok(None);
    }
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT account_id, sn, state, created_at, expires_at FROM claims WHERE sn = $1
             AND ((state = 'waiting' AND created_at <= $2 AND expires_at >= $2) OR (state = 'contested' AND expires_at >= $3))")
        .bind(sn.as_str()).bind(until).bind(until - CONTEST_TTL).fetch_all(c).await)?;
    let mut owner = None;
    for row in &rows {
        let account = AccountId(row.account_id);
        let event = ClaimEvent::PatternReported {
            from,
            until,
            rivals: rows.len() - 1,
        };
        let Ok(claim) = row.claim()?.next(event) else {
            continue;
        };
        match claim.state {
            ClaimState::Linked if system::link_by_switch(tx, sn, account, from, now).await? => {
                owner = Some(account);
                let entry = NewEntry::by(account, JournalEvent::SystemLinked, now).on(sn);
                entry.with_actor(Actor::Battery).write(tx).await?;
            }
            ClaimState::Contested => {
                execute!(
                    &mut *tx,
                    sqlx::query("UPDATE claims SET state = $3 WHERE account_id = $1 AND sn = $2")
                        .bind(account.0)
                        .bind(sn.as_str())
                        .bind(claim.state.as_str())
                )?;
                let entry = NewEntry::by(account, JournalEvent::ClaimContested, now).on(sn);
                entry.with_actor(Actor::Battery).write(tx).await?;
            }
            _ => {}
        }
    }
    Ok(owner)
}

/// Whether this unit can be linked only with a code: a code is unused, an installer is working on it, the unit was exchanged, or
/// it does not exist. Accounts with a pending claim do not learn this.
async fn needs_code(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<bool> {
    let free: bool = within!(tx, c => sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM systems WHERE sn = $1 AND owner_id IS NULL AND retired_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM code_systems cs JOIN codes c ON c.hash = cs.code_hash
                 WHERE cs.sn = $1 AND c.used_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM grants WHERE sn = $1 AND state = 'active' AND (until IS NULL OR until > $2))")
        .bind(sn.as_str()).bind(now).fetch_one(c).await)?;
    Ok(!free)
}
