//! Passkeys: login with a passkey, and the passkeys of an account. A passkey counts as two factors, so no other is asked for.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::client::ClientAddress;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, parse_id, ticked};
use crate::known_browser;
use crate::login::{LoggedIn, TokenPair, open_session};
use crate::passkey::{
    PasskeyCreation, PasskeyEntry, PasskeyRequest, parse_assertion, parse_registration, refused,
    relying_party,
};
use crate::path::Path;
use crate::second_factor::{Proof, prove_identity};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Message;
use domain::passkey::PasskeyName;
use serde::Deserialize;
use service::passkey::{PasskeyAdded, PasskeyRemoved};
use utoipa::ToSchema;

/// Get the options for using a passkey: to log in, as a second factor, or to confirm the person's identity.
///
/// The challenge is valid once, for five minutes.
#[utoipa::path(post, path = "/api/auth/passkey/options/", operation_id = "ask_for_passkey", tag = "session",
    responses((status = 200, body = PasskeyRequest), (status = 409, body = Refusal)))]
pub(crate) async fn ask(State(portal): State<Portal>) -> Result<Json<PasskeyRequest>> {
    let party = relying_party(&portal)?;
    let challenge = portal.service.passkey_challenge();
    Ok(Json(PasskeyRequest::new(&party, &challenge)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyLogin {
    /// The browser's answer to `passkey/options/`, as JSON.
    #[serde(default)]
    passkey: String,
    #[serde(default, rename = "stayLoggedIn")]
    #[schema(value_type = bool)]
    stay_logged_in: String,
}

/// Log in with a passkey instead of password and second factor.
///
/// The passkey identifies the account, so no role is chosen. A passkey that is not accepted gets 401 `passkey_refused`, whatever
/// the reason. An owner without systems gets 403 with a limited token for the key page.
#[utoipa::path(post, path = "/api/auth/token/passkey/", operation_id = "log_in_with_passkey", tag = "session",
    request_body(content = PasskeyLogin, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = TokenPair), (status = 401, body = Refusal), (status = 403, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn log_in(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(form): Form<PasskeyLogin>,
) -> Result<LoggedIn> {
    let answer = parse_assertion(&form.passkey);
    let id = answer.as_ref().map(|answer| &answer.credential_id);
    let owner = match id {
        Some(id) => portal.store.passkey_owner(id).await?,
        None => None,
    };
    let email = owner.as_ref().and_then(|owner| owner.email.parse().ok());
    let known = email.and_then(|email| known_browser::find(&portal, &headers, &email));
    // Counted separately: guesses at an account's password do not use up the attempts of its passkeys.
    let name = format!(
        "passkey {}",
        id.map_or_else(String::new, |id| BASE64.encode(id))
    );
    portal
        .limits
        .login(client.0, &name, known.as_deref())
        .await?;
    let (Some(answer), Some(owner)) = (answer, owner) else {
        return Err(refused(StatusCode::UNAUTHORIZED));
    };
    let used = portal.service.use_passkey(&answer, None).await?;
    if used != Some(owner.id()) || owner.locked_at.is_some() {
        return Err(refused(StatusCode::UNAUTHORIZED));
    }
    let stay = ticked(&form.stay_logged_in);
    open_session(&portal, &headers, &owner, stay, true).await
}

/// Get the options for adding a passkey to the caller's account.
///
/// Requires the password, and the second factor if login requires it, or an existing passkey instead of both. The challenge is
/// valid once, in this session, for five minutes.
#[utoipa::path(post, path = "/api/auth/account/passkey/options/", operation_id = "begin_passkey", tag = "account",
    request_body(content = Proof, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = PasskeyCreation), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub(crate) async fn begin(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(proof): Form<Proof>,
) -> Result<Json<PasskeyCreation>> {
    let party = relying_party(&portal)?;
    let account = prove_identity(&portal, person, &proof).await?;
    let service = &portal.service;
    let offer = service
        .offer_passkey(person.account, &person.session)
        .await?;
    Ok(Json(PasskeyCreation::new(&party, &account, &offer)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AddPasskey {
    #[serde(default)]
    name: String,
    /// The browser's answer to `account/passkey/options/`, as JSON with `authenticatorData`.
    #[serde(default)]
    passkey: String,
}

/// Add a passkey that the browser has created. The account holder gets a mail.
#[utoipa::path(post, path = "/api/auth/account/passkey/", operation_id = "add_passkey", tag = "account",
    request_body(content = AddPasskey, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = PasskeyEntry), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 409, body = Refusal)))]
pub(crate) async fn add(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<AddPasskey>,
) -> Result<(StatusCode, Json<PasskeyEntry>)> {
    let name = parse_name(&form.name)?;
    let answer = parse_registration(&form.passkey).ok_or(refused(StatusCode::BAD_REQUEST))?;
    let service = &portal.service;
    let added = service.add_passkey(person.account, &person.session, &name, &answer);
    match added.await? {
        PasskeyAdded::Yes(passkey) => Ok((StatusCode::CREATED, Json(passkey.into()))),
        PasskeyAdded::Refused => Err(refused(StatusCode::BAD_REQUEST)),
        PasskeyAdded::Exists => Err(Error::Refused(StatusCode::CONFLICT, Message::PasskeyExists)),
        PasskeyAdded::TooMany => Err(Error::field("name", Message::TooManyPasskeys)),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct RenamePasskey {
    #[serde(default)]
    name: String,
}

/// Rename a passkey.
#[utoipa::path(patch, path = "/api/auth/account/passkey/{id}/", operation_id = "rename_passkey", tag = "account",
    params(("id" = i64, Path)),
    request_body(content = RenamePasskey, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 404, body = Refusal)))]
pub(crate) async fn rename(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Form(form): Form<RenamePasskey>,
) -> Result<StatusCode> {
    let (id, name) = (parse_id(&id)?, parse_name(&form.name)?);
    let renamed = portal.service.rename_passkey(person.account, id, &name);
    match renamed.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}

/// Remove a passkey. It can no longer be used to log in.
///
/// Requires the same proof as adding one. The account holder gets a mail.
#[utoipa::path(delete, path = "/api/auth/account/passkey/{id}/", operation_id = "remove_passkey", tag = "account",
    params(("id" = i64, Path)),
    request_body(content = Proof, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Refusal), (status = 404, body = Refusal),
        (status = 409, body = Refusal), (status = 429, body = Refusal), (status = 503, body = Refusal)))]
pub(crate) async fn remove(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Form(proof): Form<Proof>,
) -> Result<StatusCode> {
    let id = parse_id(&id)?;
    let account = prove_identity(&portal, person, &proof).await?;
    let needs_one = portal.requires_totp_of(account.role()?);
    let removed = portal.service.remove_passkey(person.account, id, needs_one);
    match removed.await? {
        PasskeyRemoved::Yes => Ok(StatusCode::NO_CONTENT),
        PasskeyRemoved::NotFound => Err(Error::not_found()),
        PasskeyRemoved::Needed => Err(Error::Refused(StatusCode::CONFLICT, Message::TotpIsDuty)),
    }
}

fn parse_name(text: &str) -> Result<PasskeyName> {
    text.parse()
        .map_err(|message| Error::field("name", message))
}
