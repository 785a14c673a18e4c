//! The second factor of an account. A code works once, whichever process gets it; so does a recovery code.
use crate::grant::{MailDraft, MailRecipient};
use crate::journal::{Actor, JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::session::{SessionId, end_all};
use crate::{Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::totp::{ENROLMENT_TTL, RecoveryCode, SecondFactor, TotpSecret};
use domain::{AccountId, Email};
use serde_json::json;

/// Where somebody goes who did not do what the mail reports.
const LOCK_PAGE: &str = "/lock";

/// An active second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totp {
    pub since: Millis,
    /// How many recovery codes are left.
    pub recovery_codes: usize,
}

/// The result of confirming a shown secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotpConfirmation {
    Yes,
    WrongCode,
    /// No secret was shown, or too long ago.
    NotBegun,
}

/// The result of an operator's reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotpReset {
    Done,
    NoAccount,
    /// The account has no second factor.
    Nothing,
}

#[derive(Debug, FromRow)]
struct Row {
    secret: Vec<u8>,
    created_at: Millis,
    since: Option<Millis>,
    used_step: i64,
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

    /// Stores a secret that is being shown; a code has to confirm it. `false`: the account has an active one already.
    pub async fn begin_totp(
        &self,
        account: AccountId,
        secret: &TotpSecret,
        nonce: [u8; 12],
        now: Millis,
    ) -> Result<bool> {
        let encrypted = self
            .keyring
            .encrypt(Purpose::TotpSecret, nonce, secret.as_bytes());
        let begun = execute!(on self, sqlx::query(
            "INSERT INTO totp (account_id, secret, created_at, used_step) VALUES ($1, $2, $3, 0)
             ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at
             WHERE totp.since IS NULL")
            .bind(account.0).bind(encrypted).bind(now))?;
        Ok(begun == 1)
    }

    /// The first code of the shown secret: activates it with these recovery codes, and ends every session except `keep`.
    pub async fn confirm_totp(
        &self,
        account: AccountId,
        code: &str,
        recovery_codes: &[RecoveryCode],
        keep: &SessionId,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<TotpConfirmation> {
        let mut tx = self.db.begin().await?;
        let shown = self.totp_row(&mut tx, account).await?;
        let shown =
            shown.filter(|row| row.since.is_none() && now <= row.created_at + ENROLMENT_TTL);
        let Some(row) = shown else {
            return Ok(TotpConfirmation::NotBegun);
        };
        let Some(step) = self.step_of(&row, code, now) else {
            return Ok(TotpConfirmation::WrongCode);
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
            return Ok(TotpConfirmation::NotBegun);
        }
        self.put_recovery_codes(&mut tx, account, recovery_codes, now)
            .await?;
        end_all(&mut tx, account, Some(keep), now).await?;
        NewEntry::by(account, JournalEvent::TotpEnabled, now)
            .write(&mut tx)
            .await?;
        self.queue_totp_mail(&mut tx, account, "totp_enabled", vec![], mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(TotpConfirmation::Yes)
    }

    /// Whether this factor is accepted now. An accepted one is used up.
    pub async fn use_totp(
        &self,
        account: AccountId,
        factor: &SecondFactor,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let right = self
            .consume_factor(&mut tx, account, factor, mail_context, now)
            .await?;
        if right {
            tx.commit().await?;
        }
        Ok(right)
    }

    /// Removes the second factor; `false` when the entered factor is wrong.
    pub async fn end_totp(
        &self,
        account: AccountId,
        factor: &SecondFactor,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        if !self
            .consume_factor(&mut tx, account, factor, mail_context, now)
            .await?
        {
            return Ok(false);
        }
        erase(&mut tx, account).await?;
        NewEntry::by(account, JournalEvent::TotpDisabled, now)
            .write(&mut tx)
            .await?;
        self.queue_totp_mail(&mut tx, account, "totp_disabled", vec![], mail_context, now)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Replaces all recovery codes; `false` when the entered factor is wrong.
    pub async fn renew_recovery_codes(
        &self,
        account: AccountId,
        factor: &SecondFactor,
        recovery_codes: &[RecoveryCode],
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        if !self
            .consume_factor(&mut tx, account, factor, mail_context, now)
            .await?
        {
            return Ok(false);
        }
        self.put_recovery_codes(&mut tx, account, recovery_codes, now)
            .await?;
        NewEntry::by(account, JournalEvent::RecoveryCodesRenewed, now)
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The operator's help for somebody who lost both phone and recovery codes. Every session ends.
    pub async fn reset_totp(
        &self,
        email: &Email,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<TotpReset> {
        let Some(account) = self.account_by_email(email).await? else {
            return Ok(TotpReset::NoAccount);
        };
        let mut tx = self.db.begin().await?;
        if !erase(&mut tx, account.id()).await? {
            return Ok(TotpReset::Nothing);
        }
        end_all(&mut tx, account.id(), None, now).await?;
        NewEntry::by(account.id(), JournalEvent::TotpReset, now)
            .with_actor(Actor::Operator)
            .write(&mut tx)
            .await?;
        self.queue_totp_mail(
            &mut tx,
            account.id(),
            "totp_reset",
            vec![],
            mail_context,
            now,
        )
        .await?;
        tx.commit().await?;
        Ok(TotpReset::Done)
    }

    /// Deletes secrets that were shown and never confirmed.
    pub async fn purge_totp(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM totp WHERE since IS NULL AND created_at < $1")
            .bind(now - ENROLMENT_TTL))?;
        Ok(())
    }

    /// Uses up a code or a recovery code; `false` when it is wrong, expired or used.
    async fn consume_factor(
        &self,
        tx: &mut Tx,
        account: AccountId,
        factor: &SecondFactor,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<bool> {
        let row = self.totp_row(tx, account).await?;
        let Some(row) = row.filter(|row| row.since.is_some()) else {
            return Ok(false);
        };
        match factor {
            SecondFactor::Code(code) => {
                let Some(step) = self.step_of(&row, code, now) else {
                    return Ok(false);
                };
                // Of two processes with the same code, only one finds the step unused.
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
            SecondFactor::Recovery(code) => {
                self.consume_recovery_code(tx, account, code, mail_context, now)
                    .await
            }
        }
    }

    async fn consume_recovery_code(
        &self,
        tx: &mut Tx,
        account: AccountId,
        code: &RecoveryCode,
        mail_context: MailContext<'_>,
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
        NewEntry::by(account, JournalEvent::RecoveryCodeUsed, now)
            .with(json!({ "left": left }))
            .write(&mut *tx)
            .await?;
        let values = vec![("left", left.to_string())];
        self.queue_totp_mail(tx, account, "recovery_code_used", values, mail_context, now)
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

    /// The time step of a code, if it may still be used.
    fn step_of(&self, row: &Row, code: &str, now: Millis) -> Option<i64> {
        let clear = self.keyring.decrypt(Purpose::TotpSecret, &row.secret);
        let secret = clear.and_then(|clear| TotpSecret::from_bytes(&clear));
        if secret.is_none() {
            tracing::error!(
                "a second factor was encrypted with another secret: only the operator's reset helps"
            );
        }
        secret?.step_of(code, row.used_step, now)
    }

    async fn queue_totp_mail(
        &self,
        tx: &mut Tx,
        account: AccountId,
        text: &str,
        values: Vec<(&str, String)>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let Some(to) = MailRecipient::of(tx, account).await? else {
            return Ok(());
        };
        let draft = MailDraft {
            text,
            page: LOCK_PAGE,
            values,
        };
        draft.queue(tx, &self.keyring, mail_context, &to, now).await
    }
}

/// Whether there was an active one.
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
