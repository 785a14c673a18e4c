//! The electrician's side of grants: accepting an invitation, requesting access by serial number, and the installer code.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::client::ClientAddress;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, Query, parse_id, ticked};
use crate::grant::{GrantStateName, HeldEntry, same_kind};
use crate::limits::MAX_GRANT_REQUESTS_PER_HOUR;
use crate::own_account::load_account;
use crate::parameter::{ElectricianScope, RequestMessage, SerialNumbers, Switch};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::code::Code;
use domain::grant::{GrantScope, MAX_REQUESTED_AT_ONCE, parse_request_message};
use domain::{Message, Serial};
use serde::{Deserialize, Serialize};
use service::grant::{GrantRequest, InstallerCodeResult};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct AcceptQuery {
    /// `true` also accepts all other invitations of the same owner.
    #[serde(default)]
    #[param(value_type = Switch)]
    household: String,
}

/// Accept an invitation sent to the caller's address, or all invitations of the same owner.
#[utoipa::path(post, path = "/api/auth/grant/{id}/accept/", operation_id = "accept_grant", tag = "grants",
    params(("id" = i64, Path), AcceptQuery),
    responses((status = 200, body = HeldEntry)))]
pub(crate) async fn accept(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
    Query(query): Query<AcceptQuery>,
) -> Result<Json<HeldEntry>> {
    let id = parse_id(&id)?;
    let of_household = ticked(&query.household);
    let accepted = portal
        .service
        .accept_grant(person.account, id, of_household);
    accepted
        .await?
        .map(|grant| Json(HeldEntry::single(grant)))
        .ok_or(Error::not_found())
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AskFor {
    /// One serial number, or several separated by commas.
    #[serde(default)]
    #[schema(value_type = SerialNumbers, required)]
    sn: String,
    /// The requested scope: monitor, configure or service (default).
    #[serde(default)]
    #[schema(value_type = ElectricianScope)]
    scope: String,
    /// A message to the owners: at most 300 characters, without e-mail addresses.
    #[serde(default)]
    #[schema(value_type = RequestMessage)]
    message: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Asked)]
pub(crate) struct GrantRequested {
    /// The requested serial numbers, separated by commas.
    sn: String,
    #[schema(inline)]
    state: GrantStateName,
    /// The same whether or not the systems exist.
    text: &'static str,
}

/// Request access to systems. The answer does not reveal whether they exist.
#[utoipa::path(post, path = "/api/auth/grant/request/", operation_id = "ask_for_grant", tag = "grants",
    request_body(content = AskFor, content_type = "application/x-www-form-urlencoded"),
    responses((status = 202, body = GrantRequested), (status = 400, body = Problem),
        (status = 429, body = Refusal)))]
pub(crate) async fn ask(
    State(portal): State<Portal>,
    person: PersonCaller,
    headers: HeaderMap,
    Form(form): Form<AskFor>,
) -> Result<(StatusCode, Json<GrantRequested>)> {
    let mut errors = FieldErrors::default();
    let serials = errors.check("sn", parse_serials(&form.sn));
    let scope = match form.scope.trim() {
        "" => Some(GrantScope::Service),
        text => errors.check("scope", same_kind(text, GrantScope::Service)),
    };
    let message = errors.check("message", parse_request_message(&form.message));
    errors.into_result()?;
    let (Some(serials), Some(scope), Some(message)) = (serials, scope, message) else {
        return Err(Error::internal());
    };
    // A system that the electrician has access to, or had, does not count as a guess.
    let (store, now) = (&portal.store, portal.now());
    let held = store.held_grants(person.account, person.role, now).await?;
    let known = |sn: &Serial| {
        held.iter()
            .any(|grant| grant.since.is_some() && grant.sn == *sn)
    };
    let guesses = serials.iter().filter(|sn| !known(sn)).count();
    if guesses > MAX_GRANT_REQUESTS_PER_HOUR {
        return Err(Error::field("sn", Message::TooManySystems));
    }
    if guesses > 0 {
        let account = load_account(&portal, person).await?;
        let membership = account.membership()?.ok_or(Error::not_found())?;
        portal
            .limits
            .grant_requests(membership.company, guesses)
            .await?;
    }
    let request = GrantRequest {
        serials: &serials,
        scope,
        message: message.as_deref(),
    };
    portal
        .service
        .request_grants(person.account, &request)
        .await?;
    let names: Vec<&str> = serials.iter().map(Serial::as_str).collect();
    let asked = GrantRequested {
        sn: names.join(","),
        state: GrantStateName::Asked,
        text: Message::GrantAsked.text(language(&headers)),
    };
    Ok((StatusCode::ACCEPTED, Json(asked)))
}

/// Serial numbers separated by commas, each once.
fn parse_serials(text: &str) -> Result<Vec<Serial>, Message> {
    let mut serials = Vec::new();
    for name in text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let sn: Serial = name.parse()?;
        if !serials.contains(&sn) {
            serials.push(sn);
        }
    }
    match serials.len() {
        0 => Err(Message::Required),
        1..=MAX_REQUESTED_AT_ONCE => Ok(serials),
        _ => Err(Message::TooManySystems),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct EnterCode {
    /// The code, in the form `XXXXX-XXXXX-XXXXX-XXXXX`.
    #[serde(default)]
    #[schema(required)]
    code: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct OpenedGrants {
    grants: Vec<HeldEntry>,
}

/// Redeem an installer code. Gives 30 days of service access to its systems while they have no owner.
#[utoipa::path(post, path = "/api/auth/grant/code/", operation_id = "enter_installer_code", tag = "grants",
    request_body(content = EnterCode, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = OpenedGrants), (status = 400, body = Problem),
        (status = 429, body = Refusal)))]
pub(crate) async fn enter_code(
    State(portal): State<Portal>,
    person: PersonCaller,
    client: ClientAddress,
    Form(form): Form<EnterCode>,
) -> Result<Json<OpenedGrants>> {
    let refused = |message| Err(Error::field("code", message));
    if form.code.trim().is_empty() {
        return refused(Message::Required);
    }
    portal
        .limits
        .keys(client.0, Some(person.account), 1)
        .await?;
    let Ok(code) = form.code.parse::<Code>() else {
        return refused(Message::InstallerCodeUnknown);
    };
    let opened = portal.service.redeem_installer_code(person.account, &code);
    match opened.await? {
        InstallerCodeResult::Grants(grants) => {
            let (limits, account) = (&portal.limits, Some(person.account));
            limits.keys_were_right(client.0, account, 1).await;
            let grants = HeldEntry::list(grants);
            Ok(Json(OpenedGrants { grants }))
        }
        InstallerCodeResult::Unknown => refused(Message::InstallerCodeUnknown),
        InstallerCodeResult::Owned => refused(Message::InstallerCodeOwned),
    }
}
