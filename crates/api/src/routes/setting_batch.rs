//! Settings of many systems at once: dry run, change and undo, each system independently. A dry run does the same as the change,
//! except for the commit.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::{NamedSystem, Systems};
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::parameter::Switch;
use crate::path::Path;
use crate::settings::{
    BatchEntry, BatchForm, BatchOutcome, BatchReader, SettingsQuery, SystemOutcome, versions,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::Message;
use domain::setting::BatchId;
use serde::Deserialize;
use service::settings::BatchResult;
use store::Access;
use store::setting::Batch;
use utoipa::ToSchema;

/// List the setting batches that the caller saved in the last 30 days, newest first.
#[utoipa::path(get, path = "/api/auth/settings/batch/", operation_id = "list_batches", tag = "settings",
    responses((status = 200, body = [BatchEntry])))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
) -> Result<Json<Vec<BatchEntry>>> {
    let batches = batches(&portal, person, &systems).await?;
    Ok(Json(batches.into_iter().map(BatchEntry::from).collect()))
}

/// Change settings of one or more systems, or try the change with a dry run.
///
/// Systems are changed independently of each other. The answer has the result of each, even if all refused.
#[utoipa::path(post, path = "/api/auth/settings/batch/", operation_id = "save_batch", tag = "settings", params(SettingsQuery),
    request_body(content = BatchForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = BatchOutcome), (status = 400, body = Problem), (status = 404, body = Refusal)))]
pub(crate) async fn save(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<BatchForm>,
) -> Result<Json<BatchOutcome>> {
    let input = form.input();
    if input.fields.is_empty() {
        let nothing = Message::NothingToChange;
        return Err(Error::Refused(StatusCode::BAD_REQUEST, nothing));
    }
    let chosen = systems.resolve_each(&query.sn)?;
    let versions = match form.is_dry_run() && form.version().is_empty() {
        true => vec![None; chosen.len()],
        false => {
            let read = versions(form.version(), chosen.len())?;
            read.into_iter().map(Some).collect()
        }
    };
    let id = BatchId::random(&portal.random);
    let mut run = portal.service.batch(id, form.is_dry_run());
    let reader = reader(person, &headers);
    let named = chosen.iter().filter_map(|(_, found)| match found {
        NamedSystem::Allowed(access) => Some(*access),
        NamedSystem::Refused(_) => None,
    });
    portal.hold(named).await?;
    let mut outcomes = Vec::with_capacity(chosen.len());
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        outcomes.push(match found {
            NamedSystem::Refused(why) => SystemOutcome::refused(name, why, reader.lang),
            NamedSystem::Allowed(access) => {
                let done = run.save(access, version, &input).await?;
                outcome(&portal, access, done, reader)
            }
        });
    }
    Ok(Json(BatchOutcome::new(&run, outcomes)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UndoForm {
    /// `true` returns what undoing would change, without changing anything.
    #[serde(default)]
    #[schema(value_type = Switch)]
    dry_run: String,
}

/// Undo a setting batch.
///
/// Restores the previous values at each system. Fields that were changed since are left as they are and listed in the answer.
#[utoipa::path(post, path = "/api/auth/settings/batch/{id}/undo/", operation_id = "undo_batch", tag = "settings",
    params(("id" = String, Path)),
    request_body(content = UndoForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = BatchOutcome), (status = 400, body = Problem)))]
pub(crate) async fn undo_batch(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<UndoForm>,
) -> Result<Json<BatchOutcome>> {
    let batches = batches(&portal, person, &systems).await?;
    let batch = batches.into_iter().find(|batch| batch.id.as_str() == id);
    let batch = batch.ok_or(Error::not_found())?;
    let mut run = portal.service.batch(batch.id, ticked(&form.dry_run));
    let reader = reader(person, &headers);
    let mut outcomes = Vec::new();
    portal
        .hold(batch.systems.iter().map(|system| &system.access))
        .await?;
    let systems = batch.systems.iter();
    for system in systems.filter(|system| system.undone_at.is_none()) {
        let done = run.undo(system).await?;
        outcomes.push(outcome(&portal, &system.access, done, reader));
    }
    Ok(Json(BatchOutcome::new(&run, outcomes)))
}

fn outcome(
    portal: &Portal,
    access: &Access,
    done: BatchResult,
    reader: BatchReader,
) -> SystemOutcome {
    let sn = access.sn();
    let online = portal.live.get(sn).is_some_and(|now| now.online);
    SystemOutcome::of(sn.as_str(), online, done, reader)
}

async fn batches(portal: &Portal, person: PersonCaller, systems: &Systems) -> Result<Vec<Batch>> {
    let (account, now) = (person.account, portal.now());
    let batches = portal.store.batches(account, &systems.allowed, now);
    Ok(batches.await?)
}

fn reader(person: PersonCaller, headers: &HeaderMap) -> BatchReader {
    BatchReader {
        account: person.account,
        lang: language(headers),
    }
}
