//! The second factor: set up with the password typed again, proven by a code before it counts, asked for at the login.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::Form;
use crate::routes::account::{load, prove};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use domain::totp::{Factor, RecoveryCode, Secret};
use qrcode::{Color, EcLevel, QrCode};
use serde::{Deserialize, Serialize};
use store::account::Account;
use store::totp::Confirmed;
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

pub(super) async fn entry(portal: &Portal, account: &Account) -> Result<TotpEntry> {
    let totp = portal.store.totp(account.id()).await?;
    Ok(TotpEntry {
        since: totp.map(|totp| totp.since),
        recovery_codes: totp.map_or(0, |totp| totp.recovery_codes),
        required: portal.requires_totp_of(account.role()?),
    })
}

/// At the login, after the right password: refuses whoever has no second factor with them. Tells whether there is one.
pub(super) async fn ask(
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
    portal.limits.totp(account.id(), known)?;
    let factor = parse(given)?;
    let right = portal
        .store
        .use_totp(account.id(), &factor, portal.desk(), portal.now());
    match right.await? {
        true => Ok(true),
        false => Err(wrong()),
    }
}

fn parse(text: &str) -> Result<Factor> {
    if text.trim().is_empty() {
        return Err(Error::field("totp", Message::Required));
    }
    text.parse()
        .map_err(|message| Error::field("totp", message))
}

fn wrong() -> Error {
    Error::field("totp", Message::TotpWrong)
}

const fn conflict(message: Message) -> Error {
    Error::Refused(StatusCode::CONFLICT, message)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct BeginTotp {
    /// The password, typed again.
    password: Option<String>,
}

/// What an authenticator app needs; shown once.
#[derive(Serialize, ToSchema)]
pub(crate) struct TotpShown {
    /// To be typed into the app: base 32.
    secret: String,
    /// For an app on the same device.
    uri: String,
    qr: Qr,
}

/// The same as a picture.
#[derive(Serialize, ToSchema)]
pub(crate) struct Qr {
    /// Modules on each side, without the quiet zone around them.
    size: usize,
    /// The dark modules, as the path of an SVG with one unit for each.
    path: String,
}

fn qr(text: &str) -> Result<Qr> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M);
    let code = code.map_err(|_| Error::internal())?;
    let size = code.width();
    let colors = code.to_colors();
    let dark = colors
        .iter()
        .enumerate()
        .filter(|(_, c)| **c == Color::Dark);
    let path = dark
        .map(|(at, _)| format!("M{},{}h1v1h-1z", at % size, at / size))
        .collect();
    Ok(Qr { size, path })
}

/// Begin to set up the second factor. It counts when a code has confirmed it, within 30 minutes.
#[utoipa::path(post, path = "/api/auth/account/totp/", operation_id = "begin_totp", tag = "account",
    request_body(content = BeginTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = TotpShown), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn begin(
    State(portal): State<Portal>,
    person: Person,
    Form(form): Form<BeginTotp>,
) -> Result<(StatusCode, Json<TotpShown>)> {
    let account = load(&portal, person).await?;
    prove(&portal, &account, form.password.as_deref()).await?;
    let secret = Secret::random(&portal.random);
    let nonce = portal.random.bytes();
    let begun = portal
        .store
        .begin_totp(person.account, &secret, nonce, portal.now());
    if !begun.await? {
        return Err(conflict(Message::TotpEnabled));
    }
    let uri = secret.uri(&account.email);
    let shown = TotpShown {
        secret: secret.base32(),
        qr: qr(&uri)?,
        uri,
    };
    Ok((StatusCode::CREATED, Json(shown)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmTotp {
    /// The code that the app shows.
    #[serde(default)]
    totp: String,
}

/// Codes for a lost phone; shown once, each works once.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

fn shown(codes: &[RecoveryCode]) -> Json<RecoveryCodes> {
    Json(RecoveryCodes {
        recovery_codes: codes.iter().map(RecoveryCode::grouped).collect(),
    })
}

/// Confirm the second factor by its first code: from now on the login asks for it. Other sessions end.
#[utoipa::path(post, path = "/api/auth/account/totp/confirm/", operation_id = "confirm_totp", tag = "account",
    request_body(content = ConfirmTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = RecoveryCodes), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn confirm(
    State(portal): State<Portal>,
    person: Person,
    Form(form): Form<ConfirmTotp>,
) -> Result<Json<RecoveryCodes>> {
    let Factor::Code(code) = parse(&form.totp)? else {
        return Err(wrong());
    };
    portal.limits.totp(person.account, Some("logged in"))?;
    let codes = RecoveryCode::set(&portal.random);
    let confirmed = portal.store.confirm_totp(
        person.account,
        &code,
        &codes,
        &person.session,
        portal.desk(),
        portal.now(),
    );
    match confirmed.await? {
        Confirmed::Yes => Ok(shown(&codes)),
        Confirmed::WrongCode => Err(wrong()),
        Confirmed::NotBegun => Err(conflict(Message::TotpNotBegun)),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ProveTotp {
    /// The password, typed again.
    password: Option<String>,
    /// The code that the app shows, or a recovery code.
    #[serde(default)]
    totp: String,
}

impl ProveTotp {
    /// The password is checked first: whoever does not know it learns nothing about the rest.
    async fn check(&self, portal: &Portal, person: Person) -> Result<(Account, Factor)> {
        let account = load(portal, person).await?;
        prove(portal, &account, self.password.as_deref()).await?;
        if portal.store.totp(person.account).await?.is_none() {
            return Err(conflict(Message::TotpDisabled));
        }
        let factor = parse(&self.totp)?;
        portal.limits.totp(person.account, Some("logged in"))?;
        Ok((account, factor))
    }
}

/// Switch the second factor off.
#[utoipa::path(delete, path = "/api/auth/account/totp/", operation_id = "end_totp", tag = "account",
    request_body(content = ProveTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn end(
    State(portal): State<Portal>,
    person: Person,
    Form(form): Form<ProveTotp>,
) -> Result<StatusCode> {
    let (account, factor) = form.check(&portal, person).await?;
    if portal.requires_totp_of(account.role()?) {
        return Err(conflict(Message::TotpIsDuty));
    }
    let ended = portal
        .store
        .end_totp(person.account, &factor, portal.desk(), portal.now());
    match ended.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(wrong()),
    }
}

/// New recovery codes; the old ones stop working.
#[utoipa::path(post, path = "/api/auth/account/totp/recovery/", operation_id = "renew_recovery_codes", tag = "account",
    request_body(content = ProveTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = RecoveryCodes), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn renew_recovery_codes(
    State(portal): State<Portal>,
    person: Person,
    Form(form): Form<ProveTotp>,
) -> Result<Json<RecoveryCodes>> {
    let (_, factor) = form.check(&portal, person).await?;
    let codes = RecoveryCode::set(&portal.random);
    let renewed = portal.store.renew_recovery_codes(
        person.account,
        &factor,
        &codes,
        portal.desk(),
        portal.now(),
    );
    match renewed.await? {
        true => Ok(shown(&codes)),
        false => Err(wrong()),
    }
}
