//! Waiting claims, and the battery's main switch that completes them.
use crate::db::Tx;
use crate::journal::{Actor, Entry, Event};
use crate::{Error, Result, Store, system};
use domain::claim::{Claim, ClaimEvent, ClaimState};
use domain::clock::Millis;
use domain::{AccountId, Serial};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingClaim {
    pub sn: String,
    pub state: ClaimState,
    pub expires_at: Millis,
}

#[derive(Debug)]
struct Row {
    account_id: i64,
    sn: String,
    state: String,
    created_at: Millis,
    expires_at: Millis,
}
row!(Row {
    account_id,
    sn,
    state,
    created_at,
    expires_at
});

impl Row {
    fn claim(&self) -> Result<Claim> {
        let known = ClaimState::ALL
            .into_iter()
            .find(|state| state.as_str() == self.state);
        let state = known.ok_or(Error::Damaged("claims.state"))?;
        Ok(Claim {
            state,
            created_at: self.created_at,
            expires_at: self.expires_at,
        })
    }
}

/// Begins a claim or renews the account's own.
pub(crate) async fn begin(tx: &mut Tx, account: AccountId, sn: &Serial, now: Millis) -> Result<()> {
    let claim = Claim::begin(now);
    execute!(tx, sqlx::query(
        "INSERT INTO claims (account_id, sn, state, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (account_id, sn) DO UPDATE
         SET state = excluded.state, created_at = excluded.created_at, expires_at = excluded.expires_at")
        .bind(account.0).bind(sn.as_str()).bind(claim.state.as_str()).bind(claim.created_at).bind(claim.expires_at))?;
    Entry::by(account, Event::ClaimStarted, now)
        .on(sn)
        .write(tx)
        .await
}

/// `owner` has the system now: their claim is done, and whoever else was waiting learns that it is somebody else's.
pub(crate) async fn end_others(
    tx: &mut Tx,
    sn: &Serial,
    owner: AccountId,
    now: Millis,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM claims WHERE sn = $1 AND account_id = $2")
            .bind(sn.as_str())
            .bind(owner.0)
    )?;
    execute!(
        tx,
        sqlx::query(
            "UPDATE claims SET state = 'contested'
             WHERE sn = $1 AND state = 'waiting' AND expires_at >= $2"
        )
        .bind(sn.as_str())
        .bind(now)
    )?;
    Ok(())
}

impl Store {
    /// The claims of an account that have not been completed, as they stand now.
    pub async fn claims_of(&self, account: AccountId, now: Millis) -> Result<Vec<WaitingClaim>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT account_id, sn, state, created_at, expires_at FROM claims WHERE account_id = $1 ORDER BY sn")
            .bind(account.0).fetch_all(p).await)?;
        rows.into_iter()
            .map(|row| {
                let claim = row.claim()?;
                let seen = claim.next(ClaimEvent::Looked { at: now }).unwrap_or(claim);
                Ok(WaitingClaim {
                    sn: row.sn,
                    state: seen.state,
                    expires_at: seen.expires_at,
                })
            })
            .collect()
    }

    /// Serial numbers that somebody waits for; the demo's batteries turn their switch for these.
    pub async fn claimed_serials(
        &self,
        created_before: Millis,
        now: Millis,
    ) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT DISTINCT sn FROM claims WHERE state = 'waiting' AND created_at <= $1 AND expires_at >= $2")
            .bind(created_before).bind(now).fetch_all(p).await)?;
        serials
            .iter()
            .map(|sn| sn.parse().map_err(|_| Error::Damaged("claims.sn")))
            .collect()
    }

    /// [`switch_cycled`] on its own.
    pub async fn switch_cycled(
        &self,
        sn: &Serial,
        at: Millis,
        now: Millis,
    ) -> Result<Option<AccountId>> {
        let mut tx = self.begin().await?;
        let owner = switch_cycled(&mut tx, sn, at, now).await?;
        tx.commit().await?;
        Ok(owner)
    }
}

/// The battery reports that its main switch was turned off and on. Returns the new owner, if that made one.
pub(crate) async fn switch_cycled(
    tx: &mut Tx,
    sn: &Serial,
    at: Millis,
    now: Millis,
) -> Result<Option<AccountId>> {
    let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT account_id, sn, state, created_at, expires_at FROM claims
         WHERE sn = $1 AND state = 'waiting' AND created_at <= $2 AND expires_at >= $2")
        .bind(sn.as_str()).bind(at).fetch_all(c).await)?;
    let mut owner = None;
    for row in &rows {
        let account = AccountId(row.account_id);
        let event = ClaimEvent::SwitchCycled {
            at,
            rivals: rows.len() - 1,
        };
        let Ok(claim) = row.claim()?.next(event) else {
            continue;
        };
        match claim.state {
            ClaimState::Linked if system::link(tx, sn, account, now).await? => {
                owner = Some(account);
                let entry = Entry::by(account, Event::SystemLinked, now).on(sn);
                entry.through(Actor::Battery).write(tx).await?;
            }
            ClaimState::Contested => {
                execute!(
                    &mut *tx,
                    sqlx::query("UPDATE claims SET state = $3 WHERE account_id = $1 AND sn = $2")
                        .bind(account.0)
                        .bind(sn.as_str())
                        .bind(claim.state.as_str())
                )?;
                let entry = Entry::by(account, Event::ClaimContested, now).on(sn);
                entry.through(Actor::Battery).write(tx).await?;
            }
            _ => {}
        }
    }
    Ok(owner)
}
