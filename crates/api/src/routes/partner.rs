//! The owner's side of partner apps: giving, listing and withdrawing consent.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, Query, parse_id};
use crate::parameter::{ChallengeMethod, CodeChallenge, PartnerScopesText};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Message;
use domain::partner::PartnerScopes;
use serde::{Deserialize, Serialize};
use store::partner::NewConsent;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct ClientQuery {
    #[serde(default)]
    #[param(required = true)]
    client_id: String,
    #[serde(default)]
    #[param(required = true)]
    redirect_uri: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ClientEntry {
    name: String,
}

/// Get the name of a registered partner app, for the consent screen.
#[utoipa::path(get, path = "/api/partner/client/", tag = "partner", params(ClientQuery),
    responses((status = 200, body = ClientEntry), (status = 400, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn client(
    State(portal): State<Portal>,
    Query(query): Query<ClientQuery>,
) -> Result<Json<ClientEntry>> {
    let name = portal
        .store
        .partner_name(&query.client_id, &query.redirect_uri)
        .await?;
    Ok(Json(ClientEntry {
        name: name.ok_or(Error::Refused(
            StatusCode::NOT_FOUND,
            Message::ClientUnknown,
        ))?,
    }))
}

const fn client_unknown() -> Error {
    Error::Refused(StatusCode::BAD_REQUEST, Message::ClientUnknown)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct GiveConsent {
    #[serde(default)]
    #[schema(required)]
    client_id: String,
    #[serde(default)]
    #[schema(required)]
    redirect_uri: String,
    #[serde(default)]
    #[schema(value_type = CodeChallenge, required)]
    code_challenge: String,
    /// Must be `S256`.
    #[serde(default)]
    #[schema(value_type = ChallengeMethod, required)]
    code_challenge_method: String,
    /// `systems`, `live`, or both separated by a space.
    #[serde(default)]
    #[schema(value_type = PartnerScopesText, required)]
    scope: String,
    #[serde(default)]
    state: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConsentGiven {
    /// Where to send the browser: the app's redirect address, with the authorisation code.
    redirect: String,
}

/// Give a partner app consent to read data.
#[utoipa::path(post, path = "/api/auth/partner/", tag = "partner",
    request_body(content = GiveConsent, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = ConsentGiven), (status = 400, body = Problem)))]
pub(crate) async fn consent(
    State(portal): State<Portal>,
    person: PersonCaller,
    Form(form): Form<GiveConsent>,
) -> Result<Json<ConsentGiven>> {
    portal
        .store
        .partner_name(&form.client_id, &form.redirect_uri)
        .await?
        .ok_or(client_unknown())?;
    // A SHA-256 has 32 bytes, which are 43 characters in base 64; anything else is not a challenge.
    let is_challenge = BASE64
        .decode(&form.code_challenge)
        .is_ok_and(|digest| digest.len() == 32);
    if form.code_challenge_method != "S256" || !is_challenge {
        return Err(client_unknown());
    }
    let scopes: PartnerScopes = form.scope.parse().map_err(|_| client_unknown())?;
    let code = BASE64.encode(portal.random.bytes::<32>());
    let consent = NewConsent {
        account: person.account,
        partner: &form.client_id,
        scopes: &scopes,
        redirect_uri: &form.redirect_uri,
        challenge: &form.code_challenge,
        code: code.as_bytes(),
    };
    portal.service.consent(&consent).await?;
    let query = serde_urlencoded::to_string([("code", &code), ("state", &form.state)])
        .map_err(|_| Error::internal())?;
    let joint = if form.redirect_uri.contains('?') {
        '&'
    } else {
        '?'
    };
    Ok(Json(ConsentGiven {
        redirect: format!("{}{joint}{query}", form.redirect_uri),
    }))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConsentEntry {
    id: i64,
    name: String,
    scopes: Vec<&'static str>,
    /// When the consent was given; Unix time in milliseconds.
    since: i64,
}

/// List the partner apps that have the caller's consent.
#[utoipa::path(get, path = "/api/auth/partner/", tag = "partner",
    responses((status = 200, body = [ConsentEntry])))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
) -> Result<Json<Vec<ConsentEntry>>> {
    let consents = portal.store.consents_of(person.account).await?;
    let entry = |consent: store::partner::Consent| {
        let scopes = consent.scopes()?.names();
        Ok(ConsentEntry {
            id: consent.id,
            name: consent.name,
            scopes,
            since: consent.created_at,
        })
    };
    Ok(Json(
        consents
            .into_iter()
            .map(entry)
            .collect::<Result<_, store::Error>>()?,
    ))
}

/// Withdraw the consent for a partner app. Its tokens stop working at once.
#[utoipa::path(delete, path = "/api/auth/partner/{id}/", tag = "partner", params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn end(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = parse_id(&id)?;
    match portal.service.end_consent(person.account, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}
