//! Finds out who calls and holds them against the table in [`crate::access`], before any handler runs.
use crate::Portal;
use crate::access::{self, Caller, Person, Rule};
use crate::error::{Error, Result};
use crate::own::Systems;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use domain::Message;
use store::partner::Consent;

/// Partner tokens say what they are, so that one is never looked up as the other.
pub(crate) const PARTNER_PREFIX: &str = "partner_";

pub(crate) async fn authorise(
    State(portal): State<Portal>,
    path: MatchedPath,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let rule = access::find(request.method(), path.as_str()).ok_or_else(|| {
        tracing::error!(
            path = path.as_str(),
            "route without a row in the authorisation table"
        );
        Error::not_found()
    })?;
    if !rule.admits_guests() {
        let (caller, systems) = caller(&portal, request.headers(), rule).await?;
        if !rule.admits(&caller) {
            return Err(Error::Refused(StatusCode::FORBIDDEN, Message::Forbidden));
        }
        if let Some(systems) = systems {
            request.extensions_mut().insert(systems);
        }
        match caller {
            Caller::Person(person) => request.extensions_mut().insert(person).map(drop),
            Caller::Partner(consent) => request.extensions_mut().insert(consent).map(drop),
        };
    }
    Ok(next.run(request).await)
}

/// Who calls, with their systems where the call is about them.
async fn caller(
    portal: &Portal,
    headers: &HeaderMap,
    rule: &Rule,
) -> Result<(Caller, Option<Systems>)> {
    let header = headers
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = header
        .and_then(|value| value.strip_prefix("Bearer "))
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
    let (live, systems) = if rule.about_systems {
        let entered = portal.store.enter(&session, now).await?;
        let (live, systems) = entered.ok_or(Error::token_invalid())?;
        (live, Some(Systems(systems)))
    } else {
        let live = portal.store.live_session(&session, now).await?;
        (live.ok_or(Error::token_invalid())?, None)
    };
    let person = Person {
        account: live.account,
        role: live.role,
        kind: live.kind,
        session,
    };
    Ok((Caller::Person(person), systems))
}

impl<S: Send + Sync> FromRequestParts<S> for Person {
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
