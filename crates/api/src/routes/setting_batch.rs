//! Settings of many systems at once: tried, changed and undone, each system independently. A dry run does the same as the change,
//! up to the commit.
use crate::Portal;
use crate::access::PersonCaller;
use crate::caller_systems::{NamedSystem, Systems};
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::settings::{
    BatchEntry, BatchForm, BatchOutcome, BatchReader, PreparedChange, SaveFailure, SettingsQuery,
    SettingsSaver, SystemOutcome, versions,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use domain::Message;
use domain::setting::{BatchId, Field, SkippedField, undo};
use serde::Deserialize;
use store::setting::{Batch, BatchSystem, SaveKind, SystemSettings};
use utoipa::ToSchema;

/// What the caller changed at several systems at once in the last 30 days, newest first.
#[utoipa::path(get, path = "/api/auth/settings/batch/", operation_id = "list_batches", tag = "settings",
    responses((status = 200, body = [BatchEntry]), (status = 401, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
) -> Result<Json<Vec<BatchEntry>>> {
    let batches = batches(&portal, person, &systems).await?;
    Ok(Json(batches.into_iter().map(BatchEntry::from).collect()))
}

/// Change settings of one or more systems, or try what that would do; each system for itself. How it went is the answer, also when none took it.
#[utoipa::path(post, path = "/api/auth/settings/batch/", operation_id = "save_batch", tag = "settings", params(SettingsQuery),
    request_body(content = BatchForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = BatchOutcome), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 403, body = Refusal), (status = 404, body = Refusal)))]
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
    let mut run = BatchRun {
        saver: SettingsSaver {
            portal: &portal,
            person,
            kind: SaveKind::Batch(&id),
            given: Some(&input),
        },
        reader: reader(person, &headers),
        dry_run: form.is_dry_run(),
        done: Vec::new(),
        outcomes: Vec::new(),
    };
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        match found {
            NamedSystem::Refused(why) => run.refuse(name, why),
            NamedSystem::Allowed(access) => {
                let validate = |settings: &SystemSettings| input.validate(settings.current_state());
                let prepared = run.saver.prepare(access, version, validate).await?;
                run.save_system(access, prepared, &[]).await?;
            }
        }
    }
    Ok(Json(run.outcome(&id)))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct UndoForm {
    /// `true` tells what undoing would do, and changes nothing.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    dry_run: String,
}

/// Undo a batch: at each system what it changed goes back to what was there before. What was changed since is left, and told.
#[utoipa::path(post, path = "/api/auth/settings/batch/{id}/undo/", operation_id = "undo_batch", tag = "settings",
    params(("id" = String, Path)),
    request_body(content = UndoForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = BatchOutcome), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 404, body = Refusal)))]
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
    let mut run = BatchRun {
        saver: SettingsSaver {
            portal: &portal,
            person,
            kind: SaveKind::Undo(&batch.id),
            given: None,
        },
        reader: reader(person, &headers),
        dry_run: ticked(&form.dry_run),
        done: Vec::new(),
        outcomes: Vec::new(),
    };
    let open = batch
        .systems
        .iter()
        .filter(|system| system.undone_at.is_none());
    for system in open {
        let (prepared, left) = prepare_undo(run.saver, system).await?;
        run.save_system(&system.access, prepared, &left).await?;
    }
    Ok(Json(run.outcome(&batch.id)))
}

type Preparation<'a> = (i64, Result<PreparedChange<'a>, SaveFailure>);

async fn prepare_undo<'a>(
    saver: SettingsSaver<'_>,
    system: &'a BatchSystem,
) -> Result<(Preparation<'a>, Vec<SkippedField>)> {
    let store = &saver.portal.store;
    let since = store.settings_changed_since(&system.access, system.version);
    let since = since.await?;
    let mut left = Vec::new();
    let validate = |settings: &SystemSettings| {
        let changed = |field: Field| since.iter().any(|it| it.field == field.name());
        let undo = undo(
            &system.changes,
            system.acknowledged,
            &settings.desired,
            changed,
        );
        left = undo.skipped;
        undo.input.validate(settings.current_state())
    };
    let prepared = saver.prepare(&system.access, None, validate).await?;
    Ok((prepared, left))
}

/// A batch being applied to its systems.
struct BatchRun<'a> {
    saver: SettingsSaver<'a>,
    reader: BatchReader,
    dry_run: bool,
    /// Changes that were saved, or would have been in a dry run.
    done: Vec<PreparedChange<'a>>,
    outcomes: Vec<SystemOutcome>,
}

impl<'a> BatchRun<'a> {
    fn refuse(&mut self, name: &str, why: Message) {
        let failure = SaveFailure::system(why);
        let outcome = SystemOutcome::refused(name, 0, false, failure, self.reader);
        self.outcomes.push(outcome);
    }

    async fn save_system(
        &mut self,
        access: &store::Access,
        (present, prepared): Preparation<'a>,
        left: &[SkippedField],
    ) -> Result<()> {
        let sn = access.sn();
        let online = self.saver.portal.live.get(sn).is_some_and(|now| now.online);
        let refused =
            |failure| SystemOutcome::refused(sn.as_str(), present, online, failure, self.reader);
        let outcome = match prepared {
            Err(failure) => refused(failure),
            Ok(one) => {
                let saved = match self.dry_run {
                    true => self.saver.dry_run(&one, &self.done).await?,
                    false => self.saver.save(&one).await?,
                };
                match saved {
                    Err(failure) => refused(failure),
                    Ok(version) => {
                        let version = if self.dry_run { present } else { version };
                        let (changes, warnings) = (&one.change.fields, &one.change.warnings);
                        let accepted = SystemOutcome::accepted(
                            sn.as_str(),
                            version,
                            online,
                            changes,
                            warnings,
                            self.reader,
                        );
                        self.done.push(one);
                        accepted
                    }
                }
            }
        };
        self.outcomes.push(outcome.with_left(left));
        Ok(())
    }

    fn outcome(self, id: &BatchId) -> BatchOutcome {
        let changed = self.outcomes.iter().any(SystemOutcome::is_changed);
        BatchOutcome {
            id: (changed && !self.dry_run).then(|| id.to_string()),
            dry_run: self.dry_run,
            systems: self.outcomes,
        }
    }
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
