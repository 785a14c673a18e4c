//! Partner apps, what an owner lets them see, and their tokens. Every token is stored as a keyed hash.
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::{Error, Purpose, Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use domain::partner::{ACCESS_LIFE, CODE_LIFE, CONSENT_VERSION, REFRESH_LIFE, Scopes};
use serde_json::json;

/// What an owner has consented to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consent {
    pub id: i64,
    pub partner_id: String,
    pub name: String,
    pub account_id: i64,
    pub scopes: String,
    /// Of the words on the consent screen.
    pub version: String,
    pub created_at: Millis,
}
row!(Consent {
    id,
    partner_id,
    name,
    account_id,
    scopes,
    version,
    created_at
});

impl Consent {
    pub fn scopes(&self) -> Result<Scopes> {
        self.scopes
            .parse()
            .map_err(|_| Error::Damaged("partner_consents.scopes"))
    }

    pub fn account(&self) -> AccountId {
        AccountId(self.account_id)
    }
}

/// What the owner's browser brings back from the consent screen.
pub struct NewConsent<'a> {
    pub account: AccountId,
    pub partner: &'a str,
    pub scopes: &'a Scopes,
    pub redirect_uri: &'a str,
    /// The PKCE challenge (S256) that the partner's verifier must meet.
    pub challenge: &'a str,
    pub code: &'a [u8],
}

/// A code as the partner presents it.
pub struct PresentedCode<'a> {
    pub code: &'a [u8],
    pub partner: &'a str,
    pub redirect_uri: &'a str,
    pub challenge: &'a str,
}

/// The two tokens that a partner gets, drawn by the caller.
pub struct NewTokens<'a> {
    pub access: &'a [u8],
    pub refresh: &'a [u8],
}

#[derive(Debug)]
struct CodeRow {
    consent_id: i64,
    redirect_uri: String,
    challenge: String,
    expires_at: Millis,
}
row!(CodeRow {
    consent_id,
    redirect_uri,
    challenge,
    expires_at
});

