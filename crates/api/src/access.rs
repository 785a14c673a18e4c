//! The one table of who may make which call. A route without a row is not served, and a test walks the
//! OpenAPI document against it; rights to a single system are proven by [`store::Access`] on top.
use axum::http::Method;
use domain::grant::Right;
use domain::partner::Scope;
use domain::session::SessionKind;
use domain::{AccountId, Role, Serial};
use store::partner::Consent;
use store::session::SessionId;

/// Who a row admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// Anybody, without a token.
    Guest,
    /// Of their own systems, or of those of the household that they belong to.
    Owner,
    /// An owner without systems, on the key page.
    Unlinked,
    /// Of the systems that owners let them see.
    Electrician,
    /// An electrician who has to set up a second factor first, as the operator asks for it.
    Unenrolled,
    /// A partner app whose owner consented to this.
    Partner(Scope),
    /// A battery, by the secret that it has from the factory.
    Battery,
}

/// One row: a call and everybody it admits.
#[derive(Debug)]
pub struct Rule {
    pub method: &'static str,
    pub path: &'static str,
    pub who: &'static [Who],
    /// What the caller wants to do with systems, which are read together with the session. Systems with which they may
    /// not do it are kept from the call.
    pub right: Option<Right>,
}

const GUEST: &[Who] = &[Who::Guest];
const OWNER: &[Who] = &[Who::Owner];
const KEYS: &[Who] = &[Who::Owner, Who::Unlinked];
const PEOPLE: &[Who] = &[Who::Owner, Who::Electrician];
const ELECTRICIAN: &[Who] = &[Who::Electrician];
const ENROL: &[Who] = &[Who::Owner, Who::Electrician, Who::Unenrolled];
const SYSTEMS: &[Who] = &[Who::Owner, Who::Unlinked, Who::Electrician];
const EVERYBODY: &[Who] = &[Who::Owner, Who::Unlinked, Who::Electrician, Who::Unenrolled];

const fn rule(method: &'static str, path: &'static str, who: &'static [Who]) -> Rule {
    Rule {
        method,
        path,
        who,
        right: None,
    }
}

/// A call about systems with which the caller may do this.
const fn about_systems(
    method: &'static str,
    path: &'static str,
    who: &'static [Who],
    right: Right,
) -> Rule {
    Rule {
        right: Some(right),
        ..rule(method, path, who)
    }
}

