//! The systems that an account sees, and the keys that add more of them.
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
use store::commissioning::CommissioningStatus;
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
    /// The caller's group that contains the system.
    group_name: Option<String>,
    /// The town, as entered.
    place: Option<String>,
    /// The peak power of the PV modules in kWp.
    kwp: Option<f64>,
    /// The site's time zone, as an IANA name.
    time_zone: String,
    hardware: Option<String>,
    /// Usable capacity in Wh.
    capacity: Option<i64>,
    /// Rated charging power in W.
    charge_max: Option<i64>,
    /// Rated discharging power in W.
    discharge_max: Option<i64>,
    /// Whether the system is online and switched on.
    isActive: bool,
    /// `owner`; `member` or `look` for household members; for electricians, the scope of the grant.
    access: &'static str,
    /// The electrician to call. Only for the household.
    installer: Option<InstallerEntry>,
    /// Only for electricians. Systems with the same number have the same owner.
    household: Option<usize>,
    /// Only for electricians with service access: the state of the commissioning. Left out if it was never started.
    #[schema(inline)]
    commissioning: Option<CommissioningState>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CommissioningState {
    InProgress,
    Finished,
}

/// The electrician with the widest access to the system.
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
    /// The end of the access; Unix time in milliseconds. Null if it is unlimited.
    #[schema(required)]
    until: Option<i64>,
}

/// List the systems that the caller sees: their own, those of their household, and those that owners granted access to.
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
    let mut statuses = HashMap::new();
    if !serviced.is_empty() {
        statuses = portal.store.commissioning_status(&serviced).await?;
    }
    let mut households = HashMap::new();
    let mut entry = |(access, system): (&Access, System)| {
        let next = households.len();
        let owner = access.owner().filter(|_| !access.level().is_household());
        Ok(SystemEntry {
            household: owner.map(|owner| *households.entry(owner).or_insert(next)),
            commissioning: statuses.get(access.sn().as_str()).map(|it| (*it).into()),
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

impl From<CommissioningStatus> for CommissioningState {
    fn from(status: CommissioningStatus) -> Self {
        match status {
            CommissioningStatus::InProgress => Self::InProgress,
            CommissioningStatus::Finished => Self::Finished,
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

/// List the caller's pending claims: serial numbers that wait for the battery's main switch.
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
    /// At most three serial numbers or registration codes, separated by commas.
    #[serde(default)]
    #[schema(value_type = KeyTexts, required)]
    keys: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AddedKeys {
    keys: Vec<KeyResult>,
}

/// Add systems by serial number or registration code. Each key is processed independently.
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
    /// The caller's current password, for confirmation.
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
