//! Links mailed to account holders: for a new password or a new address. Single use, stored as hashes.
use crate::{Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, MINUTE, Millis};
use domain::{AccountId, Email};

const RESET_TTL: Millis = 30 * MINUTE;
const EMAIL_TTL: Millis = DAY;

#[derive(Debug)]
struct NewLink<'a> {
    kind: &'a str,
    account: AccountId,
    email: Option<&'a Email>,
    token: &'a [u8],
    expires_at: Millis,
}

#[derive(Debug, FromRow)]
struct Row {
    account_id: i64,
    email: Option<String>,
    expires_at: Millis,
}

/// Stores a link that sets a new password. Earlier ones stop working.
pub async fn create_reset(
    tx: &mut Tx,
    keyring: &Keyring,
    account: AccountId,
    token: &[u8],
    now: Millis,
) -> Result<()> {
    let new = NewLink {
        kind: "reset",
        account,
        email: None,
        token,
        expires_at: now + RESET_TTL,
    };
    create(tx, keyring, &new).await
}

/// Stores a link that makes `email` the account's address. Earlier ones stop working.
pub async fn create_email_change(
    tx: &mut Tx,
    keyring: &Keyring,
    account: AccountId,
    email: &Email,
    token: &[u8],
    now: Millis,
) -> Result<()> {
    let new = NewLink {
        kind: "email",
        account,
        email: Some(email),
        token,
        expires_at: now + EMAIL_TTL,
    };
    create(tx, keyring, &new).await
}

async fn create(tx: &mut Tx, keyring: &Keyring, new: &NewLink<'_>) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM mail_links WHERE account_id = $1 AND kind = $2")
            .bind(new.account.0)
            .bind(new.kind)
    )?;
    execute!(tx, sqlx::query(
        "INSERT INTO mail_links (token_hash, kind, account_id, email, expires_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(keyring.hash(Purpose::MailedLink, new.token))
        .bind(new.kind)
        .bind(new.account.0)
        .bind(new.email.map(Email::as_str))
        .bind(new.expires_at))?;
    Ok(())
}

/// Uses up a link that sets a new password. `None` if it was used, expired, or never sent.
pub async fn use_reset(
    tx: &mut Tx,
    keyring: &Keyring,
    token: &[u8],
    now: Millis,
) -> Result<Option<AccountId>> {
    let row = use_link(tx, keyring, token, "reset", now).await?;
    Ok(row.map(|row| AccountId(row.account_id)))
}

/// Uses up a link that confirms a new address. `None` if it was used, expired, or never sent.
pub async fn use_email_change(
    tx: &mut Tx,
    keyring: &Keyring,
    token: &[u8],
    now: Millis,
) -> Result<Option<(AccountId, Email)>> {
    let row = use_link(tx, keyring, token, "email", now).await?;
    Ok(row.and_then(|row| Some((AccountId(row.account_id), row.email?.parse().ok()?))))
}

async fn use_link(
    tx: &mut Tx,
    keyring: &Keyring,
    token: &[u8],
    kind: &str,
    now: Millis,
) -> Result<Option<Row>> {
    let hashes = keyring.hashes(Purpose::MailedLink, token);
    let row: Option<Row> = find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "DELETE FROM mail_links WHERE token_hash = $1 AND kind = $2 RETURNING account_id, email, expires_at")
        .bind(hash).bind(kind).fetch_optional(c).await)?);
    Ok(row.filter(|row| now <= row.expires_at))
}

/// Invalidates links that were sent before the password or the address changed.
pub async fn end_all(tx: &mut Tx, account: AccountId) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM mail_links WHERE account_id = $1").bind(account.0)
    )?;
    Ok(())
}

impl Store {
    pub async fn purge_mail_links(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM mail_links WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}
