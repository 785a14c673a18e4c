//! The partner app's side: exchanging codes and refresh tokens for tokens (OAuth 2 with PKCE), and reading the data that the
//! owner consented to.
use crate::Portal;
use crate::authenticate::{PARTNER_PREFIX, Partner};
use crate::client::ClientAddress;
use crate::error::{Refusal, Result};
use crate::form::Form;
use crate::live::VisibleSystem;
use crate::parameter::GrantType;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Sample;
use domain::clock::{Millis, SECOND};
use domain::partner::ACCESS_TOKEN_TTL;
use ring::digest;
use serde::{Deserialize, Serialize};
use service::partner::PresentedCode;
use store::Access;
use store::partner::NewTokens;
use utoipa::ToSchema;

#[derive(Deserialize, ToSchema)]
pub(crate) struct TokenRequest {
    /// `authorization_code` or `refresh_token`.
    #[serde(default)]
    #[schema(value_type = GrantType, required)]
    grant_type: String,
    #[serde(default)]
    client_id: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    redirect_uri: String,
    #[serde(default)]
    code_verifier: String,
    #[serde(default)]
    refresh_token: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PartnerTokens {
    access_token: String,
    token_type: &'static str,
    /// Lifetime of the access token in seconds.
    expires_in: i64,
    refresh_token: String,
    scope: String,
}

/// An error in the format of OAuth 2 (RFC 6749, 5.2).
#[derive(Serialize, ToSchema)]
pub(crate) struct OauthError {
    error: &'static str,
}

/// Exchange an authorisation code or a refresh token for tokens.
#[utoipa::path(post, path = "/api/partner/token/", tag = "partner",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = PartnerTokens), (status = 400, body = OauthError), (status = 429, body = Refusal)))]
pub(crate) async fn token(
    State(portal): State<Portal>,
    client: ClientAddress,
    form: Result<Form<TokenRequest>>,
) -> Result<Response> {
    portal.limits.token(client.0).await?;
    // A parameter is missing or repeated, or the body is not a form.
    let Ok(Form(form)) = form else {
        return Ok(refuse("invalid_request"));
    };
    let access = BASE64.encode(portal.random.bytes::<32>());
    let refresh = BASE64.encode(portal.random.bytes::<32>());
    let tokens = NewTokens {
        access: access.as_bytes(),
        refresh: refresh.as_bytes(),
    };
    let consent = match form.grant_type.as_str() {
        "authorization_code" => {
            let challenge = BASE64.encode(digest::digest(
                &digest::SHA256,
                form.code_verifier.as_bytes(),
            ));
            let presented = PresentedCode {
                code: form.code.as_bytes(),
                partner: &form.client_id,
                redirect_uri: &form.redirect_uri,
                challenge: &challenge,
            };
            portal.service.exchange_code(&presented, &tokens).await?
        }
        "refresh_token" => {
            portal
                .service
                .refresh_partner(form.refresh_token.as_bytes(), &form.client_id, &tokens)
                .await?
        }
        _ => return Ok(refuse("unsupported_grant_type")),
    };
    let Some(consent) = consent else {
        return Ok(refuse("invalid_grant"));
    };
    let answer = PartnerTokens {
        access_token: format!("{PARTNER_PREFIX}{access}"),
        token_type: "Bearer",
        expires_in: ACCESS_TOKEN_TTL / SECOND,
        refresh_token: refresh,
        scope: consent.scopes,
    };
    Ok(Json(answer).into_response())
}

fn refuse(error: &'static str) -> Response {
    (StatusCode::BAD_REQUEST, Json(OauthError { error })).into_response()
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PartnerSystem {
    sn: String,
    phase: i64,
}

/// List the systems of the owner who gave consent.
#[utoipa::path(get, path = "/api/partner/v1/systems/", tag = "partner",
    responses((status = 200, body = [PartnerSystem])))]
pub(crate) async fn systems(
    State(portal): State<Portal>,
    partner: Partner,
) -> Result<Json<Vec<PartnerSystem>>> {
    let systems = portal.store.systems_of(partner.0.account()).await?;
    Ok(Json(
        systems
            .into_iter()
            .map(|system| PartnerSystem {
                sn: system.sn,
                phase: system.phase,
            })
            .collect(),
    ))
}

/// The live values of a system that partners may read.
#[derive(Serialize, ToSchema)]
#[allow(non_snake_case, reason = "the names of the fields")]
pub(crate) struct PartnerLive {
    sn: String,
    /// Whether the battery is online: its last report is at most 90 s old.
    online: bool,
    /// When the values were measured; Unix time in milliseconds. Null before the first report.
    measured_at: Option<Millis>,
    /// Grid power in W; import is positive.
    grid_power: Option<i32>,
    /// PV power in W.
    PV_power: Option<i32>,
    /// Battery power in W; discharge is positive.
    battery_power: Option<i32>,
    /// State of charge in %.
    SOC: Option<f64>,
    /// Power consumption of the house in W.
    m8: Option<i32>,
}

/// Get live values of the systems of the owner who gave consent.
#[utoipa::path(get, path = "/api/partner/v1/live/", operation_id = "partner_live", tag = "partner",
    responses((status = 200, body = [PartnerLive])))]
pub(crate) async fn live(
    State(portal): State<Portal>,
    partner: Partner,
) -> Result<Json<Vec<PartnerLive>>> {
    let accesses = portal.store.accesses(partner.0.account()).await?;
    portal.hold(accesses.iter()).await?;
    let entry = |access: &Access| {
        let system = VisibleSystem::new(access, &portal.live);
        let sample = system.sample();
        PartnerLive {
            sn: access.sn().to_string(),
            online: system.online(),
            measured_at: sample.map(|sample| sample.at),
            grid_power: sample.and_then(|sample| sample.grid_power),
            PV_power: sample.and_then(|sample| sample.pv_power),
            battery_power: sample.and_then(|sample| sample.battery_power),
            SOC: sample
                .and_then(|sample| sample.soc)
                .map(|soc| f64::from(soc) / 10.0),
            m8: sample.and_then(Sample::house_power),
        }
    };
    Ok(Json(accesses.iter().map(entry).collect()))
}
