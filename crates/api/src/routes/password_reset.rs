//! Reset of a forgotten password by a mailed link that works once. Known and unknown addresses get the same answer.
use crate::caller::RoleName;
use crate::client::ClientAddress;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result};
use crate::form::Form;
use crate::new_password::check_new_password;
use crate::parameter::EmailAddress;
use crate::{Lane, Portal, known_browser};
use axum::Json;
use axum::extract::State;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::AppendHeaders;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::{Email, Message};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct AskReset {
    #[serde(default)]
    #[schema(value_type = EmailAddress, required)]
    email: String,
}

/// The same answer for known and unknown addresses.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResetAsked {}

/// Request a mail with a link to set a new password.
#[utoipa::path(post, path = "/api/auth/password_reset/", tag = "password",
    request_body(content = AskReset, content_type = "application/x-www-form-urlencoded"),
    responses((status = 202, body = ResetAsked), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn ask(
    State(portal): State<Portal>,
    client: ClientAddress,
    Form(form): Form<AskReset>,
) -> Result<(StatusCode, Json<ResetAsked>)> {
    let email: Email = form
        .email
        .parse()
        .map_err(|message| Error::field("email", message))?;
    portal.limits.mail_from(client.0).await?;
    if portal.limits.may_mail(email.as_str()).await? {
        let queued = portal.service.request_password_reset(&email).await;
        queued.map_err(|error| {
            tracing::error!(%error, "password_reset_not_queued");
            Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::MailFailed)
        })?;
    }
    Ok((StatusCode::ACCEPTED, Json(ResetAsked {})))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConfirmReset {
    #[serde(default)]
    #[schema(required)]
    token: String,
    #[serde(default)]
    #[schema(required)]
    password: String,
    #[serde(default)]
    #[schema(required)]
    password2: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ResetDone {
    role: RoleName,
}

/// Set a new password with the mailed link. All sessions of the account end, and this browser becomes a known one.
#[utoipa::path(post, path = "/api/auth/password_reset/confirm/", operation_id = "confirm_password_reset", tag = "password",
    request_body(content = ConfirmReset, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = ResetDone), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn confirm(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
    Form(form): Form<ConfirmReset>,
) -> Result<(AppendHeaders<Vec<(HeaderName, String)>>, Json<ResetDone>)> {
    portal.limits.token(client.0).await?;
    let mut errors = FieldErrors::default();
    let fields = ["password", "password2"];
    let password = check_new_password(fields, &form.password, Some(&form.password2), &mut errors);
    errors.into_result()?;
    let (Some(password), Ok(token)) = (password, BASE64.decode(&form.token)) else {
        return Err(Error::link_invalid());
    };
    let hash = portal.passwords.hash(&password, Lane::Stranger).await?;
    let done = portal.service.reset_password(&token, &hash).await?;
    let account = done.ok_or(Error::link_invalid())?;
    let mut cookies = Vec::new();
    if let Ok(email) = account.email.parse::<Email>() {
        cookies.push((
            SET_COOKIE,
            known_browser::remember(&portal, &headers, &email),
        ));
    }
    let role = account.role()?.into();
    Ok((AppendHeaders(cookies), Json(ResetDone { role })))
}
