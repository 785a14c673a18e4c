//! The second factor: its state in an account, its check at login, and the proof of identity before a login method changes.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::error::{Error, Result};
use crate::own_account::{load_account, reauthenticate};
use crate::passkey::{parse_assertion, refused};
use axum::http::StatusCode;
use domain::Message;
use domain::totp::SecondFactor;
use serde::{Deserialize, Serialize};
use store::account::Account;
use utoipa::ToSchema;

/// The allowance for attempts of logged-in people.
const LOGGED_IN: Option<&str> = Some("logged in");

/// The state of TOTP in an account.
#[derive(Serialize, ToSchema)]
pub(crate) struct TotpEntry {
    /// Since when TOTP is on; Unix time in milliseconds. Null if it is off.
    #[schema(required)]
    since: Option<i64>,
    /// The number of recovery codes left.
    recovery_codes: usize,
    /// Whether the operator requires it. It can then not be turned off.
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

/// Which second factors an account has, and whether login with the password requires one.
struct Factors {
    totp: bool,
    passkey: bool,
    asked_for: bool,
}

impl Factors {
    async fn load(portal: &Portal, account: &Account) -> Result<Self> {
        let totp = portal.store.totp(account.id()).await?.is_some();
        let passkey = !portal.store.passkeys(account.id()).await?.is_empty();
        let required = portal.requires_totp_of(account.role()?);
        Ok(Self {
            totp,
            passkey,
            // Unless it is required, a passkey is an alternative to the password and not a second factor: a person who loses the
            // device is not locked out.
            asked_for: totp || passkey && required,
        })
    }
}

/// The second factor entered with the password; fields are empty if not entered.
pub(crate) struct EnteredFactor<'a> {
    pub(crate) totp: &'a str,
    pub(crate) passkey: &'a str,
}

/// At login, after the right password: refuses a missing or wrong second factor. Returns whether the account has one.
pub(crate) async fn require_factor(
    portal: &Portal,
    account: &Account,
    given: EnteredFactor<'_>,
    known: Option<&str>,
) -> Result<bool> {
    let factors = Factors::load(portal, account).await?;
    if !factors.asked_for {
        return Ok(factors.passkey);
    }
    let is_given = |text: &str| !text.trim().is_empty();
    if is_given(given.passkey) {
        use_passkey(portal, account, given.passkey, known).await?;
    } else if factors.totp && is_given(given.totp) {
        use_totp(portal, account, given.totp, known).await?;
    } else {
        return Err(Error::SecondFactorMissing {
            totp: factors.totp,
            passkey: factors.passkey,
        });
    }
    Ok(true)
}

/// Proof of identity: the factors that a login requires, entered again.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Proof {
    /// The current password.
    password: Option<String>,
    /// The code of the authenticator app, or a recovery code, if the account has a second factor.
    #[serde(default)]
    totp: String,
    /// Instead of both: the browser's answer to `passkey/options/`, as JSON.
    #[serde(default)]
    passkey: String,
}

/// Required before a login method is added or removed. The password alone is not enough if login needs more; otherwise a person
/// who knows it could bypass the second factor.
pub(crate) async fn prove_identity(
    portal: &Portal,
    person: PersonCaller,
    proof: &Proof,
) -> Result<Account> {
    let account = load_account(portal, person).await?;
    if !proof.passkey.trim().is_empty() {
        use_passkey(portal, &account, &proof.passkey, LOGGED_IN).await?;
        return Ok(account);
    }
    reauthenticate(portal, &account, proof.password.as_deref()).await?;
    let factors = Factors::load(portal, &account).await?;
    if factors.totp {
        use_totp(portal, &account, &proof.totp, LOGGED_IN).await?;
    } else if factors.asked_for {
        return Err(Error::Refused(
            StatusCode::CONFLICT,
            Message::PasskeyRequired,
        ));
    }
    Ok(account)
}

async fn use_passkey(
    portal: &Portal,
    account: &Account,
    json: &str,
    from: Option<&str>,
) -> Result<()> {
    portal.limits.totp(account.id(), from).await?;
    let answer = parse_assertion(json).ok_or(refused(StatusCode::BAD_REQUEST))?;
    let expected = Some(account.id());
    match portal.service.use_passkey(&answer, expected).await? {
        Some(_) => Ok(()),
        None => Err(refused(StatusCode::BAD_REQUEST)),
    }
}

async fn use_totp(
    portal: &Portal,
    account: &Account,
    code: &str,
    from: Option<&str>,
) -> Result<()> {
    let empty = code.trim().is_empty();
    if !empty {
        portal.limits.totp(account.id(), from).await?;
    }
    let factor = parse_factor(code)?;
    match portal.service.use_totp(account.id(), &factor).await? {
        true => Ok(()),
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
