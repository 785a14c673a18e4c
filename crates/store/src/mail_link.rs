//! Links mailed to account holders: for a new password or a new address. Single use, stored as hashes.
use crate::account::Account;
use crate::journal::{JournalEvent, NewEntry};
use crate::mail::{Mail, MailBody, OutgoingMail};
use crate::{Purpose, Result, Store, account, mail};
use db::{FromRow, Tx};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{AccountId, Email, Lang, Role};

pub const RESET_LIFE: Millis = 30 * MINUTE;
pub const EMAIL_LIFE: Millis = DAY;

/// A mail to a new address, and the token in its link.
pub struct NewAddress<'a> {
    pub account: AccountId,
    pub address: &'a Email,
    pub token: &'a [u8],
    pub mail: &'a Mail,
    pub nonce: [u8; 12],
}

/// An account before the change, and its new address.
#[derive(Debug)]
pub struct EmailChange {
    pub before: Account,
    pub new: Email,
}

#[derive(Debug, FromRow)]
struct Row {
    account_id: i64,
    email: Option<String>,
    expires_at: Millis,
}

impl Store {
    /// Makes a reset link for the account with this address and returns its language. Earlier links stop working. `None`: there
    /// is no such account, or it is locked.
    pub async fn create_reset_link(
        &self,
        address: &Email,
        token: &[u8],
        now: Millis,
    ) -> Result<Option<Lang>> {
        let account = self.account_by_email(address).await?;
        let Some(account) = account.filter(|account| account.locked_at.is_none()) else {
            return Ok(None);
        };
        let mut tx = self.db.begin().await?;
        let until = now + RESET_LIFE;
        self.create_link(&mut tx, account.id(), token, ("reset", None), until)
            .await?;
        tx.commit().await?;
        Ok(Some(account.lang()))
    }

    /// Queues a mail to a new address. Its link makes the address the account's.
    pub async fn send_email_change(&self, new: &NewAddress<'_>, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        let what = ("email", Some(new.address));
        self.create_link(&mut tx, new.account, new.token, what, now + EMAIL_LIFE)
            .await?;
        let outgoing = OutgoingMail {
            account: Some(new.account),
            recipient: new.address,
            body: MailBody::Mail(new.mail.clone()),
            nonce: new.nonce,
        };
        mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        tx.commit().await
    }

    async fn create_link(
        &self,
        tx: &mut Tx,
        account: AccountId,
        token: &[u8],
        (kind, email): (&str, Option<&Email>),
        expires_at: Millis,
    ) -> Result<()> {
        execute!(
            tx,
            sqlx::query("DELETE FROM mail_links WHERE account_id = $1 AND kind = $2")
                .bind(account.0)
                .bind(kind)
        )?;
        execute!(tx, sqlx::query(
            "INSERT INTO mail_links (token_hash, kind, account_id, email, expires_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(self.keyring.hash(Purpose::MailedLink, token))
            .bind(kind)
            .bind(account.0)
            .bind(email.map(Email::as_str))
            .bind(expires_at))?;
        Ok(())
    }

    /// Uses a reset link: sets the password and ends every session and every partner's access. `None`: used, expired, or never
    /// sent.
    pub async fn reset_password(
        &self,
        token: &[u8],
        password_hash: &str,
        now: Millis,
    ) -> Result<Option<(AccountId, Role)>> {
        let mut tx = self.db.begin().await?;
        let Some(link) = self.consume_link(&mut tx, token, "reset", now).await? else {
            return Ok(None);
        };
        let account = AccountId(link.account_id);
        account::set_password(&mut tx, account, password_hash, None, now).await?;
        crate::partner::end_all(&mut tx, account, now).await?;
        tx.commit().await?;
        let role = self.account(account).await?.map(|a| a.role()).transpose()?;
        Ok(role.map(|role| (account, role)))
    }

    /// Uses an address link. `None`: used, expired, never sent, or the address belongs to another account by now.
    pub async fn change_email(&self, token: &[u8], now: Millis) -> Result<Option<EmailChange>> {
        let mut tx = self.db.begin().await?;
        let Some(link) = self.consume_link(&mut tx, token, "email", now).await? else {
            return Ok(None);
        };
        let Some(email) = link.email.and_then(|text| text.parse::<Email>().ok()) else {
            return Ok(None);
        };
        if account::exists(&mut tx, &email).await? {
            return Ok(None);
        }
        let account = AccountId(link.account_id);
        let before: Option<Account> = within!(&mut tx, c => sqlx::query_as("SELECT * FROM accounts WHERE id = $1")
            .bind(account.0).fetch_optional(c).await)?;
        let Some(before) = before else {
            return Ok(None);
        };
        execute!(
            &mut tx,
            sqlx::query("UPDATE accounts SET email = $2 WHERE id = $1")
                .bind(account.0)
                .bind(email.as_str())
        )?;
        // A reset link in the old mailbox must not open the account any more.
        end_all(&mut tx, account).await?;
        NewEntry::by(account, JournalEvent::EmailChanged, now)
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Some(EmailChange { before, new: email }))
    }

    async fn consume_link(
        &self,
        tx: &mut Tx,
        token: &[u8],
        kind: &str,
        now: Millis,
    ) -> Result<Option<Row>> {
        let hashes = self.keyring.hashes(Purpose::MailedLink, token);
        let row: Option<Row> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
            "DELETE FROM mail_links WHERE token_hash = $1 AND kind = $2 RETURNING account_id, email, expires_at")
            .bind(hash).bind(kind).fetch_optional(c).await)?);
        Ok(row.filter(|row| now <= row.expires_at))
    }

    pub async fn purge_mail_links(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM mail_links WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}

/// Links that were sent before the password or the address changed must not work any more.
pub(crate) async fn end_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM mail_links WHERE account_id = $1").bind(account.0)
    )?;
    Ok(())
}