pub const RULES: &[Rule] = &[
    rule("POST", "/api/auth/token/", GUEST),
    rule("POST", "/api/auth/token/refresh/", GUEST),
    // By the access token of a session, or by its refresh token when that has expired.
    rule("POST", "/api/auth/logout/", GUEST),
    rule("POST", "/api/auth/register/", GUEST),
    rule("POST", "/api/auth/register/confirm/", GUEST),
    // By the token that the new account was answered with.
    rule("POST", "/api/auth/register/claims/", GUEST),
    rule("POST", "/api/auth/password_reset/", GUEST),
    rule("POST", "/api/auth/password_reset/confirm/", GUEST),
    rule("GET", "/api/auth/account/", EVERYBODY),
    rule("PATCH", "/api/auth/account/", PEOPLE),
    rule("DELETE", "/api/auth/account/", EVERYBODY),
    rule("GET", "/api/auth/account/export/", EVERYBODY),
    rule("POST", "/api/auth/account/email/confirm/", GUEST),
    rule("POST", "/api/auth/account/totp/", ENROL),
    rule("POST", "/api/auth/account/totp/confirm/", ENROL),
    rule("DELETE", "/api/auth/account/totp/", PEOPLE),
    rule("POST", "/api/auth/account/totp/recovery/", PEOPLE),
    about_systems("GET", "/api/auth/usr_sn/", SYSTEMS, Right::Look),
    rule("POST", "/api/auth/usr_sn/", KEYS),
    rule("GET", "/api/auth/usr_sn/claims/", KEYS),
    about_systems("DELETE", "/api/auth/usr_sn/{sn}/", OWNER, Right::Part),
    about_systems("GET", "/api/auth/system/{sn}/", PEOPLE, Right::Look),
    about_systems("PATCH", "/api/auth/system/{sn}/", PEOPLE, Right::Describe),
    about_systems(
        "POST",
        "/api/auth/system/{sn}/replace/",
        PEOPLE,
        Right::Replace,
    ),
    about_systems("GET", "/api/auth/data/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/stream/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/graph/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/energy_chart/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/export/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/group/", PEOPLE, Right::Look),
    about_systems("POST", "/api/auth/group/", PEOPLE, Right::Look),
    about_systems("PATCH", "/api/auth/group/{id}/", PEOPLE, Right::Look),
    rule("DELETE", "/api/auth/group/{id}/", PEOPLE),
    about_systems("GET", "/api/auth/tariff/", OWNER, Right::SeeMoney),
    about_systems("POST", "/api/auth/tariff/", OWNER, Right::SetMoney),
    about_systems("GET", "/api/auth/price/", OWNER, Right::SeeMoney),
    about_systems("POST", "/api/auth/price/", OWNER, Right::SetMoney),
    about_systems("GET", "/api/auth/savings/", OWNER, Right::SeeMoney),
    about_systems("GET", "/api/auth/forecast/", PEOPLE, Right::Look),
    // What it costs and saves is in its reasons.
    about_systems("GET", "/api/auth/plan/", OWNER, Right::SeeMoney),
    about_systems("POST", "/api/auth/plan/", OWNER, Right::Configure),
    about_systems("GET", "/api/auth/settings/", PEOPLE, Right::SeeSettings),
    about_systems("POST", "/api/auth/settings/", PEOPLE, Right::Configure),
    about_systems(
        "POST",
        "/api/auth/settings/reset/",
        PEOPLE,
        Right::Configure,
    ),
    about_systems(
        "GET",
        "/api/auth/settings/batch/",
        ELECTRICIAN,
        Right::Configure,
    ),
    about_systems(
        "POST",
        "/api/auth/settings/batch/",
        ELECTRICIAN,
        Right::Configure,
    ),
    about_systems(
        "POST",
        "/api/auth/settings/batch/{id}/undo/",
        ELECTRICIAN,
        Right::Configure,
    ),
    rule("GET", "/api/auth/settings/template/", ELECTRICIAN),
    rule("POST", "/api/auth/settings/template/", ELECTRICIAN),
    rule("PATCH", "/api/auth/settings/template/{id}/", ELECTRICIAN),
    rule("DELETE", "/api/auth/settings/template/{id}/", ELECTRICIAN),
    about_systems("POST", "/api/auth/command/", PEOPLE, Right::Command),
    rule("GET", "/api/auth/command/{id}/", PEOPLE),
    about_systems("GET", "/api/auth/journal/", PEOPLE, Right::Look),
    about_systems("GET", "/api/auth/alarm/", PEOPLE, Right::Look),
    about_systems("POST", "/api/auth/alarm/", PEOPLE, Right::Acknowledge),
    rule("POST", "/api/auth/alarm/mail/", PEOPLE),
    about_systems("GET", "/api/v1/has_update", PEOPLE, Right::Look),
    about_systems("POST", "/api/v1/update/", PEOPLE, Right::Update),
    about_systems("GET", "/api/v1/history/", PEOPLE, Right::Look),
    rule("GET", "/api/v1/image/{sha256}", &[Who::Battery]),
    about_systems("GET", "/api/auth/grant/", PEOPLE, Right::Look),
    about_systems("POST", "/api/auth/grant/", OWNER, Right::Give),
    about_systems("PATCH", "/api/auth/grant/{id}/", OWNER, Right::Give),
    about_systems("DELETE", "/api/auth/grant/{id}/", PEOPLE, Right::Look),
    rule("POST", "/api/auth/grant/{id}/accept/", ELECTRICIAN),
    rule("POST", "/api/auth/grant/request/", ELECTRICIAN),
    rule("POST", "/api/auth/grant/code/", ELECTRICIAN),
    about_systems("POST", "/api/auth/grant/handover/", OWNER, Right::Part),
    rule("DELETE", "/api/auth/grant/handover/{id}/", OWNER),
    about_systems(
        "GET",
        "/api/auth/commissioning/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "POST",
        "/api/auth/commissioning/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "DELETE",
        "/api/auth/commissioning/{id}/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "POST",
        "/api/auth/commissioning/{id}/step/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "POST",
        "/api/auth/commissioning/{id}/phase/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "POST",
        "/api/auth/commissioning/{id}/finish/",
        ELECTRICIAN,
        Right::Commission,
    ),
    about_systems(
        "GET",
        "/api/auth/commissioning/protocol/",
        PEOPLE,
        Right::Look,
    ),
    about_systems(
        "GET",
        "/api/auth/commissioning/protocol/{id}/",
        PEOPLE,
        Right::Look,
    ),
    about_systems(
        "GET",
        "/api/auth/commissioning/protocol/{id}/pdf/",
        PEOPLE,
        Right::Look,
    ),
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
    Battery(Battery),
}

#[derive(Clone, Debug)]
pub(crate) struct Battery {
    pub(crate) sn: Serial,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    pub(crate) account: AccountId,
    pub(crate) role: Role,
    pub(crate) kind: SessionKind,
    pub(crate) session: SessionId,
    /// Nothing else before they have a second factor.
    pub(crate) must_enrol: bool,
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
                p.kind != SessionKind::Claim && p.role == Role::Electrician && !p.must_enrol
            }
            (Who::Unenrolled, Caller::Person(p)) => p.must_enrol,
            (Who::Partner(scope), Caller::Partner(consent)) => {
                consent.scopes().is_ok_and(|s| s.contains(*scope))
            }
            (Who::Battery, Caller::Battery(_)) => true,
            _ => false,
        })
    }

    /// Whether it is only the missing second factor that keeps the caller out.
    pub(crate) fn wants_enrolment(&self, caller: &Caller) -> bool {
        let unenrolled = matches!(caller, Caller::Person(person) if person.must_enrol);
        unenrolled && self.who.contains(&Who::Electrician)
    }
}
