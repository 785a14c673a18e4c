//! Identifies the caller and checks the route's row of the authorisation table before the handler runs.
use crate::Portal;
use crate::caller::{BatteryCaller, Caller, PersonCaller, Rule};
use crate::caller_systems::Systems;
use crate::error::{Error, Result};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use domain::grant::Right;
use domain::{Message, Serial};
use store::device_login::DeviceLogin;
use store::partner::Consent;

/// Partner tokens have a prefix, so a partner token is never looked up as a person's token or vice versa.
pub(crate) const PARTNER_PREFIX: &str = "partner_";

pub(crate) async fn authorise(
    State((portal, rule)): State<(Portal, Rule)>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let mut account = None;
    if !rule.admits_guests() {
        let (caller, systems) = caller(&portal, request.headers(), rule.right).await?;
        if !rule.admits(&caller) {
            return Err(Error::forbidden(rule.refusal(&caller)));
        }
        if let Some(systems) = systems {
            request.extensions_mut().insert(systems);
        }
        account = caller.account();
        match caller {
            Caller::Person(person) => request.extensions_mut().insert(person).map(drop),
            Caller::Partner(consent) => request.extensions_mut().insert(consent).map(drop),
            Caller::Battery(battery) => request.extensions_mut().insert(battery).map(drop),
        };
    }
    let answer = next.run(request).await;
    match account {
        Some(account) => portal.unread_answers.count(account, answer),
        None => Ok(answer),
    }
}

/// The caller, with their systems if the call is about systems.
async fn caller(
    portal: &Portal,
    headers: &HeaderMap,
    right: Option<Right>,
) -> Result<(Caller, Option<Systems>)> {
    let header = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    if let Some(login) = header.and_then(|value| credentials(value, "Basic")) {
        return Ok((Caller::Battery(battery(portal, login).await?), None));
    }
    let token = header
        .and_then(|value| credentials(value, "Bearer"))
        .ok_or(Error::token_invalid())?;
    let now = portal.now();
    if let Some(token) = token.strip_prefix(PARTNER_PREFIX) {
        let consent = portal.store.partner_access(token.as_bytes(), now).await?;
        let consent = consent.ok_or(Error::token_invalid())?;
        return Ok((Caller::Partner(consent), None));
    }
    let session = portal
        .tokens
        .read_access(token, now)
        .ok_or(Error::token_invalid())?;
    let (live, systems) = if let Some(right) = right {
        let entered = portal.store.authenticate_session(&session, now).await?;
        let (live, systems) = entered.ok_or(Error::token_invalid())?;
        (live, Some(Systems::new(systems, right)))
    } else {
        let live = portal.store.active_session(&session, now).await?;
        (live.ok_or(Error::token_invalid())?, None)
    };
    let person = PersonCaller {
        account: live.account,
        role: live.role,
        company_role: live.company_role,
        kind: live.kind,
        session,
        must_enrol: portal.must_enrol(live.role, live.second_factor),
    };
    Ok((Caller::Person(person), systems))
}

/// The person behind an access token, for calls that also accept another credential.
pub(crate) async fn person(portal: &Portal, headers: &HeaderMap) -> Result<PersonCaller> {
    match caller(portal, headers, None).await? {
        (Caller::Person(person), _) => Ok(person),
        _ => Err(Error::forbidden(Message::Forbidden)),
    }
}

/// The part after the name of the scheme, which is matched without regard to case.
fn credentials<'a>(header: &'a str, scheme: &str) -> Option<&'a str> {
    let (name, credentials) = header.split_once(' ')?;
    name.eq_ignore_ascii_case(scheme).then_some(credentials)
}

/// Authenticates by serial number and secret, as on the device link.
async fn battery(portal: &Portal, login: &str) -> Result<BatteryCaller> {
    let invalid = Error::token_invalid;
    let clear = BASE64.decode(login.trim()).map_err(|_| invalid())?;
    let clear = String::from_utf8(clear).map_err(|_| invalid())?;
    let (sn, secret) = clear.split_once(':').ok_or_else(invalid)?;
    let sn: Serial = sn.parse().map_err(|_| invalid())?;
    let now = portal.clock.now();
    let login = portal.store.log_in_device(&sn, secret.as_bytes(), now);
    match login.await? {
        DeviceLogin::Accepted(_) => Ok(BatteryCaller { sn }),
        DeviceLogin::Refused | DeviceLogin::Blocked => Err(invalid()),
    }
}

impl<S: Send + Sync> FromRequestParts<S> for BatteryCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let battery = parts.extensions.get::<Self>().cloned();
        battery.ok_or(Error::token_invalid())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PersonCaller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts
            .extensions
            .get::<Self>()
            .copied()
            .ok_or(Error::token_invalid())
    }
}

/// The partner app behind a request.
pub(crate) struct Partner(pub(crate) Consent);

impl<S: Send + Sync> FromRequestParts<S> for Partner {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parts
            .extensions
            .get::<Consent>()
            .cloned()
            .map(Self)
            .ok_or(Error::token_invalid())
    }
}
