//! Logins. Every call checks its session, so ending one takes effect at once.
use crate::second_factor::has_second_factor;
use crate::{Error, Result, Store, company};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::session::SessionKind;
use domain::{AccountId, CompanyRole, Role};

pub type SessionId = [u8; 16];

/// The account of a session at the time of this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveSession {
    pub account: AccountId,
    pub role: Role,
    /// The role in an electrician's company.
    pub company_role: Option<CompanyRole>,
    pub kind: SessionKind,
    /// Whether the account has a second factor: TOTP, or a passkey.
    pub second_factor: bool,
}

/// A session, active or over.
#[derive(Clone, Debug, FromRow)]
pub struct StoredSession {
    account_id: i64,
    kind: String,
    pub generation: i64,
    created_at: Millis,
    used_at: Millis,
    ended_at: Option<Millis>,
    role: String,
    company_role: Option<String>,
    locked_at: Option<Millis>,
    second_factor: bool,
}

/// `SELECT …` of a [`StoredSession`] with the given condition.
macro_rules! select {
    ($condition:literal) => {
        concat!(
            "SELECT s.account_id, s.kind, s.generation, s.created_at, s.used_at, s.ended_at,
             a.role, a.company_role, a.locked_at, ",
            has_second_factor!(),
            " AS second_factor FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE ",
            $condition
        )
    };
}

impl StoredSession {
    pub(crate) fn account(&self) -> AccountId {
        AccountId(self.account_id)
    }

    pub(crate) fn company_role(&self) -> Result<Option<CompanyRole>> {
        company::parse_role(self.company_role.as_deref())
    }

    /// The session's account, unless the session has ended or expired, or the account is locked.
    pub fn active(&self, now: Millis) -> Result<Option<ActiveSession>> {
        let kind = kind(&self.kind)?;
        let over = self.ended_at.is_some()
            || self.locked_at.is_some()
            || now > kind.ends_at(self.created_at, self.used_at);
        let role = self
            .role
            .parse()
            .map_err(|_| Error::Damaged("accounts.role"))?;
        Ok((!over).then_some(ActiveSession {
            account: self.account(),
            role,
            company_role: self.company_role()?,
            kind,
            second_factor: self.second_factor,
        }))
    }
}

fn kind(text: &str) -> Result<SessionKind> {
    text.parse().map_err(|_| Error::Damaged("sessions.kind"))
}

impl Store {
    pub async fn start_session(
        &self,
        id: SessionId,
        account: AccountId,
        kind: SessionKind,
        now: Millis,
    ) -> Result<()> {
        execute!(on self, sqlx::query(
            "INSERT INTO sessions (id, account_id, kind, generation, created_at, used_at)
             VALUES ($1, $2, $3, 0, $4, $4)")
            .bind(id.as_slice()).bind(account.0).bind(kind.as_str()).bind(now))?;
        Ok(())
    }

    pub async fn active_session(
        &self,
        id: &SessionId,
        now: Millis,
    ) -> Result<Option<ActiveSession>> {
        let row: Option<StoredSession> = on!(self, p => sqlx::query_as(select!("s.id = $1")).bind(id.as_slice()).fetch_optional(p).await)?;
        row.map_or(Ok(None), |row| row.active(now))
    }

    /// How many sessions of this account are active.
    pub async fn count_sessions(&self, account: AccountId, now: Millis) -> Result<usize> {
        let rows: Vec<StoredSession> = on!(self, p => sqlx::query_as(select!("s.account_id = $1"))
            .bind(account.0).fetch_all(p).await)?;
        let alive = rows
            .iter()
            .map(|row| row.active(now))
            .collect::<Result<Vec<_>>>()?;
        Ok(alive.into_iter().flatten().count())
    }

    /// Deletes sessions that ended or expired before `before`.
    pub async fn purge_sessions(&self, before: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM sessions WHERE ended_at < $1 OR used_at < $1")
            .bind(before))?;
        Ok(())
    }
}

/// Locks the session's row on both databases until the transaction ends.
pub async fn lock(tx: &mut Tx, id: &SessionId) -> Result<Option<StoredSession>> {
    execute!(
        &mut *tx,
        sqlx::query("UPDATE sessions SET generation = generation WHERE id = $1")
            .bind(id.as_slice())
    )?;
    Ok(
        within!(tx, c => sqlx::query_as(select!("s.id = $1")).bind(id.as_slice()).fetch_optional(c).await)?,
    )
}

/// Records the use of a refresh token that leads to `generation`.
pub async fn set_generation(
    tx: &mut Tx,
    id: &SessionId,
    generation: i64,
    now: Millis,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE sessions SET generation = $2, used_at = $3 WHERE id = $1")
            .bind(id.as_slice())
            .bind(generation)
            .bind(now)
    )?;
    Ok(())
}

pub async fn end(tx: &mut Tx, id: &SessionId, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL")
            .bind(id.as_slice())
            .bind(now)
    )?;
    Ok(())
}

/// Ends every session of an account except `keep`.
pub async fn end_all(
    tx: &mut Tx,
    account: AccountId,
    keep: Option<&SessionId>,
    now: Millis,
) -> Result<()> {
    execute!(tx, sqlx::query(
        "UPDATE sessions SET ended_at = $2 WHERE account_id = $1 AND ended_at IS NULL AND id <> $3")
        .bind(account.0).bind(now).bind(keep.map_or(&[][..], SessionId::as_slice)))?;
    Ok(())
}
