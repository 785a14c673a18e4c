//! Settings of the caller's systems: read, saved against the version that was read, and reset.
use crate::Portal;
use crate::access::PersonCaller;
use crate::caller_systems::{NamedSystem, Systems};
use crate::error::{Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::settings::{
    InvalidFields, ResetForm, SaveFailure, SaveOutcome, SaveProblem, SettingsEntry, SettingsForm,
    SettingsQuery, SettingsSaver, versions,
};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::Lang;
use domain::aggregate::ALL_SYSTEMS;
use domain::grant::Right;
use domain::setting::{Field, SettingsChange, reset as reset_all};
use serde::Serialize;
use store::Access;
use store::setting::{SaveKind, SystemSettings};
use utoipa::ToSchema;

/// Of one system, or of several in the order asked for.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    One(Box<SettingsEntry>),
    Many(Vec<SettingsEntry>),
}

/// How systems are set: one, several by comma, or all (-1, or no `sn`) of the caller.
#[utoipa::path(get, path = "/api/auth/settings/", operation_id = "show_settings", tag = "settings", params(SettingsQuery),
    responses((status = 200, body = OneOrMany), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
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
    let entries = chosen.iter().zip(settings);
    let entries =
        entries.map(|(access, settings)| SettingsEntry::of(&portal, settings, access, lang));
    let mut entries: Vec<_> = entries.collect();
    Ok(Json(match (one, entries.pop()) {
        (true, Some(entry)) => OneOrMany::One(Box::new(entry)),
        (_, last) => OneOrMany::Many(entries.into_iter().chain(last).collect()),
    }))
}

/// Change settings of one or more systems; only the fields that are given, each system for itself.
#[utoipa::path(post, path = "/api/auth/settings/", operation_id = "save_settings", tag = "settings", params(SettingsQuery),
    request_body(content = SettingsForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem), (status = 401, body = Refusal),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub(crate) async fn save(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<SettingsForm>,
) -> Result<SaveOutcome> {
    let input = form.input();
    let saver = SettingsSaver {
        portal: &portal,
        person,
        kind: SaveKind::Form,
        given: Some(&input),
    };
    let request = SaveRequest {
        sn: &query.sn,
        version: form.version(),
        password: form.password(),
        lang: language(&headers),
    };
    let validate = |_: &Access, settings: &SystemSettings| input.validate(settings.current_state());
    save_each(saver, &systems, request, validate).await
}

/// Set one or more systems back to what they began with; the wiring only if that is asked for.
#[utoipa::path(post, path = "/api/auth/settings/reset/", operation_id = "reset_settings", tag = "settings", params(SettingsQuery),
    request_body(content = ResetForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem), (status = 401, body = Refusal),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub(crate) async fn reset(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<ResetForm>,
) -> Result<SaveOutcome> {
    let wiring = ticked(&form.wiring);
    let saver = SettingsSaver {
        portal: &portal,
        person,
        kind: SaveKind::Reset,
        given: None,
    };
    let request = SaveRequest {
        sn: &query.sn,
        version: &form.version,
        password: form.password.as_deref(),
        lang: language(&headers),
    };
    let validate = |access: &Access, settings: &SystemSettings| {
        let meant = |field: Field| {
            (wiring || !field.is_wiring()) && (access.may(Right::SetMoney) || !field.is_money())
        };
        Ok(reset_all(settings.current_state(), meant))
    };
    save_each(saver, &systems, request, validate).await
}

/// Saves at every named system, or at none if the caller has to reauthenticate first.
async fn save_each(
    saver: SettingsSaver<'_>,
    systems: &Systems,
    request: SaveRequest<'_>,
    validate: impl Fn(&Access, &SystemSettings) -> Result<SettingsChange, InvalidFields>,
) -> Result<SaveOutcome> {
    let chosen = systems.resolve_each(request.sn)?;
    let versions = versions(request.version, chosen.len())?;
    let mut outcome = SaveOutcome::default();
    let reader = saver.person.account;
    let mut prepared = Vec::new();
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        let plan = match found {
            NamedSystem::Allowed(access) => {
                let validate = |settings: &SystemSettings| validate(access, settings);
                saver.prepare(access, Some(version), validate).await?.1
            }
            NamedSystem::Refused(why) => Err(SaveFailure::system(why)),
        };
        match plan {
            Ok(one) => prepared.push(one),
            Err(failure) => outcome.fail(name, failure, reader, request.lang),
        }
    }
    saver.reauthenticate(&prepared, request.password).await?;
    for one in &prepared {
        let sn = one.access.sn().as_str();
        match saver.save(one).await? {
            Ok(version) => outcome.succeed(sn, version, &one.change.warnings, request.lang),
            // If some systems were saved already, the answer must list them instead.
            Err(SaveFailure::Guarded(held)) if outcome.saved_none() => return Err(held.into()),
            Err(failure) => outcome.fail(sn, failure, reader, request.lang),
        }
    }
    Ok(outcome)
}

/// The parameters of a request apart from its fields.
struct SaveRequest<'a> {
    sn: &'a str,
    version: &'a str,
    password: Option<&'a str>,
    lang: Lang,
}
