//! Log in, stay logged in, log out.
use crate::client::ClientAddress;
use crate::confirmation_mail::resend_confirmation;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, ticked};
use crate::login::{LoggedIn, TokenPair, open_session};
use crate::parameter::Switch;
use crate::second_factor::{EnteredFactor, require_factor};
use crate::{Lane, Portal, authenticate, known_browser};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::{Email, Message, Role};
use serde::Deserialize;
use service::session::Rotation;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct Login {
    #[serde(default)]
    #[schema(required)]
    email: String,
    #[serde(default)]
    #[schema(required)]
    password: String,
    /// Whether to log in as an electrician: `true` or `false`.
    #[serde(default)]
    #[schema(value_type = Switch)]
    electrician: String,
    #[serde(default, rename = "stayLoggedIn")]
    #[schema(value_type = Switch)]
    stay_logged_in: String,
    /// The second factor, if the account has one: the code of the authenticator app, or a recovery code.
    #[serde(default)]
    totp: String,
    /// The second factor, if the account has one: the browser's answer to `passkey/options/`, as JSON.
    #[serde(default)]
    passkey: String,
    /// `true` sends the mail that confirms a registration again, after the answer `email_unconfirmed`.
    #[serde(default)]
    #[schema(value_type = Switch)]
    resend: String,
}

/// Log in.
///
/// A wrong address, a wrong password and the wrong role get the same answer in the same time. If the mailed link of the
/// registration was not opened yet, the right password gets 403 `email_unconfirmed`; with `resend`, the mail is sent again (403
/// `confirm_resent`). An account with a second factor gets 401 `totp_required` after the right password, or 401
/// `passkey_required` if only a passkey is accepted. Repeat the call with `totp` or `passkey`; a wrong one gets 400 `totp_wrong`
/// or `passkey_refused`. An owner without systems gets 403 with a limited token for the key page. Under very high load the answer
/// is 503 `logins_busy` with `Retry-After`.
#[utoipa::path(post, path = "/api/auth/token/", tag = "session",
    request_body(content = Login, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = TokenPair), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn log_in(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(login): Form<Login>,
) -> Result<LoggedIn> {
    let email = login.email.parse::<Email>().ok();
    let known = email
        .as_ref()
        .and_then(|email| known_browser::find(&portal, &headers, email));
    let lane = known.as_ref().map_or(Lane::Stranger, |_| Lane::Known);
    // Whoever is sent away has made no attempt.
    portal.passwords.require_room(lane)?;
    let name = email.as_ref().map_or(login.email.as_str(), Email::as_str);
    portal
        .limits
        .login(client.0, name, known.as_deref())
        .await?;

    let account = match &email {
        Some(email) => portal.store.account_by_email(email).await?,
        None => None,
    };
    let role = if ticked(&login.electrician) {
        Role::Electrician
    } else {
        Role::User
    };
    let stored = account
        .as_ref()
        .map(|account| account.password_hash.clone());
    let right = portal
        .passwords
        .verify(&login.password, stored, lane)
        .await?;
    let (Some(account), true) = (account, right) else {
        let unconfirmed = match &email {
            Some(email) => unconfirmed(&portal, email, role, &login).await?,
            None => None,
        };
        return Err(unconfirmed.unwrap_or_else(invalid_credentials));
    };
    if account.role()? != role || account.locked_at.is_some() {
        return Err(invalid_credentials());
    }
    let given = EnteredFactor {
        totp: &login.totp,
        passkey: &login.passkey,
    };
    let second_factor = require_factor(&portal, &account, given, known.as_deref()).await?;
    let stay = ticked(&login.stay_logged_in);
    open_session(&portal, &headers, &account, stay, second_factor).await
}

/// The answer to the right password of a registration whose mailed link was not opened. It is the same if the address already has
/// an account, so a person who registered another person's address learns nothing.
async fn unconfirmed(
    portal: &Portal,
    email: &Email,
    role: Role,
    login: &Login,
) -> Result<Option<Error>> {
    let Some(waiting) = portal
        .store
        .pending_registration(email, portal.now())
        .await?
    else {
        return Ok(None);
    };
    let hash = Some(waiting.password_hash.clone());
    let right = portal
        .passwords
        .verify(&login.password, hash, Lane::Stranger)
        .await?;
    if !right || waiting.role != role {
        return Ok(None);
    }
    let message = match ticked(&login.resend) {
        true => {
            resend_confirmation(portal, email, &waiting).await?;
            Message::ConfirmResent
        }
        false => Message::EmailUnconfirmed,
    };
    Ok(Some(Error::Refused(StatusCode::FORBIDDEN, message)))
}

const fn invalid_credentials() -> Error {
    Error::Refused(StatusCode::UNAUTHORIZED, Message::InvalidCredentials)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Refresh {
    #[serde(default)]
    #[schema(required)]
    refresh: String,
}

/// Exchange a refresh token for a new pair of tokens.
///
/// Refresh tokens rotate. The previous one returns the same successor until that one is used; an older one ends the session.
#[utoipa::path(post, path = "/api/auth/token/refresh/", tag = "session",
    request_body(content = Refresh, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = TokenPair), (status = 401, body = Refusal)))]
pub(crate) async fn refresh(
    State(portal): State<Portal>,
    Form(form): Form<Refresh>,
) -> Result<Json<TokenPair>> {
    let refused = Error::Refused(StatusCode::UNAUTHORIZED, Message::RefreshInvalid);
    let Some((session, generation)) = portal.tokens.read_refresh(&form.refresh) else {
        return Err(refused);
    };
    match portal.service.rotate_session(&session, generation).await? {
        Rotation::Generation { generation, live } => {
            Ok(Json(TokenPair::new(&portal, live, &session, generation)))
        }
        Rotation::Refused => Err(refused),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Logout {
    /// `1` ends every session of the account.
    #[serde(default)]
    #[schema(value_type = Switch)]
    all: String,
    /// The refresh token of the session, if the access token has expired.
    #[serde(default)]
    refresh: String,
}

/// End this session or all sessions, authenticated by the access token or the refresh token.
#[utoipa::path(post, path = "/api/auth/logout/", tag = "session",
    request_body(content = Logout, content_type = "application/x-www-form-urlencoded"),
    security(("person" = []), ()),
    responses((status = 204), (status = 401, body = Refusal), (status = 403, body = Refusal)))]
pub(crate) async fn log_out(
    State(portal): State<Portal>,
    headers: HeaderMap,
    Form(form): Form<Logout>,
) -> Result<StatusCode> {
    let session = match portal.tokens.read_refresh(&form.refresh) {
        Some((session, _)) => session,
        None => authenticate::person(&portal, &headers).await?.session,
    };
    match portal.store.active_session(&session, portal.now()).await? {
        Some(live) if ticked(&form.all) => portal.service.end_all_sessions(live.account).await?,
        Some(_) => portal.service.end_session(&session).await?,
        // The session has ended already.
        None => {}
    }
    Ok(StatusCode::NO_CONTENT)
}
