//! Settings of many systems at once: tried, changed and undone, each system for itself. A dry run goes the way of the change
//! itself up to where it would be kept.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::own::{Found, Systems};
use crate::routes::settings::SettingsQuery;
use crate::settings::{
    BatchEntry, BatchForm, BatchOutcome, Failure, Planned, Reader, Saving, SystemOutcome, versions,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use domain::Message;
use domain::setting::{BatchId, Field, Left, undo};
use serde::Deserialize;
use store::setting::{Batch, BatchSystem, SaveKind, SystemSettings};
use utoipa::ToSchema;

/// What the caller changed at several systems at once in the last 30 days, newest first.
#[utoipa::path(get, path = "/api/auth/settings/batch/", operation_id = "list_batches", tag = "settings",
    responses((status = 200, body = [BatchEntry]), (status = 401, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: Person,
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
    person: Person,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<BatchForm>,
) -> Result<Json<BatchOutcome>> {
    let given = form.given();
    if given.fields.is_empty() {
        let nothing = Message::NothingToChange;
        return Err(Error::Refused(StatusCode::BAD_REQUEST, nothing));
    }
    let chosen = systems.named(&query.sn)?;
    let versions = match form.is_dry_run() && form.version().is_empty() {
        true => vec![None; chosen.len()],
        false => {
            let read = versions(form.version(), chosen.len())?;
            read.into_iter().map(Some).collect()
        }
    };
    let id = BatchId::random(&portal.random);
    let mut run = Run {
        saving: Saving {
            portal: &portal,
            person,
            kind: SaveKind::Batch(&id),
            given: Some(&given),
        },
        reader: reader(person, &headers),
        dry_run: form.is_dry_run(),
        done: Vec::new(),
        outcomes: Vec::new(),
    };
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        match found {
            Found::Refused(why) => run.refuse(name, why),
            Found::Allowed(access) => {
                let judge = |settings: &SystemSettings| given.judge(settings.standing());
                let planned = run.saving.plan(access, version, judge).await?;
                run.settle(access, planned, &[]).await?;
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
pub(crate) async fn take_back(
    State(portal): State<Portal>,
    person: Person,
    systems: Systems,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(form): Form<UndoForm>,
) -> Result<Json<BatchOutcome>> {
    let batches = batches(&portal, person, &systems).await?;
    let batch = batches.into_iter().find(|batch| batch.id.as_str() == id);
    let batch = batch.ok_or(Error::not_found())?;
    let mut run = Run {
        saving: Saving {
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
        let (planned, left) = plan_undo(run.saving, system).await?;
        run.settle(&system.access, planned, &left).await?;
    }
    Ok(Json(run.outcome(&batch.id)))
}

type Plan<'a> = (i64, Result<Planned<'a>, Failure>);

async fn plan_undo<'a>(
    saving: Saving<'_>,
    system: &'a BatchSystem,
) -> Result<(Plan<'a>, Vec<Left>)> {
    let store = &saving.portal.store;
    let since = store.settings_changed_since(&system.access, system.version);
    let since = since.await?;
    let mut left = Vec::new();
    let judge = |settings: &SystemSettings| {
        let changed = |field: Field| since.iter().any(|it| it.field == field.name());
        let undo = undo(
            &system.changes,
            system.acknowledged,
            &settings.desired,
            changed,
        );
        left = undo.left;
        undo.given.judge(settings.standing())
    };
    let planned = saving.plan(&system.access, None, judge).await?;
    Ok((planned, left))
}

/// One batch on its way through its systems.
struct Run<'a> {
    saving: Saving<'a>,
    reader: Reader,
    dry_run: bool,
    /// What was saved, or would have been.
    done: Vec<Planned<'a>>,
    outcomes: Vec<SystemOutcome>,
}

impl<'a> Run<'a> {
    fn refuse(&mut self, name: &str, why: Message) {
        let failure = Failure::system(why);
        let outcome = SystemOutcome::refused(name, 0, false, failure, self.reader);
        self.outcomes.push(outcome);
    }

    async fn settle(
        &mut self,
        access: &store::Access,
        (present, planned): Plan<'a>,
        left: &[Left],
    ) -> Result<()> {
        let sn = access.sn();
        let online = self
            .saving
            .portal
            .live
            .get(sn)
            .is_some_and(|now| now.online);
        let refused =
            |failure| SystemOutcome::refused(sn.as_str(), present, online, failure, self.reader);
        let outcome = match planned {
            Err(failure) => refused(failure),
            Ok(one) => {
                let saved = match self.dry_run {
                    true => self.saving.attempt(&one, &self.done).await?,
                    false => self.saving.save(&one).await?,
                };
                match saved {
                    Err(failure) => refused(failure),
                    Ok(version) => {
                        let version = if self.dry_run { present } else { version };
                        let (changes, warnings) = (&one.change.fields, &one.change.warnings);
                        let taken = SystemOutcome::taken(
                            sn.as_str(),
                            version,
                            online,
                            changes,
                            warnings,
                            self.reader,
                        );
                        self.done.push(one);
                        taken
                    }
                }
            }
        };
        self.outcomes.push(outcome.leaving(left));
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

async fn batches(portal: &Portal, person: Person, systems: &Systems) -> Result<Vec<Batch>> {
    let (account, now) = (person.account, portal.now());
    let batches = portal.store.batches(account, &systems.allowed, now);
    Ok(batches.await?)
}

fn reader(person: Person, headers: &HeaderMap) -> Reader {
    Reader {
        account: person.account,
        lang: language(headers),
    }
}
