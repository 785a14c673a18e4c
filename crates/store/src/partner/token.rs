//! Codes of partners and the tokens that descend from them.
use crate::{Keyring, Purpose, Result};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::partner::{ACCESS_TOKEN_TTL, REFRESH_TOKEN_TTL};

/// A new pair of tokens, drawn by the caller.
pub struct NewTokens<'a> {
    pub access: &'a [u8],
    pub refresh: &'a [u8],
}

/// A code that was handed to a partner.
#[derive(Debug, FromRow)]
pub struct StoredCode {
    hash: Vec<u8>,
    consent_id: i64,
    pub redirect_uri: String,
    pub challenge: String,
    pub expires_at: Millis,
}

impl StoredCode {
    /// The tokens that this code is exchanged for.
    pub fn into_family(self) -> TokenFamily {
        TokenFamily {
            consent_id: self.consent_id,
            family: Some(self.hash),
        }
    }
}

/// All tokens that descend from one code.
#[derive(Debug, FromRow)]
pub struct TokenFamily {
    pub(super) consent_id: i64,
    family: Option<Vec<u8>>,
}

/// Uses up a code. `None` if it is unknown or was used before.
pub async fn use_code(
    tx: &mut Tx,
    keyring: &Keyring,
    code: &[u8],
    now: Millis,
) -> Result<Option<StoredCode>> {
    let hashes = keyring.hashes(Purpose::PartnerToken, code);
    Ok(
        find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "UPDATE partner_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL
         RETURNING hash, consent_id, redirect_uri, challenge, expires_at")
        .bind(hash).bind(now).fetch_optional(c).await)?),
    )
}

/// The tokens that a code was exchanged for.
pub async fn family_of_code(
    tx: &mut Tx,
    keyring: &Keyring,
    code: &[u8],
) -> Result<Option<TokenFamily>> {
    let hashes = keyring.hashes(Purpose::PartnerToken, code);
    Ok(
        find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "SELECT consent_id, hash AS family FROM partner_codes WHERE hash = $1")
        .bind(hash).fetch_optional(c).await)?),
    )
}

/// Uses up a refresh token. `None` if it is unknown, expired or used.
pub async fn use_refresh_token(
    tx: &mut Tx,
    keyring: &Keyring,
    token: &[u8],
    now: Millis,
) -> Result<Option<TokenFamily>> {
    let hashes = keyring.hashes(Purpose::PartnerToken, token);
    Ok(
        find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "UPDATE partner_tokens SET used_at = $2
         WHERE hash = $1 AND kind = 'refresh' AND used_at IS NULL AND expires_at >= $2
         RETURNING consent_id, family")
        .bind(hash).bind(now).fetch_optional(c).await)?),
    )
}

/// The token family of a used token.
pub async fn family_of_used_token(
    tx: &mut Tx,
    keyring: &Keyring,
    token: &[u8],
) -> Result<Option<TokenFamily>> {
    let hashes = keyring.hashes(Purpose::PartnerToken, token);
    Ok(
        find_first!(hashes, hash => within!(&mut *tx, c => sqlx::query_as(
        "SELECT consent_id, family FROM partner_tokens WHERE hash = $1 AND used_at IS NOT NULL")
        .bind(hash).fetch_optional(c).await)?),
    )
}

pub async fn insert_tokens(
    tx: &mut Tx,
    keyring: &Keyring,
    family: &TokenFamily,
    tokens: &NewTokens<'_>,
    now: Millis,
) -> Result<()> {
    for (token, kind, life) in [
        (tokens.access, "access", ACCESS_TOKEN_TTL),
        (tokens.refresh, "refresh", REFRESH_TOKEN_TTL),
    ] {
        execute!(&mut *tx, sqlx::query(
            "INSERT INTO partner_tokens (hash, consent_id, kind, expires_at, family) VALUES ($1, $2, $3, $4, $5)")
            .bind(keyring.hash(Purpose::PartnerToken, token))
            .bind(family.consent_id)
            .bind(kind)
            .bind(now + life)
            .bind(&family.family))?;
    }
    Ok(())
}

/// `false` if the family has no tokens any more.
pub async fn delete_tokens(tx: &mut Tx, family: &TokenFamily) -> Result<bool> {
    let deleted = execute!(
        tx,
        sqlx::query(
            "DELETE FROM partner_tokens WHERE consent_id = $1 AND family IS NOT DISTINCT FROM $2"
        )
        .bind(family.consent_id)
        .bind(&family.family)
    )?;
    Ok(deleted > 0)
}
