//! The second factor: what an account says about it, and its check at login.
use crate::Portal;
use crate::error::{Error, Result};
use axum::http::StatusCode;
use domain::Message;
use domain::totp::SecondFactor;
use serde::Serialize;
use store::account::Account;
use utoipa::ToSchema;

/// What an account says about its second factor.
#[derive(Serialize, ToSchema)]
pub(crate) struct TotpEntry {
    /// Milliseconds since 1970; null: it is off.
    #[schema(required)]
    since: Option<i64>,
    /// How many recovery codes are left.
    recovery_codes: usize,
    /// The operator asks for it: it cannot be switched off.
    required: bool,
}

impl TotpEntry {
    pub(crate) async fn load(portal: &Portal, account: &Account) -> Result<Self> {
        let totp = portal.store.totp(account.id()).await?;
        Ok(Self {
            since: totp.map(|totp| totp.since),
            recovery_codes: totp.map_or(0, |totp| totp.recovery_codes),
            required: portal.requires_totp_of(account.role()?),
        })
    }
}

/// At login, after the right password: refuses a missing or wrong second factor. Returns whether the account has one.
pub(crate) async fn require_factor(
    portal: &Portal,
    account: &Account,
    given: &str,
    known: Option<&str>,
) -> Result<bool> {
    if portal.store.totp(account.id()).await?.is_none() {
        return Ok(false);
    }
    if given.trim().is_empty() {
        return Err(Error::Refused(
            StatusCode::UNAUTHORIZED,
            Message::TotpRequired,
        ));
    }
    portal.limits.totp(account.id(), known).await?;
    let factor = parse_factor(given)?;
    match portal.service.use_totp(account.id(), &factor).await? {
        true => Ok(true),
        false => Err(wrong_factor()),
    }
}

pub(crate) fn parse_factor(text: &str) -> Result<SecondFactor> {
    if text.trim().is_empty() {
        return Err(Error::field("totp", Message::Required));
    }
    text.parse()
        .map_err(|message| Error::field("totp", message))
}

pub(crate) fn wrong_factor() -> Error {
    Error::field("totp", Message::TotpWrong)
}
