//! The one table of who may make which call. A route without a row is not served, and a test walks the
//! OpenAPI document against it; rights to a single system are proven by [`store::Access`] on top.
use axum::http::Method;
use domain::partner::Scope;
use domain::session::SessionKind;
use domain::{AccountId, Role};
use store::partner::Consent;
use store::session::SessionId;

/// Who a row admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Anybody, without a token.
    Guest,
    Owner,
    /// An owner without systems, on the key page.
    Unlinked,
    Electrician,
    /// A partner app whose owner consented to this.
    Partner(Scope),
}

/// One row: a call and everybody it admits.
#[derive(Debug)]
pub struct Rule {
    pub method: &'static str,
    pub path: &'static str,
    pub who: &'static [Who],
    /// The call is about the caller's systems, which are read together with the session.
    pub(crate) about_systems: bool,
}

const GUEST: &[Who] = &[Who::Guest];
const OWNER: &[Who] = &[Who::Owner];
const KEYS: &[Who] = &[Who::Owner, Who::Unlinked];
const PEOPLE: &[Who] = &[Who::Owner, Who::Electrician];
const EVERYBODY: &[Who] = &[Who::Owner, Who::Unlinked, Who::Electrician];

const fn rule(method: &'static str, path: &'static str, who: &'static [Who]) -> Rule {
    Rule {
        method,
        path,
        who,
        about_systems: false,
    }
}

/// A call about systems that the caller may look at.
const fn about_systems(method: &'static str, path: &'static str, who: &'static [Who]) -> Rule {
    Rule {
        about_systems: true,
        ..rule(method, path, who)
    }
}

pub const RULES: &[Rule] = &[
    rule("POST", "/api/auth/token/", GUEST),
    rule("POST", "/api/auth/token/refresh/", GUEST),
    rule("POST", "/api/auth/logout/", EVERYBODY),
    rule("POST", "/api/auth/register/", GUEST),
    rule("POST", "/api/auth/register/confirm/", GUEST),
    rule("POST", "/api/auth/password_reset/", GUEST),
    rule("POST", "/api/auth/password_reset/confirm/", GUEST),
    rule("GET", "/api/auth/account/", EVERYBODY),
    rule("PATCH", "/api/auth/account/", PEOPLE),
    rule("DELETE", "/api/auth/account/", EVERYBODY),
    rule("GET", "/api/auth/account/export/", EVERYBODY),
    rule("POST", "/api/auth/account/email/confirm/", GUEST),
    rule("GET", "/api/auth/usr_sn/", EVERYBODY),
    rule("POST", "/api/auth/usr_sn/", KEYS),
    rule("GET", "/api/auth/usr_sn/claims/", KEYS),
    rule("DELETE", "/api/auth/usr_sn/{sn}/", OWNER),
    about_systems("PATCH", "/api/auth/system/{sn}/", OWNER),
    about_systems("GET", "/api/auth/data/", PEOPLE),
    about_systems("GET", "/api/auth/stream/", PEOPLE),
    about_systems("GET", "/api/auth/graph/", PEOPLE),
    about_systems("GET", "/api/auth/energy_chart/", PEOPLE),
    about_systems("GET", "/api/auth/export/", PEOPLE),
    about_systems("GET", "/api/auth/group/", PEOPLE),
    about_systems("POST", "/api/auth/group/", PEOPLE),
    about_systems("PATCH", "/api/auth/group/{id}/", PEOPLE),
    rule("DELETE", "/api/auth/group/{id}/", PEOPLE),
    about_systems("GET", "/api/auth/tariff/", OWNER),
    about_systems("POST", "/api/auth/tariff/", OWNER),
    about_systems("GET", "/api/auth/savings/", OWNER),
    about_systems("GET", "/api/auth/settings/", PEOPLE),
    about_systems("POST", "/api/auth/settings/", OWNER),
    about_systems("POST", "/api/auth/settings/reset/", OWNER),
    about_systems("POST", "/api/auth/command/", OWNER),
    rule("GET", "/api/auth/command/{id}/", OWNER),
    about_systems("GET", "/api/auth/journal/", PEOPLE),
    rule("GET", "/api/auth/partner/", OWNER),
    rule("POST", "/api/auth/partner/", OWNER),
    rule("DELETE", "/api/auth/partner/{id}/", OWNER),
    rule("GET", "/api/partner/client/", GUEST),
    rule("POST", "/api/partner/token/", GUEST),
    rule(
        "GET",
        "/api/partner/v1/systems/",
        &[Who::Partner(Scope::Systems)],
    ),
    rule("GET", "/api/partner/v1/live/", &[Who::Partner(Scope::Live)]),
    rule("GET", "/api/openapi.json", GUEST),
    rule("GET", "/config.json", GUEST),
    rule("GET", "/healthz", GUEST),
    rule("GET", "/readyz", GUEST),
    rule("GET", "/metrics", GUEST),
];

/// Who is calling, read from the database for this one request.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    Person(Person),
    Partner(Consent),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    pub(crate) kind: SessionKind,
    pub(crate) session: SessionId,
}

pub(crate) fn find(method: &Method, path: &str) -> Option<&'static Rule> {
    // A HEAD is a GET without its body.
    let method = if method == Method::HEAD {
        "GET"
    } else {
        method.as_str()
    };
    RULES
        .iter()
        .find(|rule| rule.method == method && rule.path == path)
}

impl Rule {
    pub(crate) fn admits_guests(&self) -> bool {
        self.who.contains(&Who::Guest)
    }

    pub(crate) fn admits(&self, caller: &Caller) -> bool {
        self.who.iter().any(|who| match (who, caller) {
            (Who::Guest, _) => true,
            (Who::Unlinked, Caller::Person(p)) => p.kind == SessionKind::Claim,
            (Who::Owner, Caller::Person(p)) => p.kind != SessionKind::Claim && p.role == Role::User,
            (Who::Electrician, Caller::Person(p)) => {
                p.kind != SessionKind::Claim && p.role == Role::Electrician
            }
            (Who::Partner(scope), Caller::Partner(consent)) => {
                consent.scopes().is_ok_and(|s| s.contains(*scope))
            }
            _ => false,
        })
    }
}
