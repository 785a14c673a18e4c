//! The systems that a person sees, and the keys that connect more of them.
use crate::Portal;
use crate::access::Person;
use crate::client::Client;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::live::Seen;
use crate::own::{Choice, Systems};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use domain::account::parse_name;
use domain::key::{KeyStatus, MAX_KEYS};
use domain::{Key, Lang, Message, Serial};
use serde::{Deserialize, Serialize};
use store::access::Level;
use store::key::Outcome;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[allow(non_snake_case, reason = "the names of the fields")]
pub(crate) struct SystemEntry {
    sn: String,
    phase: i64,
    master_version: Option<String>,
    gateway_version: Option<String>,
    slave_version: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    /// The caller's own group that it is in.
    group_name: Option<String>,
    /// IANA name.
    time_zone: String,
    hardware: Option<String>,
    /// Usable Wh.
    capacity: Option<i64>,
    /// Rated W.
    charge_max: Option<i64>,
    /// Rated W.
    discharge_max: Option<i64>,
    /// Online and switched on.
    isActive: bool,
    /// `owner`, or the scope of the electrician's grant.
    access: &'static str,
}

/// The caller's systems.
#[utoipa::path(get, path = "/api/auth/usr_sn/", operation_id = "list_systems", tag = "systems",
    responses((status = 200, body = [SystemEntry]), (status = 401, body = Refusal)))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    person: Person,
) -> Result<Json<Vec<SystemEntry>>> {
    let systems = portal.store.systems_of(person.account).await?;
    let accesses = portal.store.accesses(person.account).await?;
    let active: Vec<String> = accesses
        .iter()
        .filter(|access| Seen::new(access, &portal.live).is_active())
        .map(|access| access.sn().to_string())
        .collect();
    let entry = |system: store::system::System| SystemEntry {
        phase: system.phase,
        master_version: system.master_version,
        gateway_version: system.gateway_version,
        slave_version: system.slave_version,
        first_name: system.first_name,
        last_name: system.last_name,
        group_name: system.group_name,
        isActive: active.contains(&system.sn),
        sn: system.sn,
        time_zone: system.time_zone,
        hardware: system.hardware,
        capacity: system.capacity,
        charge_max: system.charge_max,
        discharge_max: system.discharge_max,
        access: Level::Owner.as_str(),
    };
    Ok(Json(systems.into_iter().map(entry).collect()))
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimEntry {
    sn: String,
    /// `waiting`, `lapsed` or `contested`.
    status: &'static str,
    /// Milliseconds since 1970.
    expires_at: i64,
}

/// Serial numbers that wait for the battery's main switch.
#[utoipa::path(get, path = "/api/auth/usr_sn/claims/", tag = "systems",
    responses((status = 200, body = [ClaimEntry]), (status = 401, body = Refusal)))]
pub(crate) async fn claims(
    State(portal): State<Portal>,
    person: Person,
) -> Result<Json<Vec<ClaimEntry>>> {
    let claims = portal.store.claims_of(person.account, portal.now()).await?;
    let entry = |claim: store::claim::WaitingClaim| ClaimEntry {
        sn: claim.sn,
        status: claim.state.as_str(),
        expires_at: claim.expires_at,
    };
    Ok(Json(claims.into_iter().map(entry).collect()))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AddKeys {
    /// Serial numbers or registration codes, separated by commas; three at most.
    #[serde(default)]
    keys: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AddedKeys {
    keys: Vec<KeyResult>,
}

/// How one key ended.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyResult {
    key: String,
    /// `linked`, `waiting`, `unknown`, `wrong_format` or `used`.
    status: &'static str,
    /// The systems it stands for.
    sns: Vec<String>,
    text: &'static str,
}

impl KeyResult {
    pub(crate) fn new(key: &Key, outcome: &Outcome, lang: Lang) -> Self {
        let text = match key {
            Key::Serial(sn) => sn.as_str(),
            Key::Code(code) => code.as_str(),
        };
        let mut result = Self::plain(text, outcome.status, lang);
        // A code that does not work tells nothing about the systems behind it.
        if matches!(outcome.status, KeyStatus::Linked | KeyStatus::Waiting) {
            result.sns = outcome.systems.iter().map(Serial::to_string).collect();
        }
        if outcome.status == KeyStatus::Unknown && matches!(key, Key::Code(_)) {
            result.text = Message::CodeUnknown.text(lang);
        }
        result
    }

    fn plain(key: &str, status: KeyStatus, lang: Lang) -> Self {
        Self {
            key: key.to_owned(),
            status: status.as_str(),
            sns: Vec::new(),
            text: status.message().text(lang),
        }
    }
}

/// Connect more systems: each key for itself.
#[utoipa::path(post, path = "/api/auth/usr_sn/", tag = "systems",
    request_body(content = AddKeys, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AddedKeys), (status = 400, body = Problem), (status = 401, body = Refusal),
        (status = 429, body = Refusal)))]
