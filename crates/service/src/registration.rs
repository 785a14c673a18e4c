//! Registration: at once with a valid code, otherwise only after the mailed link was opened.
use crate::key::KeyOutcome;
use crate::transaction::Transaction;
use crate::{Error, Result, Service};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::account::TERMS_VERSION;
use domain::journal::JournalEvent;
use domain::key::KeyStatus;
use domain::{AccountId, Email, Key, Lang, Role, Serial};
use store::Purpose;
use store::account::{self, NewAccount, Profile};
use store::journal::NewEntry;
use store::mail::{Mail, MailBody};
use store::registration::{self, NewRegistration, PendingRegistration};

pub struct Registration<'a> {
    pub profile: &'a Profile,
    pub password_hash: &'a str,
    pub keys: &'a [Key],
}

/// An opened link.
#[derive(Clone, Debug)]
pub struct Confirmation {
    pub account: AccountId,
    pub role: Role,
    pub keys: Vec<(Serial, KeyOutcome)>,
}

impl Service {
    /// Creates the account and redeems its keys in one transaction. Every key must end up linked or waiting; otherwise nothing is
    /// stored.
    pub async fn register(&self, new: &Registration<'_>) -> Result<(AccountId, Vec<KeyOutcome>)> {
        let mut t = self.begin().await?;
        let account = NewAccount {
            profile: new.profile,
            password_hash: new.password_hash,
            terms_version: TERMS_VERSION,
            terms_at: t.now,
            email_confirmed: false,
            joins: None,
            name: None,
        };
        let id = t.create_account(account).await?;
        let outcomes = t.redeem_keys(id, new.keys).await?;
        let redeemed =
            |it: &KeyOutcome| matches!(it.status, KeyStatus::Linked | KeyStatus::Waiting);
        if !outcomes.iter().all(redeemed) {
            return Err(Error::Conflict);
        }
        let welcome = Mail::new("welcome", new.profile.language, self.link("/login"));
        t.queue_mail(Some(id), &new.profile.email, MailBody::Mail(welcome))
            .await?;
        t.commit().await?;
        Ok((id, outcomes))
    }

    /// Stores a registration until its link is opened, and queues the mail. If the address already has an account, its owner gets
    /// a mail instead. The caller cannot tell the two cases apart, neither now nor at a login.
    pub async fn register_by_mail(&self, new: &Registration<'_>) -> Result<()> {
        let serials = new.keys.iter().filter_map(|key| match key {
            Key::Serial(sn) => Some(sn),
            Key::Code(_) => None,
        });
        let serials: Vec<&Serial> = serials.collect();
        let token: [u8; 32] = self.random.bytes();
        let mut t = self.begin().await?;
        let now = t.now;
        let stored = NewRegistration {
            profile: new.profile,
            password_hash: new.password_hash,
            serials: &serials,
            token_hash: &self.store.keyring().hash(Purpose::MailedLink, &token),
        };
        // Also stored for an address with an account, so a login with this password gets the same answer. Its link is not mailed.
        registration::insert(&mut t, stored, now).await?;
        t.mail_confirmation(&new.profile.email, &token, new.profile.language)
            .await?;
        t.commit().await
    }

    /// Mails another link for a pending registration; the earlier ones still work.
    pub async fn resend_confirmation(
        &self,
        email: &Email,
        waiting: &PendingRegistration,
    ) -> Result<()> {
        let token: [u8; 32] = self.random.bytes();
        let hash = self.store.keyring().hash(Purpose::MailedLink, &token);
        let mut t = self.begin().await?;
        let now = t.now;
        registration::insert_copy(&mut t, email, &waiting.password_hash, &hash, now).await?;
        t.mail_confirmation(email, &token, waiting.language).await?;
        t.commit().await
    }

    /// Uses the mailed link: creates the account and its pending claims. `None` if the link was used, expired, or never sent.
    pub async fn confirm_registration(&self, token: &[u8]) -> Result<Option<Confirmation>> {
        let mut t = self.begin().await?;
        let now = t.now;
        let hashes = self.store.keyring().hashes(Purpose::MailedLink, token);
        let Some(opened) = registration::open(&mut t, hashes, now).await? else {
            return Ok(None);
        };
        if account::exists(&mut t, &opened.profile.email).await? {
            return Ok(None);
        }
        let account = NewAccount {
            profile: &opened.profile,
            password_hash: &opened.password_hash,
            terms_version: &opened.terms_version,
            terms_at: opened.created_at,
            email_confirmed: true,
            joins: None,
            name: None,
        };
        let id = t.create_account(account).await?;
        let keys: Vec<Key> = opened.serials.iter().cloned().map(Key::Serial).collect();
        let outcomes = t.redeem_keys(id, &keys).await?;
        t.commit().await?;
        Ok(Some(Confirmation {
            account: id,
            role: opened.profile.role,
            keys: opened.serials.into_iter().zip(outcomes).collect(),
        }))
    }
}

impl Transaction<'_> {
    pub(crate) async fn create_account(&mut self, new: NewAccount<'_>) -> Result<AccountId> {
        let now = self.now;
        let account = account::insert(self, new, now).await?;
        let entry = NewEntry::by(account, JournalEvent::Registered, now);
        self.journal(entry).await?;
        Ok(account)
    }

    /// Mails the link. If the address has an account already, its owner is notified of the attempt instead.
    async fn mail_confirmation(
        &mut self,
        email: &Email,
        token: &[u8; 32],
        lang: Lang,
    ) -> Result<()> {
        let service = self.service;
        let mail = match account::exists(self, email).await? {
            true => Mail::new("exists", lang, service.link("/login")),
            false => {
                let page = format!("/register#confirm={}", BASE64.encode(token));
                Mail::new("confirm", lang, service.link(&page))
            }
        };
        self.queue_mail(None, email, MailBody::Mail(mail)).await
    }
}
