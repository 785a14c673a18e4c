//! The second factor of an account. A code counts once, whichever process it reaches; a recovery code works once, too.
use crate::db::Tx;
use crate::grant::{Letter, Recipient};
use crate::journal::{Actor, Entry, Event};
use crate::mail::Desk;
use crate::session::{SessionId, end_all};
use crate::{Purpose, Result, Store};
use domain::clock::Millis;
use domain::totp::{ENROL_LIFE, Factor, RecoveryCode, Secret};
use domain::{AccountId, Email};
use serde_json::json;

/// Where somebody goes who did not do what a mail tells.
const PAGE: &str = "/lock";

/// A second factor that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totp {
    pub since: Millis,
    /// How many recovery codes are left.
    pub recovery_codes: usize,
}

/// How confirming a shown secret ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmed {
    Yes,
    WrongCode,
    /// No secret was shown, or too long ago.
    NotBegun,
}

/// How an operator's reset ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    Done,
    NoAccount,
    /// The account has no second factor.
    Nothing,
}

#[derive(Debug)]
struct Row {
    secret: Vec<u8>,
    created_at: Millis,
    since: Option<Millis>,
    used_step: i64,
}
row!(Row {
    secret,
    created_at,
    since,
    used_step
});

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

    /// Keeps a secret that is being shown; it counts when a code has proven it. `false`: one counts already.
    pub async fn begin_totp(
        &self,
        account: AccountId,
        secret: &Secret,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<bool> {
        let sealed = self
            .keyring
            .seal(Purpose::TotpSecret, nonce, secret.as_bytes());
        let begun = execute!(on self, sqlx::query(
            "INSERT INTO totp (account_id, secret, created_at, used_step) VALUES ($1, $2, $3, 0)
             ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
             WHERE totp.since IS NULL")
            .bind(account.0).bind(sealed).bind(now))?;
        Ok(begun == 1)
    }

    /// The first code of the shown secret: from now on it counts, with these recovery codes, and every session but `keep` ends.
    pub async fn confirm_totp(
        &self,
        account: AccountId,
        code: &str,
        recovery_codes: &[RecoveryCode],
        keep: &SessionId,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<Confirmed> {
        let mut tx = self.begin().await?;
        let shown = self.totp_row(&mut tx, account).await?;
        let shown = shown.filter(|row| row.since.is_none() && now <= row.created_at + ENROL_LIFE);
        let Some(row) = shown else {
            return Ok(Confirmed::NotBegun);
        };
        let Some(step) = self.step_of(&row, code, now) else {
            return Ok(Confirmed::WrongCode);
        };
        let confirmed = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE totp SET since = $2, used_step = $3 WHERE account_id = $1 AND since IS NULL AND secret = $4"
            )
            .bind(account.0)
            .bind(now)
            .bind(step)
            .bind(&row.secret)
        )?;
        if confirmed != 1 {
            return Ok(Confirmed::NotBegun);
        }
        self.put_recovery_codes(&mut tx, account, recovery_codes, now)
            .await?;
        end_all(&mut tx, account, Some(keep), now).await?;
        Entry::by(account, Event::TotpEnabled, now)
            .write(&mut tx)
            .await?;
        self.tell_of_totp(&mut tx, account, "totp_enabled", vec![], desk, now)
            .await?;
        tx.commit().await?;
        Ok(Confirmed::Yes)
    }

    /// Whether this opens the account now. Whatever does is used up.
    pub async fn use_totp(
        &self,
        account: AccountId,
        factor: &Factor,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let right = self.take(&mut tx, account, factor, desk, now).await?;
        if right {
            tx.commit().await?;
        }
        Ok(right)
    }

    /// Takes the second factor away; `false` when what was typed is wrong.
    pub async fn end_totp(
        &self,
        account: AccountId,
        factor: &Factor,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        if !self.take(&mut tx, account, factor, desk, now).await? {
            return Ok(false);
        }
        erase(&mut tx, account).await?;
        Entry::by(account, Event::TotpDisabled, now)
            .write(&mut tx)
            .await?;
        self.tell_of_totp(&mut tx, account, "totp_disabled", vec![], desk, now)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Replaces all recovery codes; `false` when what was typed is wrong.
    pub async fn renew_recovery_codes(
        &self,
        account: AccountId,
        factor: &Factor,
        recovery_codes: &[RecoveryCode],
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        if !self.take(&mut tx, account, factor, desk, now).await? {
            return Ok(false);
        }
        self.put_recovery_codes(&mut tx, account, recovery_codes, now)
            .await?;
        Entry::by(account, Event::RecoveryCodesRenewed, now)
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The operator's help for somebody who lost phone and recovery codes. Every session ends.
    pub async fn reset_totp(&self, email: &Email, desk: Desk<'_>, now: Millis) -> Result<Reset> {
        let Some(account) = self.account_by_email(email).await? else {
            return Ok(Reset::NoAccount);
        };
        let mut tx = self.begin().await?;
        if !erase(&mut tx, account.id()).await? {
            return Ok(Reset::Nothing);
        }
        end_all(&mut tx, account.id(), None, now).await?;
        Entry::by(account.id(), Event::TotpReset, now)
            .through(Actor::Operator)
            .write(&mut tx)
            .await?;
        self.tell_of_totp(&mut tx, account.id(), "totp_reset", vec![], desk, now)
            .await?;
        tx.commit().await?;
        Ok(Reset::Done)
    }

    /// Removes secrets that were shown and never proven.
    pub async fn purge_totp(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM totp WHERE since IS NULL AND created_at < $1")
            .bind(now - ENROL_LIFE))?;
        Ok(())
    }

    /// Uses up a code or a recovery code; `false` when it is wrong, old or used.
    async fn take(
        &self,
        tx: &mut Tx,
        account: AccountId,
        factor: &Factor,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let row = self.totp_row(tx, account).await?;
        let Some(row) = row.filter(|row| row.since.is_some()) else {
            return Ok(false);
        };
        match factor {
            Factor::Code(code) => {
                let Some(step) = self.step_of(&row, code, now) else {
                    return Ok(false);
                };
                // Of two processes with the same code one finds the step unused.
                let taken = execute!(
                    tx,
                    sqlx::query(
                        "UPDATE totp SET used_step = $2 WHERE account_id = $1 AND used_step < $2"
                    )
                    .bind(account.0)
                    .bind(step)
                )?;
                Ok(taken == 1)
            }
            Factor::Recovery(code) => self.take_recovery_code(tx, account, code, desk, now).await,
        }
    }

    async fn take_recovery_code(
        &self,
        tx: &mut Tx,
        account: AccountId,
        code: &RecoveryCode,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let hashes = self
            .keyring
            .hashes(Purpose::RecoveryCode, code.as_str().as_bytes());
        let taken: Option<i64> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_scalar(
            "UPDATE recovery_codes SET used_at = $3 WHERE account_id = $1 AND hash = $2 AND used_at IS NULL
             RETURNING account_id")
            .bind(account.0).bind(hash).bind(now).fetch_optional(c).await)?);
        if taken.is_none() {
            return Ok(false);
        }
        let left: i64 = within!(&mut *tx, c => sqlx::query_scalar(
            "SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1 AND used_at IS NULL")
            .bind(account.0).fetch_one(c).await)?;
        Entry::by(account, Event::RecoveryCodeUsed, now)
            .with(json!({ "left": left }))
            .write(&mut *tx)
            .await?;
        let values = vec![("left", left.to_string())];
        self.tell_of_totp(tx, account, "recovery_code_used", values, desk, now)
            .await?;
        Ok(true)
    }

    async fn put_recovery_codes(
        &self,
        tx: &mut Tx,
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
                .bind(
                    self.keyring
                        .hash(Purpose::RecoveryCode, code.as_str().as_bytes())
                )
                .bind(now)
            )?;
        }
        Ok(())
    }

    async fn totp_row(&self, tx: &mut Tx, account: AccountId) -> Result<Option<Row>> {
        Ok(within!(tx, c => sqlx::query_as(
            "SELECT secret, created_at, since, used_step FROM totp WHERE account_id = $1")
            .bind(account.0).fetch_optional(c).await)?)
    }

    /// The step that a code is of, if it may still be used.
    fn step_of(&self, row: &Row, code: &str, now: Millis) -> Option<i64> {
        let clear = self.keyring.open(Purpose::TotpSecret, &row.secret);
        let secret = clear.and_then(|clear| Secret::from_bytes(&clear));
        if secret.is_none() {
            tracing::error!(
                "a second factor was sealed with another secret: only the operator's reset helps"
            );
        }
        secret?.step_of(code, row.used_step, now)
    }

    async fn tell_of_totp(
        &self,
        tx: &mut Tx,
        account: AccountId,
        text: &str,
        values: Vec<(&str, String)>,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = Recipient::of(tx, account).await? else {
            return Ok(());
        };
        let letter = Letter {
            text,
            page: PAGE,
            values,
        };
        letter.queue(tx, &self.keyring, desk, &to, now).await
    }
}

/// Whether there was one.
async fn erase(tx: &mut Tx, account: AccountId) -> Result<bool> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1").bind(account.0)
    )?;
    let erased = execute!(
        tx,
        sqlx::query("DELETE FROM totp WHERE account_id = $1 AND since IS NOT NULL").bind(account.0)
    )?;
    Ok(erased == 1)
}
