//! The electrician's side of grants: accepting an invitation, asking by serial number, and the installer code.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::client::ClientAddress;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, parse_id};
use crate::grant::{GrantStateName, HeldEntry, same_kind};
use crate::parameter::{ElectricianScope, SerialNumber};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::code::Code;
use domain::grant::GrantScope;
use domain::{Message, Serial};
use serde::{Deserialize, Serialize};
use service::grant::InstallerCodeResult;
use utoipa::ToSchema;

/// Accept an invitation to one's own address.
#[utoipa::path(post, path = "/api/auth/grant/{id}/accept/", operation_id = "accept_grant", tag = "grants",
    params(("id" = i64, Path)),
    responses((status = 200, body = HeldEntry)))]
pub(crate) async fn accept(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<Json<HeldEntry>> {
    let id = parse_id(&id)?;
    let accepted = portal.service.accept_grant(person.account, id).await?;
    accepted
        .map(|grant| Json(grant.into()))
        .ok_or(Error::not_found())
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AskFor {
    /// A serial number.
    #[serde(default)]
    #[schema(value_type = SerialNumber, required)]
    sn: String,
    /// monitor, configure or service (default).
    #[serde(default)]
    #[schema(value_type = ElectricianScope)]
    scope: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Asked)]
pub(crate) struct GrantRequested {
    sn: String,
    #[schema(inline)]
    state: GrantStateName,
    /// The same whether there is such a system or not.
    text: &'static str,
}

/// Ask for access to a system; always "asked, if it exists".
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
    let sn = match form.sn.trim() {
        "" => Err(Message::Required),
        sn => sn.parse::<Serial>(),
    };
    let sn = errors.check("sn", sn);
    let scope = match form.scope.trim() {
        "" => Some(GrantScope::Service),
        text => errors.check("scope", same_kind(text, GrantScope::Service)),
    };
    errors.into_result()?;
    let (Some(sn), Some(scope)) = (sn, scope) else {
        return Err(Error::internal());
    };
    portal.limits.grant_request(person.account).await?;
    let requested = portal.service.request_grant(person.account, &sn, scope);
    requested.await?;
    let asked = GrantRequested {
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
    #[schema(required)]
    code: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct OpenedGrants {
    grants: Vec<HeldEntry>,
}

/// Enter an installer code: 30 days of service while nobody owns the systems.
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
            let grants = grants.into_iter().map(HeldEntry::from).collect();
            Ok(Json(OpenedGrants { grants }))
        }
        InstallerCodeResult::Unknown => refused(Message::InstallerCodeUnknown),
        InstallerCodeResult::Owned => refused(Message::InstallerCodeOwned),
    }
}
