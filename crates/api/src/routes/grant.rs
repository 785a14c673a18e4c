//! Grants: the list for both sides, the owner's invitations and decisions, and the end of a grant.

use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result};
use crate::form::{Form, Query, parse_id, ticked};
use crate::grant::{GivenEntry, HandoverEntry, HeldEntry, address, same_kind};
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::{Day, EmailAddress, ScopeChoice, ScopeOrSame, Switch, SystemsOrAll};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::company::CompanyRight;
use domain::grant::{GrantScope, GrantState, Right, end_of, parse_last_day};
use domain::{Message, Role, SiteDay};
use serde::{Deserialize, Serialize};
use service::grant::{GrantTerms, Invitation};
use store::Access;
use store::grant::Grant;
use utoipa::{IntoParams, ToSchema};

/// The grants that the caller gave and holds.
#[derive(Serialize, ToSchema)]
pub(crate) struct Grants {
    /// Grants on systems that the caller may decide about. Those that wait for a decision come first.
    given: Vec<GivenEntry>,
    /// Grants on other people's systems that the caller holds, was invited to, or requested.
    held: Vec<HeldEntry>,
    /// Systems that the caller is handing over.
    handovers: Vec<HandoverEntry>,
}

#[derive(Deserialize, IntoParams)]
pub(crate) struct GrantQuery {
    /// `true` returns only what waits for the caller: requests and unconfirmed access; for electricians, invitations and access
    /// that ends soon or has ended.
    #[serde(default)]
    #[param(value_type = Switch)]
    pending: String,
}

