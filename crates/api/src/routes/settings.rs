//! Settings of the caller's systems: read, saved against the version that was read, and reset.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::own::{Found, Systems};
use crate::settings::{
    Failure, ResetForm, SaveOutcome, SaveProblem, Saving, SettingsEntry, SettingsForm, Wrong,
    held_message, versions,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::Lang;
use domain::grant::Right;
use domain::setting::{Change, Field, reset as reset_all};
use domain::together::ALL_SYSTEMS;
use serde::{Deserialize, Serialize};
use store::Access;
use store::guard::Held;
use store::setting::{SaveKind, SystemSettings};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct SettingsQuery {
    /// A serial number, or several separated by commas.
    #[serde(default)]
    pub(crate) sn: String,
}

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
    let chosen = systems.several(&query.sn)?;
    let one = !matches!(query.sn.trim(), "" | ALL_SYSTEMS) && !query.sn.contains(',');
    let mut entries = Vec::with_capacity(chosen.len());
    for access in chosen {
        entries.push(entry(&portal, access, lang).await?);
    }
    Ok(Json(match (one, entries.pop()) {
        (true, Some(entry)) => OneOrMany::One(Box::new(entry)),
        (_, last) => OneOrMany::Many(entries.into_iter().chain(last).collect()),
    }))
}

/// One system's settings as its reader sees them.
pub(crate) async fn entry(portal: &Portal, access: &Access, lang: Lang) -> Result<SettingsEntry> {
    let settings = portal.store.settings(access, portal.now()).await?;
    let online = portal.live.get(access.sn()).is_some_and(|now| now.online);
    Ok(SettingsEntry::new(settings, online, access, lang))
}

/// Change settings of one or more systems; only the fields that are given, each system for itself.
#[utoipa::path(post, path = "/api/auth/settings/", operation_id = "save_settings", tag = "settings", params(SettingsQuery),
    request_body(content = SettingsForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem), (status = 401, body = Refusal),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub(crate) async fn save(
    State(portal): State<Portal>,
    person: Person,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<SettingsForm>,
) -> Result<SaveOutcome> {
    let given = form.given();
    let saving = Saving {
        portal: &portal,
        person,
        kind: SaveKind::Form,
        given: Some(&given),
    };
    let wish = Wish {
        sn: &query.sn,
        version: form.version(),
        password: form.password(),
        lang: language(&headers),
    };
    let judge = |_: &Access, settings: &SystemSettings| given.judge(settings.standing());
    run(saving, &systems, wish, judge).await
}

/// Set one or more systems back to what they began with; the wiring only if that is asked for.
#[utoipa::path(post, path = "/api/auth/settings/reset/", operation_id = "reset_settings", tag = "settings", params(SettingsQuery),
    request_body(content = ResetForm, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = SaveOutcome), (status = 400, body = SaveProblem), (status = 401, body = Refusal),
        (status = 404, body = Refusal), (status = 409, body = SaveOutcome), (status = 429, body = Refusal),
        (status = 503, body = Refusal)))]
pub(crate) async fn reset(
    State(portal): State<Portal>,
    person: Person,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<SettingsQuery>,
    Form(form): Form<ResetForm>,
) -> Result<SaveOutcome> {
    let wiring = ticked(&form.wiring);
    let saving = Saving {
        portal: &portal,
        person,
        kind: SaveKind::Reset,
        given: None,
    };
    let wish = Wish {
        sn: &query.sn,
        version: &form.version,
        password: form.password.as_deref(),
        lang: language(&headers),
    };
    let judge = |access: &Access, settings: &SystemSettings| {
        let meant = |field: Field| {
            (wiring || !field.is_wiring()) && (access.may(Right::SetMoney) || !field.is_money())
        };
        Ok(reset_all(settings.standing(), meant))
    };
    run(saving, &systems, wish, judge).await
}

/// Saves at every system that is named, or at none where the caller has to prove who they are.
async fn run(
    saving: Saving<'_>,
    systems: &Systems,
    wish: Wish<'_>,
    judge: impl Fn(&Access, &SystemSettings) -> Result<Change, Wrong>,
) -> Result<SaveOutcome> {
    let chosen = systems.named(wish.sn)?;
    let versions = versions(wish.version, chosen.len())?;
    let mut outcome = SaveOutcome::default();
    let reader = saving.person.account;
    let mut planned = Vec::new();
    for ((name, found), version) in chosen.into_iter().zip(versions) {
        let plan = match found {
            Found::Allowed(access) => {
                let judge = |settings: &SystemSettings| judge(access, settings);
                saving.plan(access, Some(version), judge).await?.1
            }
            Found::Refused(why) => Err(Failure::system(why)),
        };
        match plan {
            Ok(one) => planned.push(one),
            Err(failure) => outcome.fail(name, failure, reader, wish.lang),
        }
    }
    saving.prove(&planned, wish.password).await?;
    for one in &planned {
        let sn = one.access.sn().as_str();
        match saving.save(one).await? {
            Ok(version) => outcome.succeed(sn, version, &one.change.warnings, wish.lang),
            // Where some were saved already the answer has to say which.
            Err(Failure::Held(held)) if outcome.took_nothing() => return Err(held.into()),
            Err(failure) => outcome.fail(sn, failure, reader, wish.lang),
        }
    }
    Ok(outcome)
}

/// What a request says beside its fields.
struct Wish<'a> {
    sn: &'a str,
    version: &'a str,
    password: Option<&'a str>,
    lang: Lang,
}

impl From<Held> for Error {
    fn from(held: Held) -> Self {
        let message = held_message(held);
        match held {
            Held::Braked => Self::Refused(StatusCode::SERVICE_UNAVAILABLE, message),
            Held::TooManyDevices { wait } => Self::Slow {
                seconds: u64::try_from(wait / 1_000).unwrap_or(0) + 1,
                message,
            },
        }
    }
}