/// `SELECT …` of a [`Consent`] with the given rest.
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
    /// Registers a partner, or changes the name and return addresses of one that is registered.
    pub async fn register_partner(
        &self,
        id: &str,
        name: &str,
        redirects: &[String],
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO partners (id, name, created_at) VALUES ($1, $2, $3)
             ON CONFLICT (id) DO UPDATE SET name = excluded.name"
            )
            .bind(id)
            .bind(name)
            .bind(now)
        )?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM partner_redirects WHERE partner_id = $1").bind(id)
        )?;
        for uri in redirects {
            execute!(
                &mut tx,
                sqlx::query("INSERT INTO partner_redirects (partner_id, uri) VALUES ($1, $2)")
                    .bind(id)
                    .bind(uri)
            )?;
        }
        tx.commit().await
    }

    /// The partner's name, if it is registered with exactly this return address.
    pub async fn partner_name(&self, id: &str, redirect_uri: &str) -> Result<Option<String>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT p.name FROM partners p JOIN partner_redirects r ON r.partner_id = p.id WHERE p.id = $1 AND r.uri = $2")
            .bind(id).bind(redirect_uri).fetch_optional(p).await)?)
    }

    /// Stores the consent (a newer one replaces the scopes of an older) and the code that the partner may exchange.
    pub async fn consent(&self, new: &NewConsent<'_>, now: Millis) -> Result<()> {
        let scopes = new.scopes.names().join(" ");
        let mut tx = self.begin().await?;
        let id: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "INSERT INTO partner_consents (partner_id, account_id, scopes, version, created_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (partner_id, account_id) DO UPDATE
             SET scopes = excluded.scopes, version = excluded.version, created_at = excluded.created_at
             RETURNING id")
            .bind(new.partner).bind(new.account.0).bind(&scopes).bind(CONSENT_VERSION).bind(now).fetch_one(c).await)?;
        execute!(&mut tx, sqlx::query(
            "INSERT INTO partner_codes (hash, consent_id, redirect_uri, challenge, expires_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(self.keyring.hash(Purpose::PartnerToken, new.code))
            .bind(id).bind(new.redirect_uri).bind(new.challenge).bind(now + CODE_LIFE))?;
        let detail = json!({ "partner": new.partner, "scopes": scopes });
        Entry::by(new.account, Event::PartnerConsented, now)
            .with(detail)
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// Exchanges a code for tokens. A code works once, for its own partner, address and verifier.
    pub async fn exchange_code(
        &self,
        presented: &PresentedCode<'_>,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<Option<Consent>> {
        let mut tx = self.begin().await?;
        let row: Option<CodeRow> = within!(&mut tx, c => sqlx::query_as(
            "DELETE FROM partner_codes WHERE hash = $1 RETURNING consent_id, redirect_uri, challenge, expires_at")
            .bind(self.keyring.hash(Purpose::PartnerToken, presented.code)).fetch_optional(c).await)?;
        let Some(row) = row else { return Ok(None) };
        let consent = consent_by_id(&mut tx, row.consent_id)
            .await?
            .filter(|consent| {
                consent.partner_id == presented.partner
                    && row.redirect_uri == presented.redirect_uri
                    && row.challenge == presented.challenge
                    && now <= row.expires_at
            });
        if let Some(consent) = &consent {
            self.insert_tokens(&mut tx, consent.id, tokens, now).await?;
        }
        // Also a failed exchange uses the code up: somebody else holds it.
        tx.commit().await?;
        Ok(consent)
    }

    /// Exchanges a refresh token for a new pair; the old one stops working.
    pub async fn refresh_partner(
        &self,
        refresh: &[u8],
        partner: &str,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<Option<Consent>> {
        let mut tx = self.begin().await?;
        let id: Option<i64> = within!(&mut tx, c => sqlx::query_scalar(
            "DELETE FROM partner_tokens WHERE hash = $1 AND kind = 'refresh' AND expires_at >= $2 RETURNING consent_id")
            .bind(self.keyring.hash(Purpose::PartnerToken, refresh)).bind(now).fetch_optional(c).await)?;
        let Some(id) = id else { return Ok(None) };
        let consent = consent_by_id(&mut tx, id)
            .await?
            .filter(|consent| consent.partner_id == partner);
        let Some(consent) = consent else {
            return Ok(None);
        };
        self.insert_tokens(&mut tx, consent.id, tokens, now).await?;
        tx.commit().await?;
        Ok(Some(consent))
    }

    /// The consent behind an access token, if both still stand.
    pub async fn partner_access(&self, access: &[u8], now: Millis) -> Result<Option<Consent>> {
        let hash = self.keyring.hash(Purpose::PartnerToken, access);
        Ok(on!(self, p => sqlx::query_as(select!(
            "JOIN partner_tokens t ON t.consent_id = c.id JOIN accounts a ON a.id = c.account_id
             WHERE t.hash = $1 AND t.kind = 'access' AND t.expires_at >= $2 AND a.locked_at IS NULL"))
            .bind(hash).bind(now).fetch_optional(p).await)?)
    }

    pub async fn consents_of(&self, account: AccountId) -> Result<Vec<Consent>> {
        Ok(
            on!(self, p => sqlx::query_as(select!("WHERE c.account_id = $1 ORDER BY p.name"))
            .bind(account.0).fetch_all(p).await)?,
        )
    }

    /// Ends a consent and with it every token; `false` when the account has no such consent.
    pub async fn end_consent(&self, account: AccountId, id: i64, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let partner: Option<String> = within!(&mut tx, c => sqlx::query_scalar(
            "DELETE FROM partner_consents WHERE id = $1 AND account_id = $2 RETURNING partner_id")
            .bind(id).bind(account.0).fetch_optional(c).await)?;
        let Some(partner) = partner else {
            return Ok(false);
        };
        let entry =
            Entry::by(account, Event::PartnerEnded, now).with(json!({ "partner": partner }));
        entry.write(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    pub async fn purge_partner_tokens(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM partner_tokens WHERE expires_at < $1").bind(now))?;
        execute!(on self, sqlx::query("DELETE FROM partner_codes WHERE expires_at < $1").bind(now))?;
        Ok(())
    }

    async fn insert_tokens(
        &self,
        tx: &mut Tx,
        consent: i64,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<()> {
        for (token, kind, life) in [
            (tokens.access, "access", ACCESS_LIFE),
            (tokens.refresh, "refresh", REFRESH_LIFE),
        ] {
            execute!(tx, sqlx::query(
                "INSERT INTO partner_tokens (hash, consent_id, kind, expires_at) VALUES ($1, $2, $3, $4)")
                .bind(self.keyring.hash(Purpose::PartnerToken, token)).bind(consent).bind(kind).bind(now + life))?;
        }
        Ok(())
    }
}

/// A consent to give tokens for; a locked account gives none.
async fn consent_by_id(tx: &mut Tx, id: i64) -> Result<Option<Consent>> {
    Ok(within!(tx, c => sqlx::query_as(select!(
        "JOIN accounts a ON a.id = c.account_id WHERE c.id = $1 AND a.locked_at IS NULL"))
        .bind(id).fetch_optional(c).await)?)
}
