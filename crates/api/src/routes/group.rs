//! Groups of systems, named by the account that made them.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Form, parse_id};
use crate::parameter::{GroupNameText, SerialNumbersOrNone};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::{GroupName, Message, Serial};
use serde::{Deserialize, Serialize};
use service::group::GroupChange;
use store::group::Group;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
pub(crate) struct GroupEntry {
    id: i64,
    name: String,
    /// Serial numbers of the systems in the group.
    systems: Vec<String>,
}

impl From<Group> for GroupEntry {
    fn from(group: Group) -> Self {
        Self {
            id: group.id,
            name: group.name,
            systems: group.systems.iter().map(Serial::to_string).collect(),
        }
    }
}

/// List the caller's groups, sorted by name.
#[utoipa::path(get, path = "/api/auth/group/", operation_id = "list_groups", tag = "groups",
    responses((status = 200, body = [GroupEntry])))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
) -> Result<Json<Vec<GroupEntry>>> {
    let groups = portal
        .store
        .groups(person.account, &systems.allowed)
        .await?;
    Ok(Json(groups.into_iter().map(GroupEntry::from).collect()))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct CreateGroup {
    /// The name: at most 60 characters, and unique within the account. An account has at most 200 groups.
    #[serde(default)]
    #[schema(value_type = GroupNameText, required)]
    name: String,
    /// Serial numbers, separated by commas; may be empty. A system that is in another group moves to this one.
    #[serde(default)]
    #[schema(value_type = SerialNumbersOrNone)]
    sn: String,
}

/// Create a group.
#[utoipa::path(post, path = "/api/auth/group/", operation_id = "create_group", tag = "groups",
    request_body(content = CreateGroup, content_type = "application/x-www-form-urlencoded"),
    responses((status = 201, body = GroupEntry), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn create(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Form(form): Form<CreateGroup>,
) -> Result<(StatusCode, Json<GroupEntry>)> {
    let name = parse_name(&form.name)?;
    let chosen = systems.parse_list(&form.sn)?;
    let id = portal
        .service
        .create_group(person.account, &name, &chosen)
        .await?
        .ok_or(Error::field("name", Message::TooManyGroups))?;
    let group = show(&portal, person, &systems, id).await?;
    Ok((StatusCode::CREATED, group))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangeGroup {
    /// The new name.
    #[schema(value_type = GroupNameText, required = false)]
    name: Option<String>,
    /// The serial numbers of all systems in the group, separated by commas; may be empty. Replaces the present list.
    #[schema(value_type = SerialNumbersOrNone, required = false)]
    sn: Option<String>,
}

/// Change the name or the systems of a group. Parameters that are left out keep their value.
#[utoipa::path(patch, path = "/api/auth/group/{id}/", operation_id = "change_group", tag = "groups",
    params(("id" = i64, Path)),
    request_body(content = ChangeGroup, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = GroupEntry), (status = 400, body = Problem)))]
pub(crate) async fn change(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Path(id): Path<String>,
    Form(form): Form<ChangeGroup>,
) -> Result<Json<GroupEntry>> {
    let id = parse_id(&id)?;
    let change = GroupChange {
        name: form.name.as_deref().map(parse_name).transpose()?,
        systems: form
            .sn
            .as_deref()
            .map(|sn| systems.parse_list(sn))
            .transpose()?,
    };
    let changed = portal.service.change_group(person.account, id, &change);
    match changed.await? {
        true => show(&portal, person, &systems, id).await,
        false => Err(Error::not_found()),
    }
}

/// Delete a group. Its systems are kept.
#[utoipa::path(delete, path = "/api/auth/group/{id}/", operation_id = "delete_group", tag = "groups",
    params(("id" = i64, Path)),
    responses((status = 204)))]
pub(crate) async fn delete(
    State(portal): State<Portal>,
    person: PersonCaller,
    Path(id): Path<String>,
) -> Result<StatusCode> {
    let deleted = portal.service.delete_group(person.account, parse_id(&id)?);
    match deleted.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Error::not_found()),
    }
}

async fn show(
    portal: &Portal,
    person: PersonCaller,
    systems: &Systems,
    id: i64,
) -> Result<Json<GroupEntry>> {
    let groups = portal
        .store
        .groups(person.account, &systems.allowed)
        .await?;
    let group = groups.into_iter().find(|group| group.id == id);
    Ok(Json(group.ok_or(Error::not_found())?.into()))
}

fn parse_name(text: &str) -> Result<GroupName> {
    text.parse()
        .map_err(|message| Error::field("name", message))
}
