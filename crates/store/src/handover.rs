//! Offers to hand a system over to the person who enters a mailed code.
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::grant::HANDOVER_TTL;
use domain::{AccountId, Email, Serial};

/// A pending offer.
#[derive(Clone, Debug, FromRow)]
pub struct Handover {
    pub id: i64,
    pub sn: String,
    pub email: String,
    pub created_at: Millis,
    pub until: Millis,
    account_id: i64,
}

impl Handover {
    pub fn serial(&self) -> Result<Serial> {
        self.sn.parse().map_err(|_| Error::Damaged("handovers.sn"))
    }

    /// The owner who made the offer.
    pub fn owner(&self) -> AccountId {
        AccountId(self.account_id)
    }
}

/// Inserts an offer. Replaces an earlier offer of the system.
pub async fn insert(
    tx: &mut Tx,
    access: &Access,
    email: &Email,
    code_hash: &[u8],
    now: Millis,
) -> Result<Handover> {
    Ok(within!(tx, c => sqlx::query_as(
        "INSERT INTO handovers (sn, account_id, email, code_hash, created_at, until) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (sn) DO UPDATE SET account_id = excluded.account_id, email = excluded.email,
             code_hash = excluded.code_hash, created_at = excluded.created_at, until = excluded.until
         RETURNING id, sn, email, created_at, until, account_id")
        .bind(access.sn().as_str())
        .bind(access.account().0)
        .bind(email.as_str())
        .bind(code_hash)
        .bind(now)
        .bind(now + HANDOVER_TTL)
        .fetch_one(c).await)?)
}

/// Deletes an offer of this owner and returns its system.
pub async fn delete(tx: &mut Tx, owner: AccountId, id: i64) -> Result<Option<Serial>> {
    let sn: Option<String> = within!(tx, c => sqlx::query_scalar(
        "DELETE FROM handovers WHERE id = $1 AND account_id = $2 RETURNING sn")
        .bind(id).bind(owner.0).fetch_optional(c).await)?;
    let sn = sn.map(|sn| sn.parse()).transpose();
    sn.map_err(|_| Error::Damaged("handovers.sn"))
}

/// The offer behind a code, if it has not expired and its author still owns the system.
pub async fn find_by_code(tx: &mut Tx, hash: &[u8], now: Millis) -> Result<Option<Handover>> {
    Ok(within!(tx, c => sqlx::query_as(
        "SELECT h.id, h.sn, h.email, h.created_at, h.until, h.account_id FROM handovers h
         JOIN systems y ON y.sn = h.sn AND y.owner_id = h.account_id
         WHERE h.code_hash = $1 AND h.until > $2")
        .bind(hash).bind(now).fetch_optional(c).await)?)
}

impl Store {
    pub async fn handovers_of(&self, owner: AccountId, now: Millis) -> Result<Vec<Handover>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT id, sn, email, created_at, until, account_id FROM handovers
             WHERE account_id = $1 AND until > $2 ORDER BY sn")
            .bind(owner.0).bind(now).fetch_all(p).await)?)
    }
}