pub(crate) async fn add(
    State(portal): State<Portal>,
    person: Person,
    client: Client,
    headers: HeaderMap,
    Form(form): Form<AddKeys>,
) -> Result<Json<AddedKeys>> {
    let lang = language(&headers);
    let texts: Vec<&str> = form
        .keys
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    match texts.len() {
        0 => return Err(Error::field("keys", Message::KeyRequired)),
        n if n > MAX_KEYS => return Err(Error::field("keys", Message::TooManyKeys)),
        _ => {}
    }
    portal
        .limits
        .keys(client.0, Some(person.account), texts.len())?;
    let mut results = Vec::with_capacity(texts.len());
    for text in texts {
        results.push(match text.parse::<Key>() {
            Err(_) => KeyResult::plain(text, KeyStatus::WrongFormat, lang),
            Ok(key) => {
                let outcomes = portal
                    .store
                    .redeem_keys(person.account, std::slice::from_ref(&key), portal.now())
                    .await?;
                outcomes.first().map_or_else(
                    || KeyResult::plain(text, KeyStatus::Unknown, lang),
                    |outcome| KeyResult::new(&key, outcome, lang),
                )
            }
        });
    }
    Ok(Json(AddedKeys { keys: results }))
}

/// Give a system up.
#[utoipa::path(delete, path = "/api/auth/usr_sn/{sn}/", tag = "systems", params(("sn" = String, Path)),
    responses((status = 204), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn unlink(
    State(portal): State<Portal>,
    person: Person,
    Path(sn): Path<String>,
) -> Result<StatusCode> {
    let sn: Serial = sn.parse().map_err(|_| Error::not_found())?;
    let access = portal
        .store
        .access(person.account, &sn)
        .await?
        .ok_or(Error::not_found())?;
    portal.store.unlink(&access, portal.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct NameEndUser {
    #[serde(default)]
    first_name: String,
    #[serde(default)]
    last_name: String,
}

/// Say who lives with a system.
#[utoipa::path(patch, path = "/api/auth/system/{sn}/", tag = "systems", params(("sn" = String, Path)),
    request_body(content = NameEndUser, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Refusal), (status = 404, body = Refusal)))]
pub(crate) async fn name_end_user(
    State(portal): State<Portal>,
    systems: Systems,
    Path(sn): Path<String>,
    Form(form): Form<NameEndUser>,
) -> Result<StatusCode> {
    let Choice::One(access) = systems.choose(&sn)? else {
        return Err(Error::not_found());
    };
    let mut errors = FieldErrors::default();
    let first_name = errors.take("first_name", parse_name(&form.first_name));
    let last_name = errors.take("last_name", parse_name(&form.last_name));
    errors.into_result()?;
    let (first_name, last_name) = first_name.zip(last_name).ok_or(Error::internal())?;
    portal
        .store
        .name_end_user(access, &first_name, &last_name, portal.now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
