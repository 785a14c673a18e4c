//! Partner apps, what an owner lets them read, and their tokens. Every token is stored as a keyed hash.
use crate::grant::{MailDraft, MailRecipient};
use crate::journal::{Actor, JournalEvent, NewEntry};
use crate::mail::MailContext;
use crate::{Error, Purpose, Result, Store};
use db::{FromRow, Tx};
use domain::AccountId;
use domain::clock::Millis;
use domain::partner::{
    ACCESS_TOKEN_TTL, AUTHORIZATION_CODE_TTL, CONSENT_VERSION, PartnerScopes, REFRESH_TOKEN_TTL,
};
use serde_json::json;

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

#[derive(Debug, FromRow)]
struct CodeRow {
    hash: Vec<u8>,
    consent_id: i64,
    redirect_uri: String,
    challenge: String,
    expires_at: Millis,
}

/// All tokens that descend from one code.
#[derive(Debug, FromRow)]
struct Family {
    consent_id: i64,
    family: Option<Vec<u8>>,
}

/// The page where owners see their consents.
const PAGE: &str = "/settings";

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
    /// Registers a partner, or changes the name and return addresses of a registered one.
    pub async fn register_partner(
        &self,
        id: &str,
        name: &str,
        redirects: &[String],
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.db.begin().await?;
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

    /// Stores the consent and the code that the partner may exchange. A newer consent replaces the scopes of an older one. The
    /// owner gets a mail, because somebody else may be using their browser.
    pub async fn consent(
        &self,
        new: &NewConsent<'_>,
        mail_context: MailContext<'_>,
        now: Millis,
    ) -> Result<()> {
        let scopes = new.scopes.names().join(" ");
        let mut tx = self.db.begin().await?;
        let id: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "INSERT INTO partner_consents (partner_id, account_id, scopes, version, created_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (partner_id, account_id) DO UPDATE
             SET scopes = excluded.scopes, version = excluded.version, created_at = excluded.created_at
             RETURNING id")
            .bind(new.partner).bind(new.account.0).bind(&scopes).bind(CONSENT_VERSION).bind(now).fetch_one(c).await)?;
        execute!(&mut tx, sqlx::query(
            "INSERT INTO partner_codes (hash, consent_id, redirect_uri, challenge, expires_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(self.keyring.hash(Purpose::PartnerToken, new.code))
            .bind(id).bind(new.redirect_uri).bind(new.challenge).bind(now + AUTHORIZATION_CODE_TTL))?;
        let detail = json!({ "partner": new.partner, "scopes": scopes });
        NewEntry::by(new.account, JournalEvent::PartnerConsented, now)
            .with(detail)
            .write(&mut tx)
            .await?;
        let name: String = within!(&mut tx, c => sqlx::query_scalar("SELECT name FROM partners WHERE id = $1")
            .bind(new.partner).fetch_one(c).await)?;
        if let Some(to) = MailRecipient::of(&mut tx, new.account).await? {
            let draft = MailDraft {
                text: "partner_consented",
                page: PAGE,
                values: vec![("who", name)],
            };
            draft
                .queue(&mut tx, &self.keyring, mail_context, &to, now)
                .await?;
        }
        tx.commit().await
    }

    /// Exchanges a code for tokens. A code works once, for its own partner, address and verifier. If it is presented again, one
    /// of the two presenters has stolen it: the tokens of the first exchange end.
    pub async fn exchange_code(
        &self,
        presented: &PresentedCode<'_>,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<Option<Consent>> {
        let mut tx = self.db.begin().await?;
        let hashes = self.keyring.hashes(Purpose::PartnerToken, presented.code);
        let row: Option<CodeRow> = find_first!(&hashes, hash => within!(&mut tx, c => sqlx::query_as(
            "UPDATE partner_codes SET used_at = $2 WHERE hash = $1 AND used_at IS NULL
             RETURNING hash, consent_id, redirect_uri, challenge, expires_at")
            .bind(hash).bind(now).fetch_optional(c).await)?);
        let Some(row) = row else {
            let used: Option<Family> = find_first!(&hashes, hash => within!(&mut tx, c => sqlx::query_as(
                "SELECT consent_id, hash AS family FROM partner_codes WHERE hash = $1")
                .bind(hash).fetch_optional(c).await)?);
            if let Some(used) = used {
                end_family(&mut tx, &used, now).await?;
                tx.commit().await?;
            }
            return Ok(None);
        };
        let consent = consent_by_id(&mut tx, row.consent_id)
            .await?
            .filter(|consent| {
                consent.partner_id == presented.partner
                    && row.redirect_uri == presented.redirect_uri
                    && row.challenge == presented.challenge
                    && now <= row.expires_at
            });
        if let Some(consent) = &consent {
            let family = Family {
                consent_id: consent.id,
                family: Some(row.hash),
            };
            self.insert_tokens(&mut tx, &family, tokens, now).await?;
        }
        // A failed exchange uses up the code too, because somebody else has it.
        tx.commit().await?;
        Ok(consent)
    }

    /// Exchanges a refresh token for a new pair; the old token stops working. If it is presented again, it was stolen: all tokens
    /// that descend from the same code end.
    pub async fn refresh_partner(
        &self,
        refresh: &[u8],
        partner: &str,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<Option<Consent>> {
        let mut tx = self.db.begin().await?;
        let hashes = self.keyring.hashes(Purpose::PartnerToken, refresh);
        let family: Option<Family> = find_first!(&hashes, hash => within!(&mut tx, c => sqlx::query_as(
            "UPDATE partner_tokens SET used_at = $2
             WHERE hash = $1 AND kind = 'refresh' AND used_at IS NULL AND expires_at >= $2
             RETURNING consent_id, family")
            .bind(hash).bind(now).fetch_optional(c).await)?);
        let Some(family) = family else {
            let used: Option<Family> = find_first!(&hashes, hash => within!(&mut tx, c => sqlx::query_as(
                "SELECT consent_id, family FROM partner_tokens WHERE hash = $1 AND used_at IS NOT NULL")
                .bind(hash).fetch_optional(c).await)?);
            if let Some(used) = used {
                end_family(&mut tx, &used, now).await?;
                tx.commit().await?;
            }
            return Ok(None);
        };
        let consent = consent_by_id(&mut tx, family.consent_id)
            .await?
            .filter(|consent| consent.partner_id == partner);
        let Some(consent) = consent else {
            return Ok(None);
        };
        self.insert_tokens(&mut tx, &family, tokens, now).await?;
        tx.commit().await?;
        Ok(Some(consent))
    }

    /// The consent behind an access token, if both are still valid.
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

    /// Ends a consent and its tokens; `false` when the account has no such consent.
    pub async fn end_consent(&self, account: AccountId, id: i64, now: Millis) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let partner: Option<String> = within!(&mut tx, c => sqlx::query_scalar(
            "DELETE FROM partner_consents WHERE id = $1 AND account_id = $2 RETURNING partner_id")
            .bind(id).bind(account.0).fetch_optional(c).await)?;
        let Some(partner) = partner else {
            return Ok(false);
        };
        let entry = NewEntry::by(account, JournalEvent::PartnerEnded, now)
            .with(json!({ "partner": partner }));
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
        family: &Family,
        tokens: &NewTokens<'_>,
        now: Millis,
    ) -> Result<()> {
        for (token, kind, life) in [
            (tokens.access, "access", ACCESS_TOKEN_TTL),
            (tokens.refresh, "refresh", REFRESH_TOKEN_TTL),
        ] {
            execute!(tx, sqlx::query(
                "INSERT INTO partner_tokens (hash, consent_id, kind, expires_at, family) VALUES ($1, $2, $3, $4, $5)")
                .bind(self.keyring.hash(Purpose::PartnerToken, token))
                .bind(family.consent_id)
                .bind(kind)
                .bind(now + life)
                .bind(&family.family))?;
        }
        Ok(())
    }
}

/// Ends every token that descends from one code.
async fn end_family(tx: &mut Tx, family: &Family, now: Millis) -> Result<()> {
    let ended = execute!(
        &mut *tx,
        sqlx::query(
            "DELETE FROM partner_tokens WHERE consent_id = $1 AND family IS NOT DISTINCT FROM $2"
        )
        .bind(family.consent_id)
        .bind(&family.family)
    )?;
    if ended == 0 {
        return Ok(());
    }
    let consent: Option<Consent> = within!(&mut *tx, c => sqlx::query_as(select!("WHERE c.id = $1"))
        .bind(family.consent_id).fetch_optional(c).await)?;
    if let Some(consent) = consent {
        NewEntry::by(consent.account(), JournalEvent::PartnerTokenReused, now)
            .with_actor(Actor::Portal)
            .with(json!({ "partner": consent.partner_id }))
            .write(tx)
            .await?;
    }
    Ok(())
}

/// Ends all consents of the account: the password was reset, or the owner ends every access.
pub(crate) async fn end_all(tx: &mut Tx, account: AccountId, now: Millis) -> Result<()> {
    let partners: Vec<String> = within!(&mut *tx, c => sqlx::query_scalar(
        "DELETE FROM partner_consents WHERE account_id = $1 RETURNING partner_id")
        .bind(account.0).fetch_all(c).await)?;
    for partner in partners {
        let entry = NewEntry::by(account, JournalEvent::PartnerEnded, now);
        let entry = entry.with(json!({ "partner": partner }));
        entry.write(&mut *tx).await?;
    }
    Ok(())
}

/// A consent to issue tokens for; `None` if the account is locked.
async fn consent_by_id(tx: &mut Tx, id: i64) -> Result<Option<Consent>> {
    Ok(within!(tx, c => sqlx::query_as(select!(
        "JOIN accounts a ON a.id = c.account_id WHERE c.id = $1 AND a.locked_at IS NULL"))
        .bind(id).fetch_optional(c).await)?)
}
