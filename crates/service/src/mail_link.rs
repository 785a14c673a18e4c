//! Mailed links: for a forgotten password, and for a new address.
use crate::account::set_password;
use crate::mail::{MailDraft, MailRecipient};
use crate::{Result, Service, page, partner};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::journal::JournalEvent;
use domain::{AccountId, Email};
use store::account::Account;
use store::journal::NewEntry;
use store::mail::{Mail, MailBody};
use store::{account, mail_link};

impl Service {
    /// Queues a mail with a reset link. The address is queued whether or not it is known: its account is looked up when the mail
    /// is sent.
    pub async fn request_password_reset(&self, address: &Email) -> Result<()> {
        let mut t = self.begin().await?;
        let page = self.link(page::PASSWORD_RESET);
        t.queue_mail(None, address, MailBody::Reset { page })
            .await?;
        t.commit().await
    }

    /// Creates a reset link for the account with this address and returns the mail with it; the token is appended to `page`.
    /// Earlier links stop working. `None` if there is no such account, or it is locked.
    pub async fn create_reset_link(&self, address: &Email, page: &str) -> Result<Option<Mail>> {
        let account = self.store.account_by_email(address).await?;
        let Some(account) = account.filter(|account| account.locked_at.is_none()) else {
            return Ok(None);
        };
        let token = self.random.bytes::<32>();
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        mail_link::create_reset(&mut t, keyring, account.id(), &token, now).await?;
        t.commit().await?;
        let link = format!("{page}{}", BASE64.encode(token));
        Ok(Some(Mail::new("reset", account.lang(), link)))
    }

    /// Uses a reset link: sets the password and ends every session and all partner access. `None` if the link was used, expired,
    /// or never sent.
    pub async fn reset_password(
        &self,
        token: &[u8],
        password_hash: &str,
    ) -> Result<Option<Account>> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let Some(id) = mail_link::use_reset(&mut t, keyring, token, now).await? else {
            return Ok(None);
        };
        set_password(&mut t, id, password_hash, None).await?;
        account::confirm_email(&mut t, id, now).await?;
        partner::end_all(&mut t, id).await?;
        let account = account::find(&mut t, id).await?;
        t.commit().await?;
        Ok(account)
    }

    /// Mails a link to a new address. Using it makes the address the account's. An address that is in use already gets no mail.
    pub async fn send_email_change(&self, account: AccountId, address: &Email) -> Result<()> {
        let mut t = self.begin().await?;
        if account::exists(&mut t, address).await? {
            return Ok(());
        }
        let Some(person) = MailRecipient::of(&mut t, account).await? else {
            return Ok(());
        };
        let token = self.random.bytes::<32>();
        let (keyring, now) = (self.store.keyring(), t.now);
        mail_link::create_email_change(&mut t, keyring, account, address, &token, now).await?;
        let to = MailRecipient {
            email: address.to_string(),
            ..person
        };
        let draft = MailDraft {
            text: "email_change",
            page: &page::confirm_email(&BASE64.encode(token)),
            values: vec![],
        };
        t.mail(&to, draft).await?;
        t.commit().await
    }

    /// Uses an address link and returns the new address; the old one gets a mail. `None` if the link was used, expired or never
    /// sent, or if the address now belongs to another account.
    pub async fn change_email(&self, token: &[u8]) -> Result<Option<Email>> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let link = mail_link::use_email_change(&mut t, keyring, token, now).await?;
        let Some((account, email)) = link else {
            return Ok(None);
        };
        if account::exists(&mut t, &email).await? {
            return Ok(None);
        }
        let Some(before) = MailRecipient::of(&mut t, account).await? else {
            return Ok(None);
        };
        account::set_email(&mut t, account, &email, now).await?;
        // A reset link in the old mailbox must no longer work.
        mail_link::end_all(&mut t, account).await?;
        t.journal(NewEntry::by(account, JournalEvent::EmailChanged, now))
            .await?;
        let draft = MailDraft {
            text: "email_changed",
            page: page::LOGIN,
            values: vec![],
        };
        t.mail(&before, draft).await?;
        t.commit().await?;
        Ok(Some(email))
    }
}
