//! Updates for people: the offered update, its progress, starting it, and the history of installed releases.
use crate::Portal;
use crate::caller_systems::{Selection, Systems};
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Query, invalid, too_large};
use crate::parameter::{SerialNumber, SerialNumbers, StartOrWithdraw};
use crate::update::{UpdatePart, UpdateRecord, UpdateStatus};
use axum::Json;
use axum::extract::multipart::{MultipartError, MultipartRejection};
use axum::extract::{Multipart, State};
use axum::http::{HeaderMap, StatusCode};
use domain::Message;
use domain::aggregate::ALL_SYSTEMS;
use serde::{Deserialize, Serialize};
use service::update::UpdateStart;
use store::Access;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct UpdateQuery {
    /// The serial number of the system.
    #[serde(default)]
    #[param(value_type = SerialNumber, required = true)]
    sn: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct StartedUpdate {
    updates: Vec<UpdatePart>,
}

/// `update=1` starts an update, `update=0` withdraws one that is still waiting.
#[derive(ToSchema)]
#[allow(dead_code, reason = "names the form in the OpenAPI document")]
pub(crate) struct StartUpdate {
    /// One serial number, or several of one household, separated by commas. Either all updates start, or none.
    #[schema(value_type = SerialNumbers)]
    sn: String,
    #[schema(value_type = StartOrWithdraw)]
    update: String,
}

/// Get the update that is offered for a system, or the progress of its present one.
#[utoipa::path(get, path = "/api/v1/has_update", operation_id = "has_update", tag = "updates", params(UpdateQuery),
    responses((status = 200, body = UpdateStatus), (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn has_update(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<UpdateQuery>,
) -> Result<Json<UpdateStatus>> {
    let access = single_system(&systems, &query.sn)?;
    let status = UpdateStatus::read(&portal, access, language(&headers)).await?;
    Ok(Json(status))
}

/// Start or withdraw an update.
///
/// Starts the update of a system, or of several of one household, or withdraws one that is still waiting. If the update has been
/// started already, its state is returned.
#[utoipa::path(post, path = "/api/v1/update/", operation_id = "start_update", tag = "updates",
    request_body(content = StartUpdate, content_type = "multipart/form-data"),
    responses((status = 200, body = StartedUpdate), (status = 400, body = Problem), (status = 404, body = Refusal), (status = 409, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn start(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    form: std::result::Result<Multipart, MultipartRejection>,
) -> Result<Json<StartedUpdate>> {
    let (sn, update) = read_form(form.map_err(|_| invalid())?).await?;
    let chosen = household(&systems, &sn)?;
    match update.as_str() {
        "1" => begin(&portal, &chosen).await?,
        "0" => withdraw(&portal, &chosen).await?,
        "" => return Err(Error::field("update", Message::Required)),
        _ => return Err(Error::field("update", Message::ChoiceUnknown)),
    }
    let mut updates = Vec::new();
    for access in chosen {
        let now = UpdateStatus::read(&portal, access, language(&headers)).await?;
        updates.extend(now.updates);
    }
    Ok(Json(StartedUpdate { updates }))
}

/// The named systems, which must belong to one owner.
fn household<'a>(systems: &'a Systems, sn: &str) -> Result<Vec<&'a Access>> {
    let chosen = match sn.trim() {
        ALL_SYSTEMS => Vec::new(),
        sn => systems.parse_list(sn)?,
    };
    let Some(first) = chosen.first() else {
        return Err(Error::field("sn", Message::Required));
    };
    match chosen.iter().all(|access| access.owner() == first.owner()) {
        true => Ok(chosen),
        false => Err(Error::field("sn", Message::OtherHousehold)),
    }
}

/// List the installed updates of a system, newest first.
#[utoipa::path(get, path = "/api/v1/history/", operation_id = "update_history", tag = "updates", params(UpdateQuery),
    responses((status = 200, body = [UpdateRecord]), (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn history(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<UpdateQuery>,
) -> Result<Json<Vec<UpdateRecord>>> {
    let access = single_system(&systems, &query.sn)?;
    let lang = language(&headers);
    let jobs = portal.store.update_history(access).await?;
    let records = jobs.iter().flat_map(|job| {
        job.parts
            .iter()
            .rev()
            .map(move |part| UpdateRecord::new(job, part, lang))
    });
    Ok(Json(records.collect()))
}

fn single_system<'a>(systems: &'a Systems, sn: &str) -> Result<&'a Access> {
    match systems.one_or_all(sn)? {
        Selection::One(access) => Ok(access),
        Selection::All(_) => Err(Error::field("sn", Message::Required)),
    }
}

fn unreadable(error: &MultipartError) -> Error {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => invalid(),
    }
}

/// As strict as other forms: duplicate fields are refused, unknown ones ignored.
pub(crate) async fn read_form(mut form: Multipart) -> Result<(String, String)> {
    let (mut sn, mut update) = (None, None);
    while let Some(field) = form
        .next_field()
        .await
        .map_err(|error| unreadable(&error))?
    {
        let known = match field.name() {
            Some("sn") => &mut sn,
            Some("update") => &mut update,
            _ => continue,
        };
        let text = field.text().await.map_err(|error| unreadable(&error))?;
        if text.contains('\0') || known.replace(text).is_some() {
            return Err(invalid());
        }
    }
    Ok((sn.unwrap_or_default(), update.unwrap_or_default()))
}

async fn begin(portal: &Portal, systems: &[&Access]) -> Result<()> {
    match portal.service.start_updates(systems).await? {
        UpdateStart::Open => Ok(()),
        UpdateStart::NothingOffered => Err(Error::Refused(StatusCode::CONFLICT, Message::NoUpdate)),
        UpdateStart::Blocked(blocked) => Err(blocked.into()),
    }
}

async fn withdraw(portal: &Portal, systems: &[&Access]) -> Result<()> {
    let mut running = false;
    for access in systems {
        running |= !portal.service.cancel_update(access).await?;
    }
    match running {
        false => Ok(()),
        true => Err(Error::Refused(StatusCode::CONFLICT, Message::UpdateRunning)),
    }
}
