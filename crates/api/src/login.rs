//! The last step of every kind of login: it opens a session, issues tokens, and makes the browser a known one.
use crate::caller::RoleName;
use crate::error::{Error, Result};
use crate::{Portal, known_browser};
use axum::Json;
use axum::http::HeaderMap;
use axum::http::HeaderName;
use axum::http::header::SET_COOKIE;
use axum::response::AppendHeaders;
use domain::session::{ACCESS_TOKEN_TTL, CLAIM_ACCESS_TOKEN_TTL, SessionKind};
use domain::{AccountId, Email, Role};
use serde::Serialize;
use store::account::Account;
use store::session::{ActiveSession, SessionId};
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct TokenPair {
    access: String,
    refresh: String,
    #[schema(inline)]
    role: RoleName,
    /// Whether a second factor must be set up first, because the operator requires it. Until then, all other calls are refused
    /// with `totp_enrolment_required`.
    must_enrol: bool,
}

impl TokenPair {
    pub(crate) fn new(
        portal: &Portal,
        live: ActiveSession,
        session: &SessionId,
        generation: i64,
    ) -> Self {
        let now = portal.now();
        Self {
            access: portal
                .tokens
                .access(live.account, session, now, ACCESS_TOKEN_TTL),
            refresh: portal.tokens.refresh(session, generation),
            role: live.role.into(),
            must_enrol: portal.must_enrol(live.role, live.second_factor),
        }
    }
}

pub(crate) type LoggedIn = (AppendHeaders<[(HeaderName, String); 1]>, Json<TokenPair>);

/// Opens a session for a person who has proven their identity. An owner without systems gets a limited token for the key page
/// instead.
pub(crate) async fn open_session(
    portal: &Portal,
    headers: &HeaderMap,
    account: &Account,
    stay_logged_in: bool,
    second_factor: bool,
) -> Result<LoggedIn> {
    let (role, now) = (account.role()?, portal.now());
    let has_systems = portal.store.has_systems(account.id(), now);
    if role == Role::User && !has_systems.await? {
        let session = start(portal, account.id(), SessionKind::Claim).await?;
        let access = portal
            .tokens
            .access(account.id(), &session, now, CLAIM_ACCESS_TOKEN_TTL);
        return Err(Error::NoSystems { access });
    }
    let kind = match stay_logged_in {
        true => SessionKind::Long,
        false => SessionKind::Short,
    };
    let session = start(portal, account.id(), kind).await?;
    let live = ActiveSession {
        account: account.id(),
        role,
        company_role: account.membership()?.map(|it| it.role),
        kind,
        second_factor,
    };
    let email: Email = account.email.parse().map_err(|_| Error::internal())?;
    let cookie = known_browser::remember(portal, headers, &email);
    metrics::counter!("logins_total").increment(1);
    Ok((
        AppendHeaders([(SET_COOKIE, cookie)]),
        Json(TokenPair::new(portal, live, &session, 0)),
    ))
}

async fn start(portal: &Portal, account: AccountId, kind: SessionKind) -> Result<SessionId> {
    let session = portal.random.bytes::<16>();
    portal
        .store
        .start_session(session, account, kind, portal.now())
        .await?;
    Ok(session)
}
