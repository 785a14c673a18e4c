//! Settings of the caller's systems: read, saved against the version that was read, and reset.
use crate::Portal;
use crate::access::Person;
use crate::error::{Error, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::own::Systems;
use crate::routes::account::{load, prove};
use crate::settings::{
    Failure, ResetForm, SaveOutcome, SaveProblem, SettingsEntry, SettingsForm, versions,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::setting::{Change, Field, reset as reset_all};
use domain::together::ALL_SYSTEMS;
use domain::{Lang, Message};
use serde::{Deserialize, Serialize};
use store::Access;
use store::guard::Held;
use store::setting::{Save, Saved, SystemSettings};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct SettingsQuery {
    /// A serial number, or several separated by commas.
    #[serde(default)]
    sn: String,
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
    Ok(SettingsEntry::new(settings, online, access.account(), lang))
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
        lang: language(&headers),
        password: form.password(),
        reset: false,
    };
    let plan = |settings: &SystemSettings| given.judge(settings.standing());
    saving.run(&systems, &query.sn, form.version(), plan).await
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
        lang: language(&headers),
        password: form.password.as_deref(),
        reset: true,
    };
    let plan = |settings: &SystemSettings| Ok(reset_all(settings.standing(), wiring));
    saving.run(&systems, &query.sn, &form.version, plan).await
}

/// One request to save, for any number of systems.
struct Saving<'a> {
    portal: &'a Portal,
    person: Person,
    lang: Lang,
    password: Option<&'a str>,
    reset: bool,
}

/// What is to be saved at one system.
struct Planned<'a> {
    access: &'a Access,
    version: i64,
    settings: SystemSettings,
    change: Change,
}

impl Saving<'_> {
    async fn run(
        self,
        systems: &Systems,
        sn: &str,
        version: &str,
        plan: impl Fn(&SystemSettings) -> std::result::Result<Change, Vec<(Field, Message)>>,
    ) -> Result<SaveOutcome> {
        let chosen = systems.named(sn)?;
        let versions = versions(version, chosen.len())?;
        let mut outcome = SaveOutcome::default();
        let mut planned = Vec::new();
        for ((name, access), version) in chosen.into_iter().zip(versions) {
            let Some(access) = access else {
                self.fail(&mut outcome, name, Failure::system(Message::NotFound));
                continue;
            };
            let settings = self
                .portal
                .store
                .settings(access, self.portal.now())
                .await?;
            match plan(&settings) {
                Ok(change) => planned.push(Planned {
                    access,
                    version,
                    settings,
                    change,
                }),
                Err(wrong) => self.fail(&mut outcome, name, Failure::fields(wrong)),
            }
        }
        if planned.iter().any(|one| one.change.touches_wiring()) {
            let account = load(self.portal, self.person).await?;
            prove(self.portal, &account, self.password).await?;
        }
        for one in &planned {
            self.save(one, &mut outcome).await?;
        }
        Ok(outcome)
    }

    fn fail(&self, outcome: &mut SaveOutcome, sn: &str, failure: Failure) {
        outcome.fail(sn, failure, self.person.account, self.lang);
    }

    async fn save(&self, one: &Planned<'_>, outcome: &mut SaveOutcome) -> Result<()> {
        let (portal, sn) = (self.portal, one.access.sn());
        let saved = match one.change.is_empty() {
            true => Saved::Version(one.settings.version),
            false => {
                let save = Save {
                    version: one.version,
                    before: &one.settings,
                    change: &one.change,
                    reset: self.reset,
                    nonce: portal.random.bytes(),
                    devices_a_minute: portal.settings.devices_a_minute,
                };
                portal
                    .store
                    .save_settings(one.access, save, portal.now())
                    .await?
            }
        };
        match saved {
            Saved::Version(version) => {
                if version > one.settings.version {
                    portal.bus.settings_saved(sn).await;
                }
                outcome.succeed(sn.as_str(), version, &one.change.warnings, self.lang);
            }
            Saved::Conflict => {
                let now = portal.store.settings(one.access, portal.now()).await?;
                let changes = portal.store.settings_changed_since(one.access, one.version);
                let failure = Failure::Conflict {
                    version: now.version,
                    changes: changes.await?,
                };
                self.fail(outcome, sn.as_str(), failure);
            }
            Saved::Held(held) if outcome.took_nothing() => return Err(held.into()),
            // Some were saved already, and the answer has to say which.
            Saved::Held(held) => self.fail(outcome, sn.as_str(), Failure::system(message(held))),
        }
        Ok(())
    }
}

const fn message(held: Held) -> Message {
    match held {
        Held::Braked => Message::FleetBraked,
        Held::TooManyDevices { .. } => Message::TooManyDevices,
    }
}

impl From<Held> for Error {
    fn from(held: Held) -> Self {
        match held {
            Held::Braked => Self::Refused(StatusCode::SERVICE_UNAVAILABLE, message(held)),
            Held::TooManyDevices { wait } => Self::Slow {
                seconds: u64::try_from(wait / 1_000).unwrap_or(0) + 1,
                message: message(held),
            },
        }
    }
}
