//! The electrician's side of grants: accepting an invitation, asking by serial number, and the installer code.
use crate::Portal;
use crate::access::Person;
use crate::client::Client;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::routes::grant::{GrantStateName, HeldEntry, parse_id, same_kind};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use domain::code::Code;
use domain::grant::Scope;
use domain::{Message, Serial};
use serde::{Deserialize, Serialize};
use store::grant::Opened;
use utoipa::ToSchema;

/// Accept an invitation to one's own address.
#[utoipa::path(post, path = "/api/auth/grant/{id}/accept/", operation_id = "accept_grant", tag = "grants",
    params(("id" = i64, Path)),
    responses((status = 200, body = HeldEntry), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn accept(
    State(portal): State<Portal>,
    person: Person,
    Path(id): Path<String>,
) -> Result<Json<HeldEntry>> {
    let id = parse_id(&id)?;
    let accepted = portal
        .store
        .accept_grant(person.account, id, portal.desk(), portal.now())
        .await?;
    accepted
        .map(|grant| Json(grant.into()))
        .ok_or(Error::not_found())
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AskFor {
    /// A serial number.
    #[serde(default)]
    sn: String,
    /// monitor, configure or service (default).
    #[serde(default)]
    scope: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct Asked {
    sn: String,
    #[schema(inline)]
    state: GrantStateName,
    /// The same whether there is such a system or not.
    text: &'static str,
}

/// Ask for access to a system; always "asked, if it exists".
#[utoipa::path(post, path = "/api/auth/grant/request/", operation_id = "ask_for_grant", tag = "grants",
    request_body(content = AskFor, content_type = "application/x-www-form-urlencoded"),
    responses((status = 202, body = Asked), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn ask(
    State(portal): State<Portal>,
    person: Person,
    client: Client,
    headers: HeaderMap,
    Form(form): Form<AskFor>,
) -> Result<(StatusCode, Json<Asked>)> {
    let mut errors = FieldErrors::default();
    let sn = match form.sn.trim() {
        "" => Err(Message::Required),
        sn => sn.parse::<Serial>(),
    };
    let sn = errors.take("sn", sn);
    let scope = match form.scope.trim() {
        "" => Some(Scope::Service),
        text => errors.take("scope", same_kind(text, Scope::Service)),
    };
    errors.into_result()?;
    let (Some(sn), Some(scope)) = (sn, scope) else {
        return Err(Error::internal());
    };
    portal.limits.keys(client.0, Some(person.account), 1)?;
    portal
        .store
        .ask_for(person.account, &sn, scope, portal.now())
        .await?;
    let asked = Asked {
        sn: sn.to_string(),
        state: GrantStateName::Asked,
        text: Message::GrantAsked.text(language(&headers)),
    };
    Ok((StatusCode::ACCEPTED, Json(asked)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct EnterCode {
    /// `XXXXX-XXXXX-XXXXX-XXXXX`
    #[serde(default)]
    code: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct OpenedGrants {
    grants: Vec<HeldEntry>,
}

/// Enter an installer code: 30 days of service while nobody owns the systems.
#[utoipa::path(post, path = "/api/auth/grant/code/", operation_id = "enter_installer_code", tag = "grants",
    request_body(content = EnterCode, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = OpenedGrants), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn open(
    State(portal): State<Portal>,
    person: Person,
    client: Client,
    Form(form): Form<EnterCode>,
) -> Result<Json<OpenedGrants>> {
    let refused = |message| Err(Error::field("code", message));
    if form.code.trim().is_empty() {
        return refused(Message::Required);
    }
    portal.limits.keys(client.0, Some(person.account), 1)?;
    let Ok(code) = form.code.parse::<Code>() else {
        return refused(Message::InstallerCodeUnknown);
    };
    let opened = portal
        .store
        .open_by_code(person.account, &code, portal.now());
    match opened.await? {
        Opened::Grants(grants) => Ok(Json(OpenedGrants {
            grants: grants.into_iter().map(HeldEntry::from).collect(),
        })),
        Opened::Unknown => refused(Message::InstallerCodeUnknown),
        Opened::Owned => refused(Message::InstallerCodeOwned),
    }
}