/// List who may access the caller's systems, and which other systems the caller may access.
#[utoipa::path(get, path = "/api/auth/grant/", operation_id = "list_grants", tag = "grants", params(GrantQuery),
    responses((status = 200, body = Grants)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Query(query): Query<GrantQuery>,
) -> Result<Json<Grants>> {
    let (store, now) = (&portal.store, portal.now());
    let mut given = store.given_grants(&systems.allowed, now).await?;
    let (held, handovers) = match ticked(&query.pending) {
        true => {
            given.retain(Grant::is_undecided);
            let waiting = match person.role {
                Role::Electrician if !person.may(CompanyRight::ManageAccess) => Vec::new(),
                Role::Electrician => store.waiting_for_electrician(person.account, now).await?,
                Role::User => Vec::new(),
            };
            (waiting, Vec::new())
        }
        false => (
            store.held_grants(person.account, person.role, now).await?,
            store.handovers_of(person.account, now).await?,
        ),
    };
    Ok(Json(Grants {
        given: given.into_iter().map(GivenEntry::from).collect(),
        held: HeldEntry::list(held),
        handovers: handovers.into_iter().map(HandoverEntry::from).collect(),
    }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct Invite {
    /// One serial number, several separated by commas, or -1 for all systems that the caller owns.
    #[serde(default)]
    #[schema(value_type = SystemsOrAll, required)]
    sn: String,
    #[serde(default)]
    #[schema(value_type = EmailAddress, required)]
    email: String,
    /// For an electrician: monitor, configure or service. For a household member: look or owner.
    #[serde(default)]
    #[schema(value_type = ScopeChoice, required)]
    scope: String,
    /// The last day of access, `YYYY-MM-DD`. Default: 90 days from today for electricians, unlimited for household members.
    #[serde(default)]
    #[schema(value_type = Day)]
    until: String,
    /// Whether the electrician may read the phone number and the postal address of the owner's account. Only the owner may set
    /// it.
    #[serde(default)]
    #[schema(value_type = Switch)]
    contact: String,
    /// The caller's current password, for confirmation.
    password: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Invited {
    grants: Vec<GivenEntry>,
}

/// Invite an electrician or a household member. The answer does not reveal whether the address has an account.
#[utoipa::path(post, path = "/api/auth/grant/", operation_id = "invite", tag = "grants",
    request_body(content = Invite, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = Invited), (status = 400, body = Problem), (status = 404, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn invite(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Form(form): Form<Invite>,
) -> Result<(StatusCode, Json<Invited>)> {
    if form.sn.trim().is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    let chosen = systems.list_or_all(&form.sn)?;
    let Some(first) = chosen.first() else {
        return Err(Error::not_found());
    };
    let mut errors = FieldErrors::default();
    let account = load_account(&portal, person).await?;
    let email = errors.check("email", address(&form.email, &account.email));
    let scope = errors.check("scope", form.scope.trim().parse::<GrantScope>());
    let today = first.zone().day_of(portal.now());
    let usual = scope.and_then(|scope| scope.default_end(today));
    let last_day = errors.check("until", last_day(&form.until, usual, today));
    errors.into_result()?;
    let (Some(email), Some(scope), Some(last_day)) = (email, scope, last_day) else {
        return Err(Error::internal());
    };
    let shares_contact = ticked(&form.contact);
    if scope.role() == Role::User || shares_contact {
        for access in &chosen {
            require(access, Right::ManageHousehold)?;
        }
    }
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    let limits = &portal.limits;
    match scope.role() {
        Role::User => limits.invitation(person.account, email.as_str()).await?,
        Role::Electrician => limits.listed_invitation(person.account).await?,
    }
    let invitation = Invitation {
        email: &email,
        scope,
        last_day,
        shares_contact,
    };
    let invited = portal.service.invite(&chosen, invitation).await?;
    let grants = invited.into_iter().map(GivenEntry::from).collect();
    Ok((StatusCode::CREATED, Json(Invited { grants })))
}

fn last_day(
    text: &str,
    usual: Option<SiteDay>,
    today: SiteDay,
) -> Result<Option<SiteDay>, Message> {
    match text.trim() {
        "" => Ok(usual),
        text => parse_last_day(text, today).map(Some),
    }
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct GiveGrant {
    /// The new scope. Default: unchanged, or the requested scope.
    #[schema(value_type = ScopeOrSame, required = false)]
    scope: Option<String>,
    /// The new last day of access, `YYYY-MM-DD`. Default: unchanged; 90 days from today for a request or an ended grant.
    #[schema(value_type = Day, required = false)]
    until: Option<String>,
    /// Whether the electrician may read the phone number and the postal address of the owner's account. Only the owner may set
    /// it. Default: unchanged.
    #[schema(value_type = Switch, required = false)]
    contact: Option<String>,
    /// `true` applies the change to all of this person's grants on the caller's systems that have the same state and scope.
    #[serde(default)]
    #[schema(value_type = Switch)]
    household: String,
    /// The caller's current password. Required if the change gives access, extends it or widens its scope.
    password: Option<String>,
}

/// Approve, confirm, renew or change a grant.
#[utoipa::path(patch, path = "/api/auth/grant/{id}/", operation_id = "give_grant", tag = "grants", params(("id" = i64, Path)),
    request_body(content = GiveGrant, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = GivenEntry), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn give(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Path(id): Path<String>,
    Form(form): Form<GiveGrant>,
) -> Result<Json<GivenEntry>> {
    let id = parse_id(&id)?;
    let access = decided_by(&portal, &systems, id).await?;
    let now = portal.now();
    let given = portal.store.given_grants(&systems.allowed, now).await?;
    let known = given.iter().find(|grant| grant.id == id);
    let known = known.ok_or(Error::not_found())?;
    may_decide(access, known.scope)?;
    let mut errors = FieldErrors::default();
    let today = access.zone().day_of(now);
    let scope = form
        .scope
        .as_deref()
        .map(str::trim)
        .filter(|it| !it.is_empty());
    let scope = errors.check(
        "scope",
        scope.map(|text| same_kind(text, known.scope)).transpose(),
    );
    let until = form.until.as_deref().unwrap_or_default();
    let last_day = errors.check("until", last_day(until, None, today));
    errors.into_result()?;
    let contact = form.contact.as_deref().map(ticked);
    let terms = GrantTerms {
        scope: scope.flatten(),
        last_day: last_day.flatten(),
        shares_contact: contact,
    };
    let alike = |grant: &&Grant| match ticked(&form.household) {
        true => {
            let terms = |grant: &Grant| {
                let who = (grant.account, grant.holder.email.clone());
                (who, grant.state, grant.scope)
            };
            terms(grant) == terms(known)
        }
        false => grant.id == known.id,
    };
    let mut chosen = Vec::new();
    for grant in given.iter().filter(alike) {
        let access = systems.find(grant.sn.as_str())?;
        may_decide(access, grant.scope)?;
        // Checked for each system: some may belong to another owner, whose household the caller is a member of.
        if contact == Some(true) {
            require(access, Right::ManageHousehold)?;
        }
        chosen.push((access, grant));
    }
    let more = |(access, grant): &(&Access, &Grant)| gives_more(access, grant, terms);
    if chosen.iter().any(more) {
        let account = load_account(&portal, person).await?;
        reauthenticate(&portal, &account, form.password.as_deref()).await?;
    }
    let chosen: Vec<_> = chosen
        .iter()
        .map(|(access, grant)| (*access, grant.id))
        .collect();
    let given = portal.service.approve_grants(&chosen, terms).await?;
    let given = given.and_then(|all| all.into_iter().find(|grant| grant.id == id));
    given
        .map(|grant| Json(grant.into()))
        .ok_or(Error::not_found())
}

/// Whether a change gives access, extends it, widens its scope, or shares the owner's phone number and address. Such a change
/// outlives the session, so an unlocked phone is not enough: the password is required.
fn gives_more(access: &Access, known: &Grant, terms: GrantTerms) -> bool {
    let begins = matches!(known.state, GrantState::Requested | GrantState::Ended);
    let wider = terms.scope.is_some_and(|scope| scope.exceeds(known.scope));
    let until = terms.last_day.map(|day| end_of(access.zone(), day));
    let longer = until
        .zip(known.until)
        .is_some_and(|(new, known)| new > known);
    let shares = terms.shares_contact == Some(true) && !known.shares_contact;
    begins || wider || longer || shares
}

/// The system of a grant that the caller may decide about.
async fn decided_by<'a>(portal: &Portal, systems: &'a Systems, id: i64) -> Result<&'a Access> {
    let sn = portal.store.grant_serial(id).await?;
    systems.find(sn.ok_or(Error::not_found())?.as_str())
}

/// Only the owner decides about members of the household.
fn may_decide(access: &Access, scope: GrantScope) -> Result<()> {
    let right = match scope.role() {
        Role::Electrician => Right::ManageGrants,
        Role::User => Right::ManageHousehold,
    };
    require(access, right)
}

fn require(access: &Access, right: Right) -> Result<()> {
    match access.may(right) {
        true => Ok(()),
        false => Err(Error::forbidden(access.refusal(right))),
    }
}

/// End a grant.
///
/// The owner refuses a request, withdraws an invitation or ends access; the other side declines an invitation or gives access up.
#[utoipa::path(delete, path = "/api/auth/grant/{id}/", operation_id = "end_grant", tag = "grants", params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn end(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let id = parse_id(&id)?;
    if portal.service.give_up_grant(person.account, id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let access = decided_by(&portal, &systems, id).await?;
    // To callers who may not decide about them, other people's grants do not exist.
    if !access.may(Right::ManageGrants) {
        return Err(Error::not_found());
    }
    let known = portal.store.grant_scope(access, id).await?;
    may_decide(access, known.ok_or(Error::not_found())?)?;
    match portal.service.withdraw_grant(access, id).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}
