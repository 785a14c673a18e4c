//! Partner apps: the consents of owners, and the tokens of the apps.
use crate::mail::MailDraft;
use crate::transaction::Transaction;
use crate::{Result, Service, page};
use domain::AccountId;
use domain::journal::JournalEvent;
use store::journal::{Actor, NewEntry};
use store::partner::{self, Consent, NewConsent, NewTokens, TokenFamily};

/// A code as the partner presents it.
pub struct PresentedCode<'a> {
    pub code: &'a [u8],
    pub partner: &'a str,
    pub redirect_uri: &'a str,
    pub challenge: &'a str,
}

impl Service {
    /// Registers a partner, or changes the name and redirect addresses of a registered one.
    pub async fn register_partner(&self, id: &str, name: &str, redirects: &[String]) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        partner::register(&mut t, id, name, redirects, now).await?;
        let event = JournalEvent::PartnerRegistered {
            partner: id.to_owned(),
            redirects: redirects.to_vec(),
        };
        let entry = NewEntry::without_account(event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await
    }

    /// Stores the consent and the code that the partner may exchange. A newer consent replaces the scopes of an older one. The
    /// owner gets a mail, because another person may be using their browser.
    pub async fn consent(&self, new: &NewConsent<'_>) -> Result<()> {
        let mut t = self.begin().await?;
        let now = t.now;
        partner::insert_consent(&mut t, self.store.keyring(), new, now).await?;
        let event = JournalEvent::PartnerConsented {
            partner: new.partner.to_owned(),
            scopes: new.scopes.names().join(" "),
        };
        t.journal(NewEntry::by(new.account, event, now)).await?;
        let name = partner::name(&mut t, new.partner).await?;
        let draft = MailDraft {
            text: "partner_consented",
            page: page::OWNERS_SETTINGS,
            values: vec![("who", name)],
        };
        t.mail_account(new.account, draft).await?;
        t.commit().await
    }

    /// Exchanges a code for tokens. A code works once, for its own partner, address and verifier. If it is presented again, one
    /// of the two presenters has stolen it: the tokens of the first exchange end.
    pub async fn exchange_code(
        &self,
        presented: &PresentedCode<'_>,
        tokens: &NewTokens<'_>,
    ) -> Result<Option<Consent>> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let Some(code) = partner::use_code(&mut t, keyring, presented.code, now).await? else {
            let used = partner::family_of_code(&mut t, keyring, presented.code).await?;
            return end_stolen(t, used).await;
        };
        let is_valid = code.redirect_uri == presented.redirect_uri
            && code.challenge == presented.challenge
            && now <= code.expires_at;
        let family = code.into_family();
        let consent = partner::consent_of_unlocked_account(&mut t, &family).await?;
        let consent = consent.filter(|it| is_valid && it.partner_id == presented.partner);
        if consent.is_some() {
            partner::insert_tokens(&mut t, keyring, &family, tokens, now).await?;
        }
        // A failed exchange uses up the code too, because another party has it.
        t.commit().await?;
        Ok(consent)
    }

    /// Exchanges a refresh token for a new pair; the old token stops working. If it is presented again, it was stolen: all tokens
    /// that descend from the same code end.
    pub async fn refresh_partner(
        &self,
        refresh: &[u8],
        partner: &str,
        tokens: &NewTokens<'_>,
    ) -> Result<Option<Consent>> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let family = partner::use_refresh_token(&mut t, keyring, refresh, now).await?;
        let Some(family) = family else {
            let used = partner::family_of_used_token(&mut t, keyring, refresh).await?;
            return end_stolen(t, used).await;
        };
        let consent = partner::consent_of_unlocked_account(&mut t, &family).await?;
        let Some(consent) = consent.filter(|consent| consent.partner_id == partner) else {
            return Ok(None);
        };
        partner::insert_tokens(&mut t, keyring, &family, tokens, now).await?;
        t.commit().await?;
        Ok(Some(consent))
    }

    /// Ends a consent and its tokens; `false` when the account has no such consent.
    pub async fn end_consent(&self, account: AccountId, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        let Some(partner) = partner::delete_consent(&mut t, account, id).await? else {
            return Ok(false);
        };
        record_end(&mut t, account, partner).await?;
        t.commit().await?;
        Ok(true)
    }
}

/// Ends every token of a family, because one of its codes or tokens was presented twice. Returns no consent.
async fn end_stolen(
    mut t: Transaction<'_>,
    family: Option<TokenFamily>,
) -> Result<Option<Consent>> {
    let Some(family) = family else {
        return Ok(None);
    };
    if partner::delete_tokens(&mut t, &family).await?
        && let Some(consent) = partner::consent(&mut t, &family).await?
    {
        let account = consent.account();
        let event = JournalEvent::PartnerTokenReused {
            partner: consent.partner_id,
        };
        let entry = NewEntry::by(account, event, t.now);
        t.journal(entry.with_actor(Actor::Portal)).await?;
    }
    t.commit().await?;
    Ok(None)
}

/// Ends all consents of the account: the password was reset, or the owner ends every access.
pub(crate) async fn end_all(t: &mut Transaction<'_>, account: AccountId) -> Result<()> {
    for partner in partner::delete_consents(t, account).await? {
        record_end(t, account, partner).await?;
    }
    Ok(())
}

async fn record_end(t: &mut Transaction<'_>, account: AccountId, partner: String) -> Result<()> {
    let event = JournalEvent::PartnerEnded { partner };
    t.journal(NewEntry::by(account, event, t.now)).await
}
