//! The systems that a person sees, and the keys that add more of them.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::claim::{ClaimEntry, KeyResult};
use crate::client::ClientAddress;
use crate::error::{Error, Problem, Refusal, Result, language};
use crate::form::Form;
use crate::grant::{GrantStateName, ScopeName};
use crate::live::VisibleSystem;
use crate::number::kilowatts;
use crate::own_account::{load_account, reauthenticate};
use crate::parameter::{KeyTexts, SerialNumber};
use crate::path::Path;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::grant::Right;
use domain::key::{KeyStatus, MAX_KEYS};

use domain::{Key, Message, Serial};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::Access;
use store::commissioning::CommissioningStanding;
use store::grant::Grant;
use store::system::System;
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
    /// The town, as somebody typed it.
    place: Option<String>,
    /// Of the modules on its roof.
    kwp: Option<f64>,
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
    /// `owner`; `member` or `look` for people of the household; or the scope of the electrician's grant.
    access: &'static str,
    /// Whom the household can call; only they see it.
    installer: Option<InstallerEntry>,
    /// For electricians. The same number: systems of one owner.
    household: Option<usize>,
    /// For electricians with service: how far it was brought into service. Missing: never.
    #[schema(inline)]
    commissioning: Option<CommissioningState>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommissioningState {
    InProgress,
    Finished,
}

/// The electrician with the widest access to a system.
#[derive(Serialize, ToSchema)]
pub(crate) struct InstallerEntry {
    #[schema(required)]
    company: Option<String>,
    email: String,
    #[schema(required)]
    phone: Option<String>,
    #[schema(inline)]
    scope: ScopeName,
    #[schema(inline)]
    state: GrantStateName,
    /// The first moment without access.
    #[schema(required)]
    until: Option<i64>,
}

/// The systems that the caller sees: their own, their household's, and those that owners let them see.
#[utoipa::path(get, path = "/api/auth/usr_sn/", operation_id = "list_systems", tag = "systems",
    responses((status = 200, body = [SystemEntry])))]
pub(crate) async fn list(
    State(portal): State<Portal>,
    visible: Systems,
) -> Result<Json<Vec<SystemEntry>>> {
    let systems = portal.store.systems(&visible.allowed).await?;
    let mut installers = portal
        .store
        .installers(&visible.allowed, portal.now())
        .await?;
    portal.hold(visible.allowed.iter()).await?;
    let serviced = visible
        .allowed
        .iter()
        .filter(|one| one.may(Right::Commission));
    let serviced: Vec<Serial> = serviced.map(|access| access.sn().clone()).collect();
    let mut standings = HashMap::new();
    if !serviced.is_empty() {
        standings = portal.store.commissioning_standings(&serviced).await?;
    }
    let mut households = HashMap::new();
    let mut entry = |(access, system): (&Access, System)| {
        let next = households.len();
        let owner = access.owner().filter(|_| !access.level().is_household());
        Ok(SystemEntry {
            household: owner.map(|owner| *households.entry(owner).or_insert(next)),
            commissioning: standings.get(access.sn().as_str()).map(|it| (*it).into()),
            kwp: system.peak()?.map(kilowatts),
            place: system.place,
            installer: installers.remove(access.sn()).map(InstallerEntry::from),
            phase: system.phase,
            master_version: system.master_version,
            gateway_version: system.gateway_version,
            slave_version: system.slave_version,
            first_name: system.first_name,
            last_name: system.last_name,
            group_name: system.group_name,
            isActive: VisibleSystem::new(access, &portal.live).is_active(),
            sn: system.sn,
            time_zone: system.time_zone,
            hardware: system.hardware,
            capacity: system.capacity,
            charge_max: system.charge_max,
            discharge_max: system.discharge_max,
            access: access.level().as_str(),
        })
    };
    let systems = visible.allowed.iter().zip(systems);
    systems.map(&mut entry).collect::<Result<_>>().map(Json)
}

impl From<CommissioningStanding> for CommissioningState {
    fn from(standing: CommissioningStanding) -> Self {
        match standing {
            CommissioningStanding::InProgress => Self::InProgress,
            CommissioningStanding::Finished => Self::Finished,
        }
    }
}

impl From<Grant> for InstallerEntry {
    fn from(grant: Grant) -> Self {
        Self {
            company: grant.holder.company,
            email: grant.holder.email,
            phone: grant.holder.phone,
            scope: grant.scope.into(),
            state: grant.state.into(),
            until: grant.until,
        }
    }
}

/// Serial numbers that wait for the battery's main switch.
#[utoipa::path(get, path = "/api/auth/usr_sn/claims/", tag = "systems",
    responses((status = 200, body = [ClaimEntry])))]
pub(crate) async fn claims(
    State(portal): State<Portal>,
    person: PersonCaller,
) -> Result<Json<Vec<ClaimEntry>>> {
    let claims = portal.store.claims_of(person.account, portal.now()).await?;
    Ok(Json(claims.into_iter().map(ClaimEntry::from).collect()))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct AddKeys {
    /// Serial numbers or registration codes, separated by commas; three at most.
    #[serde(default)]
    #[schema(value_type = KeyTexts, required)]
    keys: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AddedKeys {
    keys: Vec<KeyResult>,
}

/// Connect more systems: each key for itself.
#[utoipa::path(post, path = "/api/auth/usr_sn/", tag = "systems",
    request_body(content = AddKeys, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = AddedKeys), (status = 400, body = Problem),
        (status = 429, body = Refusal)))]
pub(crate) async fn add(
    State(portal): State<Portal>,
    person: PersonCaller,
    client: ClientAddress,
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
        .keys(client.0, Some(person.account), texts.len())
        .await?;
    let mut results = Vec::with_capacity(texts.len());
    for text in texts {
        results.push(match text.parse::<Key>() {
            Err(_) => KeyResult::plain(text, KeyStatus::WrongFormat, lang),
            Ok(key) => {
                let keys = std::slice::from_ref(&key);
                let outcomes = portal.service.redeem_keys(person.account, keys).await?;
                let right = outcomes.iter().all(|it| it.status == KeyStatus::Linked);
                if right && matches!(key, Key::Code(_)) {
                    let (limits, account) = (&portal.limits, Some(person.account));
                    limits.keys_were_right(client.0, account, 1).await;
                }
                outcomes.first().map_or_else(
                    || KeyResult::plain(text, KeyStatus::Unknown, lang),
                    |outcome| KeyResult::new(&key, outcome, lang),
                )
            }
        });
    }
    Ok(Json(AddedKeys { keys: results }))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct GiveUp {
    /// Typed again.
    password: Option<String>,
}

/// Give a system up. The history of the household is erased.
#[utoipa::path(delete, path = "/api/auth/usr_sn/{sn}/", tag = "systems", params(("sn" = SerialNumber, Path)),
    request_body(content = GiveUp, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204), (status = 400, body = Problem), (status = 429, body = Refusal)))]
pub(crate) async fn unlink(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    Path(sn): Path<String>,
    Form(form): Form<GiveUp>,
) -> Result<StatusCode> {
    let access = systems.find(&sn)?;
    let account = load_account(&portal, person).await?;
    reauthenticate(&portal, &account, form.password.as_deref()).await?;
    portal.service.unlink(access).await?;
    Ok(StatusCode::NO_CONTENT)
}
