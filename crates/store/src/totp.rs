//! TOTP of an account. A code or recovery code works once, whichever process receives it.
use crate::{Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::AccountId;
use domain::clock::Millis;
use domain::totp::{ENROLMENT_TTL, RecoveryCode, TotpSecret, latest_step};

/// An active second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totp {
    pub since: Millis,
    /// How many recovery codes are left.
    pub recovery_codes: usize,
}

/// A secret as it is stored: shown and not confirmed yet, or active.
#[derive(Debug, FromRow)]
pub struct StoredTotp {
    secret: Vec<u8>,
    created_at: Millis,
    since: Option<Millis>,
    used_step: i64,
}

impl StoredTotp {
    pub fn is_active(&self) -> bool {
        self.since.is_some()
    }

    /// Whether a code may still confirm it.
    pub fn awaits_confirmation(&self, now: Millis) -> bool {
        self.since.is_none() && now <= self.created_at + ENROLMENT_TTL
    }

    /// The time step of a code, if it may still be used.
    pub fn step_of(&self, keyring: &Keyring, code: &str, now: Millis) -> Option<i64> {
        let clear = keyring.decrypt(Purpose::TotpSecret, &self.secret);
        let secret = clear.and_then(|clear| TotpSecret::from_bytes(&clear));
        if secret.is_none() {
            tracing::error!(
                "second_factor_unreadable: it was encrypted with another secret; only the operator's reset helps"
            );
        }
        secret?.step_of(code, self.used_step, now)
    }
}

impl Store {
    pub async fn totp(&self, account: AccountId) -> Result<Option<Totp>> {
        let since: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT since FROM totp WHERE account_id = $1 AND since IS NOT NULL")
            .bind(account.0).fetch_optional(p).await)?;
        let Some(since) = since else { return Ok(None) };
        let left: i64 = on!(self, p => sqlx::query_scalar(
            "SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1 AND used_at IS NULL")
            .bind(account.0).fetch_one(p).await)?;
        Ok(Some(Totp {
            since,
            recovery_codes: usize::try_from(left).unwrap_or(0),
        }))
    }

    /// Deletes secrets that were shown and never confirmed.
    pub async fn purge_totp(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM totp WHERE since IS NULL AND created_at < $1")
            .bind(now - ENROLMENT_TTL))?;
        Ok(())
    }
}

pub async fn find(tx: &mut Tx, account: AccountId) -> Result<Option<StoredTotp>> {
    Ok(within!(tx, c => sqlx::query_as(
        "SELECT secret, created_at, since, used_step FROM totp WHERE account_id = $1")
        .bind(account.0).fetch_optional(c).await)?)
}

/// Stores a secret that is being shown. `false` if the account has an active one already.
pub async fn begin(
    tx: &mut Tx,
    keyring: &Keyring,
    account: AccountId,
    secret: &TotpSecret,
    nonce: [u8; 12],
    now: Millis,
) -> Result<bool> {
    let encrypted = keyring.encrypt(Purpose::TotpSecret, nonce, secret.as_bytes());
    let begun = execute!(tx, sqlx::query(
        "INSERT INTO totp (account_id, secret, created_at, used_step) VALUES ($1, $2, $3, 0)
         ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
         WHERE totp.since IS NULL")
        .bind(account.0).bind(encrypted).bind(now))?;
    Ok(begun == 1)
}

/// Activates the shown secret; `step` is that of its first code. `false` if another one has been shown since, or if it is active
/// already.
pub async fn activate(
    tx: &mut Tx,
    account: AccountId,
    shown: &StoredTotp,
    step: i64,
    now: Millis,
) -> Result<bool> {
    let activated = execute!(
        tx,
        sqlx::query(
            "UPDATE totp SET since = $2, used_step = $3 WHERE account_id = $1 AND since IS NULL AND secret = $4"
        )
        .bind(account.0)
        .bind(now)
        .bind(step)
        .bind(&shown.secret)
    )?;
    Ok(activated == 1)
}

/// Uses up the code of a time step. Of two processes with the same code, only one gets `true`.
pub async fn use_step(tx: &mut Tx, account: AccountId, step: i64, now: Millis) -> Result<bool> {
    let taken = execute!(
        tx,
        sqlx::query(
            "UPDATE totp SET used_step = $2 WHERE account_id = $1 AND (used_step < $2 OR used_step > $3)"
        )
        .bind(account.0)
        .bind(step)
        .bind(latest_step(now))
    )?;
    Ok(taken == 1)
}

/// Uses up a recovery code and returns how many are left. `None` if it is wrong or used.
pub async fn use_recovery_code(
    tx: &mut Tx,
    keyring: &Keyring,
    account: AccountId,
    code: &RecoveryCode,
    now: Millis,
) -> Result<Option<i64>> {
    let hashes = keyring.hashes(Purpose::RecoveryCode, code.as_str().as_bytes());
    let taken: Option<i64> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_scalar(
        "UPDATE recovery_codes SET used_at = $3 WHERE account_id = $1 AND hash = $2 AND used_at IS NULL
         RETURNING account_id")
        .bind(account.0).bind(hash).bind(now).fetch_optional(c).await)?);
    if taken.is_none() {
        return Ok(None);
    }
    let left: i64 = within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1 AND used_at IS NULL")
        .bind(account.0).fetch_one(c).await)?;
    Ok(Some(left))
}

pub async fn replace_recovery_codes(
    tx: &mut Tx,
    keyring: &Keyring,
    account: AccountId,
    codes: &[RecoveryCode],
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1").bind(account.0)
    )?;
    for code in codes {
        execute!(
            &mut *tx,
            sqlx::query(
                "INSERT INTO recovery_codes (account_id, hash, created_at) VALUES ($1, $2, $3)"
            )
            .bind(account.0)
            .bind(keyring.hash(Purpose::RecoveryCode, code.as_str().as_bytes()))
            .bind(now)
        )?;
    }
    Ok(())
}

/// Deletes an active second factor and its recovery codes. `false` if there was none.
pub async fn delete(tx: &mut Tx, account: AccountId) -> Result<bool> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1").bind(account.0)
    )?;
    let deleted = execute!(
        tx,
        sqlx::query("DELETE FROM totp WHERE account_id = $1 AND since IS NOT NULL").bind(account.0)
    )?;
    Ok(deleted == 1)
}
