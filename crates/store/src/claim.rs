//! Waiting claims.
mod switch_pattern;

pub(crate) use switch_pattern::apply_switch_pattern;

use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::claim::{CONTEST_TTL, Claim, ClaimEvent, ClaimState};
use domain::clock::Millis;
use domain::{AccountId, Serial};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingClaim {
    pub sn: String,
    pub state: ClaimState,
    pub expires_at: Millis,
}

#[derive(Debug, FromRow)]
struct Row {
    account_id: i64,
    sn: String,
    state: String,
    created_at: Millis,
    expires_at: Millis,
}

impl Row {
    fn claim(&self) -> Result<Claim> {
        let state = self.state.parse();
        Ok(Claim {
            state: state.map_err(|_| Error::Damaged("claims.state"))?,
            created_at: self.created_at,
            expires_at: self.expires_at,
        })
    }
}

/// Inserts a claim, or renews the account's own.
pub async fn begin(tx: &mut Tx, account: AccountId, sn: &Serial, now: Millis) -> Result<()> {
    let claim = Claim::begin(now);
    execute!(tx, sqlx::query(
        "INSERT INTO claims (account_id, sn, state, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (account_id, sn) DO UPDATE
         SET state = excluded.state, created_at = excluded.created_at, expires_at = excluded.expires_at")
        .bind(account.0).bind(sn.as_str()).bind(claim.state.as_str()).bind(claim.created_at).bind(claim.expires_at))?;
    Ok(())
}

/// Deletes the new owner's claim and marks other waiting claims as contested, so their accounts see that the system has an owner.
pub(crate) async fn close_claims(
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
    /// The account's claims that are not completed, in their state at `now`.
    pub async fn claims_of(&self, account: AccountId, now: Millis) -> Result<Vec<WaitingClaim>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT account_id, sn, state, created_at, expires_at FROM claims WHERE account_id = $1 ORDER BY sn")
            .bind(account.0).fetch_all(p).await)?;
        rows.into_iter()
            .map(|row| {
                let claim = row.claim()?;
                let seen = claim.next(ClaimEvent::Polled { at: now }).unwrap_or(claim);
                Ok(WaitingClaim {
                    sn: row.sn,
                    state: seen.state,
                    expires_at: seen.expires_at,
                })
            })
            .collect()
    }

    /// Serial numbers with a waiting claim; the demo's batteries perform the pattern for these.
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

    /// Deletes claims that ended so long ago that they no longer contest others.
    pub async fn purge_claims(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM claims WHERE expires_at < $1").bind(now - CONTEST_TTL))?;
        Ok(())
    }
}
