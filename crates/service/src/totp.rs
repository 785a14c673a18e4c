//! TOTP: set up, used, turned off, and reset by the operator.
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::journal::JournalEvent;
use domain::totp::{RecoveryCode, SecondFactor, TotpSecret};
use domain::{AccountId, Email};
use store::journal::{Actor, NewEntry};
use store::passkey;
use store::session::{self, SessionId};
use store::totp::{self, StoredTotp};

/// The result of confirming a shown secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotpConfirmation {
    Yes,
    WrongCode,
    /// No secret was shown, or it has expired.
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

impl Service {
    /// Stores a secret that is being shown; a code has to confirm it. `false` if the account has an active one already.
    pub async fn begin_totp(&self, account: AccountId, secret: &TotpSecret) -> Result<bool> {
        let mut t = self.begin().await?;
        let (keyring, nonce, now) = (self.store.keyring(), self.random.bytes(), t.now);
        let begun = totp::begin(&mut t, keyring, account, secret, nonce, now).await?;
        t.commit().await?;
        Ok(begun)
    }

    /// Confirms the shown secret with its first code: activates it with these recovery codes, and ends every session except
    /// `keep`.
    pub async fn confirm_totp(
        &self,
        account: AccountId,
        code: &str,
        recovery_codes: &[RecoveryCode],
        keep: &SessionId,
    ) -> Result<TotpConfirmation> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let stored = totp::find(&mut t, account).await?;
        let Some(shown) = stored.filter(|stored| stored.awaits_confirmation(now)) else {
            return Ok(TotpConfirmation::NotBegun);
        };
        let Some(step) = shown.step_of(keyring, code, now) else {
            return Ok(TotpConfirmation::WrongCode);
        };
        if !totp::activate(&mut t, account, &shown, step, now).await? {
            return Ok(TotpConfirmation::NotBegun);
        }
        totp::replace_recovery_codes(&mut t, keyring, account, recovery_codes, now).await?;
        session::end_all(&mut t, account, Some(keep), now).await?;
        t.journal(NewEntry::by(account, JournalEvent::TotpEnabled, now))
            .await?;
        mail(&mut t, account, "totp_enabled", vec![]).await?;
        t.commit().await?;
        Ok(TotpConfirmation::Yes)
    }

    /// Whether this factor is accepted now. An accepted one is used up.
    pub async fn use_totp(&self, account: AccountId, factor: &SecondFactor) -> Result<bool> {
        let mut t = self.begin().await?;
        if !use_factor(&mut t, account, factor).await? {
            return Ok(false);
        }
        t.commit().await?;
        Ok(true)
    }

    /// Removes the second factor; `false` if the entered factor is wrong.
    pub async fn end_totp(&self, account: AccountId, factor: &SecondFactor) -> Result<bool> {
        let mut t = self.begin().await?;
        if !use_factor(&mut t, account, factor).await? {
            return Ok(false);
        }
        totp::delete(&mut t, account).await?;
        t.journal(NewEntry::by(account, JournalEvent::TotpDisabled, t.now))
            .await?;
        mail(&mut t, account, "totp_disabled", vec![]).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Replaces all recovery codes; `false` if the entered factor is wrong.
    pub async fn renew_recovery_codes(
        &self,
        account: AccountId,
        factor: &SecondFactor,
        recovery_codes: &[RecoveryCode],
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        if !use_factor(&mut t, account, factor).await? {
            return Ok(false);
        }
        totp::replace_recovery_codes(&mut t, keyring, account, recovery_codes, now).await?;
        t.journal(NewEntry::by(
            account,
            JournalEvent::RecoveryCodesRenewed,
            now,
        ))
        .await?;
        t.commit().await?;
        Ok(true)
    }

    /// The operator's help for a person who lost phone, recovery codes and passkeys: all of them become invalid. Every session
    /// ends.
    pub async fn reset_totp(&self, email: &Email) -> Result<TotpReset> {
        let Some(account) = self.store.account_by_email(email).await? else {
            return Ok(TotpReset::NoAccount);
        };
        let account = account.id();
        let mut t = self.begin().await?;
        let now = t.now;
        let had_totp = totp::delete(&mut t, account).await?;
        let had_passkeys = passkey::delete_all(&mut t, account).await?;
        if !had_totp && !had_passkeys {
            return Ok(TotpReset::Nothing);
        }
        session::end_all(&mut t, account, None, now).await?;
        let entry = NewEntry::by(account, JournalEvent::TotpReset, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        mail(&mut t, account, "totp_reset", vec![]).await?;
        t.commit().await?;
        Ok(TotpReset::Done)
    }
}

/// Uses up a code or a recovery code; `false` if it is wrong, expired or used.
async fn use_factor(
    t: &mut Transaction<'_>,
    account: AccountId,
    factor: &SecondFactor,
) -> Result<bool> {
    let (keyring, now) = (t.service.store.keyring(), t.now);
    let stored = totp::find(t, account).await?;
    let Some(active) = stored.filter(StoredTotp::is_active) else {
        return Ok(false);
    };
    match factor {
        SecondFactor::Code(code) => match active.step_of(keyring, code, now) {
            Some(step) => totp::use_step(t, account, step, now).await,
            None => Ok(false),
        },
        SecondFactor::Recovery(code) => {
            let left = totp::use_recovery_code(t, keyring, account, code, now).await?;
            let Some(left) = left else {
                return Ok(false);
            };
            let event = JournalEvent::RecoveryCodeUsed { left };
            t.journal(NewEntry::by(account, event, now)).await?;
            let values = vec![("left", left.to_string())];
            mail(t, account, "recovery_code_used", values).await?;
            Ok(true)
        }
    }
}

async fn mail(
    t: &mut Transaction<'_>,
    account: AccountId,
    text: &str,
    values: Vec<(&str, String)>,
) -> Result<()> {
    let draft = MailDraft {
        text,
        page: page::LOCK,
        values,
    };
    t.mail_account(account, draft).await
}
