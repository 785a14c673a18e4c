//! Links sent by mail to somebody who has an account: a new password, or a new address. Single use, stored hashed.
use crate::account::Account;
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::mail::{Body, Mail, Outgoing};
use crate::{Purpose, Result, Store, account, mail};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{AccountId, Email, Lang, Role};

pub const RESET_LIFE: Millis = 30 * MINUTE;
pub const EMAIL_LIFE: Millis = DAY;

/// A mail to a new address, and the token its link carries.
pub struct NewAddress<'a> {
    pub account: AccountId,
    pub address: &'a Email,
    pub token: &'a [u8],
    pub mail: &'a Mail,
    pub nonce: [u8; 12],
}

/// An account as it was, and its new address.
#[derive(Debug)]
pub struct EmailChange {
    pub before: Account,
    pub new: Email,
}

#[derive(Debug)]
struct Row {
    account_id: i64,
    email: Option<String>,
    expires_at: Millis,
}
row!(Row {
    account_id,
    email,
    expires_at
});

impl Store {
    /// Makes a reset link for whoever has this address, and tells their language; earlier ones stop working.
    /// `None`: nobody has it, or the account is locked.
    pub async fn open_reset(
        &self,
        address: &Email,
        token: &[u8],
        now: Millis,
    ) -> Result<Option<Lang>> {
        let account = self.account_by_email(address).await?;
        let Some(account) = account.filter(|account| account.locked_at.is_none()) else {
            return Ok(None);
        };
        let mut tx = self.begin().await?;
        let until = now + RESET_LIFE;
        self.open_link(&mut tx, account.id(), token, ("reset", None), until)
            .await?;
        tx.commit().await?;
        Ok(Some(account.lang()))
    }

    /// Queues a mail to a new address, whose link makes it the account's.
    pub async fn send_email_change(&self, new: &NewAddress<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let what = ("email", Some(new.address));
        self.open_link(&mut tx, new.account, new.token, what, now + EMAIL_LIFE)
            .await?;
        let outgoing = Outgoing {
            account: Some(new.account),
            recipient: new.address,
            body: Body::Mail(new.mail.clone()),
            nonce: new.nonce,
        };
        mail::queue(&mut tx, &self.keyring, &outgoing, now).await?;
        tx.commit().await
    }

    async fn open_link(
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

    /// Uses a reset link: sets the password and ends every session and every partner's access. `None`: used, run out, or never sent.
    pub async fn reset_password(
        &self,
        token: &[u8],
        password_hash: &str,
        now: Millis,
    ) -> Result<Option<(AccountId, Role)>> {
        let mut tx = self.begin().await?;
        let Some(link) = self.take_link(&mut tx, token, "reset", now).await? else {
            return Ok(None);
        };
        let account = AccountId(link.account_id);
        account::set_password(&mut tx, account, password_hash, None, now).await?;
        crate::partner::end_all(&mut tx, account, now).await?;
        tx.commit().await?;
        let role = self.account(account).await?.map(|a| a.role()).transpose()?;
        Ok(role.map(|role| (account, role)))
    }

    /// Uses an address link. `None`: used, run out, never sent, or the address got an account meanwhile.
    pub async fn change_email(&self, token: &[u8], now: Millis) -> Result<Option<EmailChange>> {
        let mut tx = self.begin().await?;
        let Some(link) = self.take_link(&mut tx, token, "email", now).await? else {
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
        Entry::by(account, Event::EmailChanged, now)
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Some(EmailChange { before, new: email }))
    }

    async fn take_link(
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

/// Whoever got hold of a link before the password or the address changed is too late.
pub(crate) async fn end_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM mail_links WHERE account_id = $1").bind(account.0)
    )?;
    Ok(())
}
