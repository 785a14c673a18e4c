//! Passkeys: added, used, renamed and removed.
mod challenge;

use crate::mail::MailDraft;
use crate::{Error, Result, Service, page};
use challenge::ChallengeUse;
use domain::journal::JournalEvent;
use domain::passkey::{Assertion, MAX_PASSKEYS, PasskeyName, Registration, RelyingParty};
use domain::{AccountId, without_links};
use store::account::lock_account_row;
use store::journal::{Actor, NewEntry};
use store::passkey::{self, Passkey};
use store::session::SessionId;
use store::totp;

/// What a browser needs to create a passkey.
pub struct PasskeyOffer {
    pub challenge: Vec<u8>,
    /// The account's random identifier on the person's devices.
    pub user_handle: Vec<u8>,
    /// Passkeys that the account has already.
    pub known: Vec<Vec<u8>>,
}

/// The result of adding a passkey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasskeyAdded {
    Yes(Passkey),
    Refused,
    /// It is in the database already.
    Exists,
    TooMany,
}

/// The result of removing a passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasskeyRemoved {
    Yes,
    NotFound,
    /// It is the only second factor of an account that must have one.
    Needed,
}

impl Service {
    /// The website that passkeys belong to. `None` if browsers do not allow passkeys at the portal's public address.
    pub fn relying_party(&self) -> Option<RelyingParty> {
        RelyingParty::of(&self.config.public_url)
    }

    /// A challenge for any passkey.
    pub fn passkey_challenge(&self) -> Vec<u8> {
        self.issue_challenge(ChallengeUse::Show)
    }

    /// For a person who has just proven their identity. Only this session can answer.
    pub async fn offer_passkey(
        &self,
        account: AccountId,
        session: &SessionId,
    ) -> Result<PasskeyOffer> {
        let mut t = self.begin().await?;
        let new = self.random.bytes();
        let user_handle = passkey::user_handle(&mut t, account, new).await?;
        t.commit_keeping_rights().await?;
        Ok(PasskeyOffer {
            challenge: self.issue_challenge(ChallengeUse::Make(account, session)),
            user_handle,
            known: self.store.credential_ids(account).await?,
        })
    }

    pub async fn add_passkey(
        &self,
        account: AccountId,
        session: &SessionId,
        name: &PasskeyName,
        answer: &Registration,
    ) -> Result<PasskeyAdded> {
        let checked = self
            .relying_party()
            .map(|party| party.check_registration(answer));
        let new = match checked {
            Some(Ok(new)) => new,
            Some(Err(reason)) => {
                tracing::info!(%reason, "new_passkey_refused");
                return Ok(PasskeyAdded::Refused);
            }
            None => return Ok(PasskeyAdded::Refused),
        };
        let purpose = ChallengeUse::Make(account, session);
        let Some(challenge) = self.open_challenge(&new.challenge, purpose) else {
            return Ok(PasskeyAdded::Refused);
        };
        let mut t = self.begin().await?;
        let now = t.now;
        // Serializes concurrent requests, so that each counts the passkeys before it.
        lock_account_row(&mut t, account).await?;
        if passkey::count(&mut t, account).await? >= MAX_PASSKEYS {
            return Ok(PasskeyAdded::TooMany);
        }
        if !passkey::use_challenge(&mut t, &challenge.nonce, challenge.expires_at).await? {
            return Ok(PasskeyAdded::Refused);
        }
        let added = match passkey::insert(&mut t, account, name, &new, now).await {
            Err(Error::Taken(_)) => return Ok(PasskeyAdded::Exists),
            added => added?,
        };
        t.journal(NewEntry::by(account, JournalEvent::PasskeyAdded, now))
            .await?;
        t.mail_account(account, draft("passkey_added", &added.name))
            .await?;
        t.commit().await?;
        Ok(PasskeyAdded::Yes(added))
    }

    /// The account of a passkey that was used. `None` if it is not accepted, or does not belong to `expected`. An accepted answer
    /// is used up.
    pub async fn use_passkey(
        &self,
        answer: &Assertion,
        expected: Option<AccountId>,
    ) -> Result<Option<AccountId>> {
        let refused = |reason: &dyn std::fmt::Display| {
            tracing::info!(%reason, "passkey_refused");
            Ok(None)
        };
        let Some(party) = self.relying_party() else {
            return refused(&"the public address allows none");
        };
        let Some(stored) = self.store.passkey(&answer.credential_id).await? else {
            return refused(&"it is unknown");
        };
        if expected.is_some_and(|account| account != stored.account()) {
            return refused(&"it belongs to another account");
        }
        let named = match &answer.user_handle {
            Some(handle) => stored.is_of(handle),
            // Without a password, the device itself must return the account.
            None => expected.is_some(),
        };
        if !named {
            return refused(&"it names another account");
        }
        let shown = match party.check_assertion(answer, &stored.public_key()?) {
            Ok(shown) => shown,
            Err(reason) => return refused(&reason),
        };
        let Some(challenge) = self.open_challenge(&shown.challenge, ChallengeUse::Show) else {
            return refused(&"the challenge is not ours, or too old");
        };
        let mut t = self.begin().await?;
        let now = t.now;
        if !passkey::use_challenge(&mut t, &challenge.nonce, challenge.expires_at).await? {
            return refused(&"the challenge was answered before");
        }
        if !passkey::record_use(&mut t, stored.id, shown.sign_count, now).await? {
            let event = JournalEvent::PasskeyCounterWentBack;
            let entry = NewEntry::by(stored.account(), event, now);
            t.journal(entry.with_actor(Actor::Portal)).await?;
            t.commit().await?;
            return refused(&"its counter went back");
        }
        t.commit_keeping_rights().await?;
        Ok(Some(stored.account()))
    }

    /// `false` if the account has no such passkey.
    pub async fn rename_passkey(
        &self,
        account: AccountId,
        id: i64,
        name: &PasskeyName,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        if !passkey::rename(&mut t, account, id, name).await? {
            return Ok(false);
        }
        t.journal(NewEntry::by(account, JournalEvent::PasskeyRenamed, t.now))
            .await?;
        t.commit_keeping_rights().await?;
        Ok(true)
    }

    /// `needs_one` if the account must keep a second factor.
    pub async fn remove_passkey(
        &self,
        account: AccountId,
        id: i64,
        needs_one: bool,
    ) -> Result<PasskeyRemoved> {
        let mut t = self.begin().await?;
        // Serializes concurrent requests, so that each counts the passkeys that are left.
        lock_account_row(&mut t, account).await?;
        let Some(name) = passkey::delete(&mut t, account, id).await? else {
            return Ok(PasskeyRemoved::NotFound);
        };
        if needs_one && !has_second_factor(&mut t, account).await? {
            return Ok(PasskeyRemoved::Needed);
        }
        t.journal(NewEntry::by(account, JournalEvent::PasskeyRemoved, t.now))
            .await?;
        t.mail_account(account, draft("passkey_removed", &name))
            .await?;
        t.commit().await?;
        Ok(PasskeyRemoved::Yes)
    }
}

async fn has_second_factor(tx: &mut db::Tx, account: AccountId) -> Result<bool> {
    let totp = totp::find(tx, account).await?;
    Ok(totp.is_some_and(|totp| totp.is_active()) || passkey::count(tx, account).await? > 0)
}

fn draft<'a>(text: &'a str, name: &str) -> MailDraft<'a> {
    MailDraft {
        text,
        page: page::LOCK,
        values: vec![("name", without_links(name))],
    }
}
