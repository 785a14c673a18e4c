//! TOTP as a second factor: set up after confirming the password, and active once a code was entered.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::Form;
use crate::own_account::{load_account, reauthenticate};
use crate::qr::{Qr, QrMatrix};
use crate::second_factor::{parse_factor, wrong_factor};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use domain::totp::{RecoveryCode, SecondFactor, TotpSecret};
use serde::{Deserialize, Serialize};
use service::totp::TotpConfirmation;
use store::account::Account;
use utoipa::ToSchema;

const fn conflict(message: Message) -> Error {
    Error::Refused(StatusCode::CONFLICT, message)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct BeginTotp {
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
}

/// What an authenticator app needs. Shown only once.
#[derive(Serialize, ToSchema)]
pub(crate) struct TotpShown {
    /// The secret to type into the app, in base 32.
    secret: String,
    /// An address that opens an authenticator app on the same device.
    uri: String,
    /// The same as a picture.
    qr: Qr,
}

/// Start to set up TOTP. It is active once it is confirmed with a code, within 30 minutes.
#[utoipa::path(post, path = "/api/auth/account/totp/", operation_id = "begin_totp", tag = "account",
    request_body(content = BeginTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = TotpShown), (status = 400, body = Problem),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn begin(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<BeginTotp>,
) -> Result<(StatusCode, Json<TotpShown>)> {
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    let secret = TotpSecret::random(&portal.random);
    if !portal.service.begin_totp(person.account, &secret).await? {
        return Err(conflict(Message::TotpEnabled));
    }
    let uri = secret.uri(&account.email);
    let shown = TotpShown {
        secret: secret.base32(),
        qr: QrMatrix::new(&uri)?.picture(),
        uri,
    };
    Ok((StatusCode::CREATED, Json(shown)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmTotp {
    /// The code that the authenticator app shows.
    #[serde(default)]
    #[schema(required)]
    totp: String,
}

/// Recovery codes for a lost phone. Shown only once; each works once.
#[derive(Serialize, ToSchema)]
pub(crate) struct RecoveryCodes {
    recovery_codes: Vec<String>,
}

fn recovery_codes_body(codes: &[RecoveryCode]) -> Json<RecoveryCodes> {
    Json(RecoveryCodes {
        recovery_codes: codes.iter().map(RecoveryCode::grouped).collect(),
    })
}

/// Confirm TOTP with its first code. Login then requires a code, and other sessions end.
#[utoipa::path(post, path = "/api/auth/account/totp/confirm/", operation_id = "confirm_totp", tag = "account",
    request_body(content = ConfirmTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = RecoveryCodes), (status = 400, body = Problem),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn confirm(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<ConfirmTotp>,
) -> Result<Json<RecoveryCodes>> {
    let SecondFactor::Code(code) = parse_factor(&form.totp)? else {
        return Err(wrong_factor());
    };
    portal
        .limits
        .totp(person.account, Some("logged in"))
        .await?;
    let codes = RecoveryCode::set(&portal.random);
    let confirmed = portal
        .service
        .confirm_totp(person.account, &code, &codes, &person.session);
    match confirmed.await? {
        TotpConfirmation::Yes => Ok(recovery_codes_body(&codes)),
        TotpConfirmation::WrongCode => Err(wrong_factor()),
        TotpConfirmation::NotBegun => Err(conflict(Message::TotpNotBegun)),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ProveTotp {
    /// The caller's current password, for confirmation.
    #[schema(value_type = String, required)]
    password: Option<String>,
    /// The code that the authenticator app shows, or a recovery code.
    #[serde(default)]
    #[schema(required)]
    totp: String,
}

impl ProveTotp {
    /// Checks the password first, so that a caller who does not know it learns nothing else.
    async fn check(
        &self,
        portal: &Portal,
        person: PersonCaller,
    ) -> Result<(Account, SecondFactor)> {
        let account = load_account(portal, person).await?;
        reauthenticate(portal, &account, self.password.as_deref()).await?;
        if portal.store.totp(person.account).await?.is_none() {
            return Err(conflict(Message::TotpDisabled));
        }
        let factor = parse_factor(&self.totp)?;
        portal
            .limits
            .totp(person.account, Some("logged in"))
            .await?;
        Ok((account, factor))
    }
}

/// Turn TOTP off.
#[utoipa::path(delete, path = "/api/auth/account/totp/", operation_id = "end_totp", tag = "account",
    request_body(content = ProveTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn end(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<ProveTotp>,
) -> Result<StatusCode> {
    let (account, factor) = form.check(&portal, person).await?;
    if portal.requires_totp_of(account.role()?) {
        return Err(conflict(Message::TotpIsDuty));
    }
    match portal.service.end_totp(person.account, &factor).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(wrong_factor()),
    }
}

/// Create new recovery codes. The old ones stop working.
#[utoipa::path(post, path = "/api/auth/account/totp/recovery/", operation_id = "renew_recovery_codes", tag = "account",
    request_body(content = ProveTotp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = RecoveryCodes), (status = 400, body = Problem),
        (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn renew_recovery_codes(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<ProveTotp>,
) -> Result<Json<RecoveryCodes>> {
    let (_, factor) = form.check(&portal, person).await?;
    let codes = RecoveryCode::set(&portal.random);
    let renewed = portal
        .service
        .renew_recovery_codes(person.account, &factor, &codes);
    match renewed.await? {
        true => Ok(recovery_codes_body(&codes)),
        false => Err(wrong_factor()),
    }
}
