//! Partner apps, the consents of owners, and the apps' tokens. Every token is stored as a keyed hash.

mod token;

pub use token::{
    NewTokens, StoredCode, TokenFamily, delete_tokens, family_of_code, family_of_used_token,
    insert_tokens, use_code, use_refresh_token,
};

use crate::{Error, Keyring, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::AccountId;
use domain::clock::Millis;
use domain::partner::{AUTHORIZATION_CODE_TTL, CONSENT_VERSION, PartnerScopes};

/// What an owner has consented to.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Consent {
    pub id: i64,
    pub partner_id: String,
    pub name: String,
    pub account_id: i64,
    pub scopes: String,
    /// The version of the text on the consent screen.
    pub version: String,
    pub created_at: Millis,
}

impl Consent {
    pub fn scopes(&self) -> Result<PartnerScopes> {
        self.scopes
            .parse()
            .map_err(|_| Error::Damaged("partner_consents.scopes"))
    }

    pub fn account(&self) -> AccountId {
        AccountId(self.account_id)
    }
}

/// What the owner's browser sends from the consent screen.
pub struct NewConsent<'a> {
    pub account: AccountId,
    pub partner: &'a str,
    pub scopes: &'a PartnerScopes,
    pub redirect_uri: &'a str,
    /// The PKCE challenge (S256) that the partner's verifier must match.
    pub challenge: &'a str,
    pub code: &'a [u8],
}

/// `SELECT …` of a [`Consent`]; the argument is the rest of the statement.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.partner_id, p.name, c.account_id, c.scopes, c.version, c.created_at
             FROM partner_consents c JOIN partners p ON p.id = c.partner_id ",
            $rest
        )
    };
}

impl Store {
    /// The partner's name, if it is registered with exactly this redirect address.
    pub async fn partner_name(&self, id: &str, redirect_uri: &str) -> Result<Option<String>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT p.name FROM partners p JOIN partner_redirects r ON r.partner_id = p.id WHERE p.id = $1 AND r.uri = $2")
            .bind(id).bind(redirect_uri).fetch_optional(p).await)?)
    }

    /// The consent of an access token, if both are still valid.
    pub async fn partner_access(&self, access: &[u8], now: Millis) -> Result<Option<Consent>> {
        let hashes = self.keyring.hashes(Purpose::PartnerToken, access);
        Ok(
            find_first!(hashes, hash => on!(self, p => sqlx::query_as(select!(
            "JOIN partner_tokens t ON t.consent_id = c.id JOIN accounts a ON a.id = c.account_id
             WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at >= $2 AND a.locked_at IS NULL"))
            .bind(hash).bind(now).fetch_optional(p).await)?),
        )
    }

    pub async fn consents_of(&self, account: AccountId) -> Result<Vec<Consent>> {
        Ok(
            on!(self, p => sqlx::query_as(select!("WHERE c.account_id = $1 ORDER BY p.name"))
            .bind(account.0).fetch_all(p).await)?,
        )
    }

    pub async fn purge_partner_tokens(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM partner_tokens WHERE expires_at < $1").bind(now))?;
        execute!(on self, sqlx::query("DELETE FROM partner_codes WHERE expires_at < $1").bind(now))?;
        Ok(())
    }
}

/// Registers a partner, or changes the name and redirect addresses of a registered one.
pub async fn register(
    tx: &mut Tx,
    id: &str,
    name: &str,
    redirects: &[String],
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query(
            "INSERT INTO partners (id, name, created_at) VALUES ($1, $2, $3)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name"
        )
        .bind(id)
        .bind(name)
        .bind(now)
    )?;
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM partner_redirects WHERE partner_id = $1").bind(id)
    )?;
    for uri in redirects {
        execute!(
            &mut *tx,
            sqlx::query("INSERT INTO partner_redirects (partner_id, uri) VALUES ($1, $2)")
                .bind(id)
                .bind(uri)
        )?;
    }
    Ok(())
}

pub async fn name(tx: &mut Tx, id: &str) -> Result<String> {
    Ok(
        within!(tx, c => sqlx::query_scalar("SELECT name FROM partners WHERE id = $1")
        .bind(id).fetch_one(c).await)?,
    )
}

/// Stores a consent and the code that the partner may exchange. A newer consent replaces the scopes of an older one.
pub async fn insert_consent(
    tx: &mut Tx,
    keyring: &Keyring,
    new: &NewConsent<'_>,
    now: Millis,
) -> Result<()> {
    let id: i64 = within!(&mut *tx, c => sqlx::query_scalar(
        "INSERT INTO partner_consents (partner_id, account_id, scopes, version, created_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (partner_id, account_id) DO UPDATE
         SET scopes = excluded.scopes, version = excluded.version, created_at = excluded.created_at
         RETURNING id")
        .bind(new.partner).bind(new.account.0).bind(new.scopes.names().join(" ")).bind(CONSENT_VERSION).bind(now)
        .fetch_one(c).await)?;
    execute!(tx, sqlx::query(
        "INSERT INTO partner_codes (hash, consent_id, redirect_uri, challenge, expires_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(keyring.hash(Purpose::PartnerToken, new.code))
        .bind(id).bind(new.redirect_uri).bind(new.challenge).bind(now + AUTHORIZATION_CODE_TTL))?;
    Ok(())
}

/// The consent behind these tokens.
pub async fn consent(tx: &mut Tx, family: &TokenFamily) -> Result<Option<Consent>> {
    Ok(within!(tx, c => sqlx::query_as(select!("WHERE c.id = $1"))
        .bind(family.consent_id).fetch_optional(c).await)?)
}

/// The consent to issue tokens for; `None` if the account is locked.
pub async fn consent_of_unlocked_account(
    tx: &mut Tx,
    family: &TokenFamily,
) -> Result<Option<Consent>> {
    Ok(within!(tx, c => sqlx::query_as(select!(
        "JOIN accounts a ON a.id = c.account_id WHERE c.id = $1 AND a.locked_at IS NULL"))
        .bind(family.consent_id).fetch_optional(c).await)?)
}

/// Deletes a consent and its tokens, and returns its partner. `None` if the account has no such consent.
pub async fn delete_consent(tx: &mut Tx, account: AccountId, id: i64) -> Result<Option<String>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "DELETE FROM partner_consents WHERE id = $1 AND account_id = $2 RETURNING partner_id")
        .bind(id).bind(account.0).fetch_optional(c).await)?)
}

/// Deletes all consents of the account with their tokens, and returns the partners.
pub async fn delete_consents(tx: &mut Tx, account: AccountId) -> Result<Vec<String>> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "DELETE FROM partner_consents WHERE account_id = $1 RETURNING partner_id")
        .bind(account.0).fetch_all(c).await)?)
}
