//! Settings of the caller's systems: read, saved against the version that was read, and reset.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::{NamedSystem, Systems};
use crate::error::{Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::own_account::{load_account, reauthenticate};
use crate::settings::{
    ResetForm, SaveOutcome, SaveProblem, SettingsEntry, SettingsForm, SettingsQuery, versions,
};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::Lang;
use domain::aggregate::ALL_SYSTEMS;
use serde::Serialize;
use service::settings::{PreparedChange, SaveFailure, SettingsRequest};
use utoipa::ToSchema;

/// One system, or several in the order of the request.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(Box<SettingsEntry>),
    Many(Vec<SettingsEntry>),
}

/// Get the settings of one system, of several (separated by commas), or of all of the caller's systems (-1, or no `sn`).
#[utoipa::path(get, path = "/api/auth/settings/", operation_id = "show_settings", tag = "settings", params(SettingsQuery),
    responses((status = 200, body = OneOrMany), (status = 404, body = Refusal)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
) -> Result<Json<OneOrMany>> {
    let lang = language(&headers);
    let chosen = systems.list_or_all(&query.sn)?;
    let one = !matches!(query.sn.trim(), "" | ALL_SYSTEMS) && !query.sn.contains(',');
    let settings = portal.store.settings_of(&chosen, portal.now()).await?;
    portal.hold(chosen.iter().copied()).await?;
    let entries = chosen.iter().zip(settings);
    let entries =
        entries.map(|(access, settings)| SettingsEntry::of(&portal, settings, access, lang));
    let mut entries: Vec<_> = entries.collect();
    Ok(Json(match (one, entries.pop()) {
        (true, Some(entry)) => OneOrMany::One(Box::new(entry)),
        (_, last) => OneOrMany::Many(entries.into_iter().chain(last).collect()),
    }))
}

/// Change settings of one or more systems, each independently. Fields that are left out keep their value.
#[utoipa::path(post, path = "/api/auth/settings/", operation_id = "save_settings", tag = "settings", params(SettingsQuery),
    request_body(content = SettingsForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal)))]
pub(crate) async fn save(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<SettingsForm>,
) -> Result<SaveOutcome> {
    let input = form.input();
    let request = SaveRequest {
        sn: &query.sn,
        version: form.version(),
        password: form.password(),
        lang: language(&headers),
        change: SettingsRequest::Form(&input),
    };
    save_each(&portal, person, &systems, request).await
}

/// Reset the settings of one or more systems to their defaults. Wiring fields are reset only with `wiring`.
#[utoipa::path(post, path = "/api/auth/settings/reset/", operation_id = "reset_settings", tag = "settings", params(SettingsQuery),
    request_body(content = ResetForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal)))]
pub(crate) async fn reset(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<ResetForm>,
) -> Result<SaveOutcome> {
    let request = SaveRequest {
        sn: &query.sn,
        version: &form.version,
        password: form.password.as_deref(),
        lang: language(&headers),
        change: SettingsRequest::Reset {
            wiring: ticked(&form.wiring),
        },
    };
    save_each(&portal, person, &systems, request).await
}

struct SaveRequest<'a> {
    sn: &'a str,
    version: &'a str,
    password: Option<&'a str>,
    lang: Lang,
    change: SettingsRequest<'a>,
}

/// Saves the settings of each named system, or of none if the caller must confirm the password first.
async fn save_each(
    portal: &Portal,
    person: PersonCaller,
    systems: &Systems,
    request: SaveRequest<'_>,
) -> Result<SaveOutcome> {
    let chosen = systems.resolve_each(request.sn)?;
    let versions = versions(request.version, chosen.len())?;
    let mut outcome = SaveOutcome::default();
    let (service, reader, lang) = (&portal.service, person.account, request.lang);
    let mut prepared = Vec::new();
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        let access = match found {
            NamedSystem::Allowed(access) => access,
            NamedSystem::Refused(why) => {
                outcome.refuse(name, why, lang);
                continue;
            }
        };
        let change = service.prepare_settings(access, Some(version), request.change);
        match change.await? {
            Ok(one) => prepared.push(one),
            Err(failure) => outcome.fail(name, failure, reader, lang),
        }
    }
    if prepared.iter().any(PreparedChange::needs_password) {
        let account = load_account(portal, person).await?;
        reauthenticate(portal, &account, request.password).await?;
    }
    for one in &prepared {
        let sn = one.access.sn().as_str();
        match service.save_settings(one).await? {
            Ok(version) => outcome.succeed(sn, version, &one.change.warnings, lang),
            // If some systems were saved already, the answer lists them instead.
            Err(SaveFailure::Blocked(blocked)) if outcome.saved_none() => {
                return Err(blocked.into());
            }
            Err(failure) => outcome.fail(sn, failure, reader, lang),
        }
    }
    Ok(outcome)
}
