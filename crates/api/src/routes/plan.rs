//! The plan of a battery with its reasons. The owner turns planning on or off and sets a charge target.
use crate::Portal;
use crate::caller::PersonCaller;
use crate::caller_systems::Systems;
use crate::error::{Error, FieldErrors, Problem, Refusal, Result, language};
use crate::form::{Form, Query, ticked};
use crate::number;
use crate::own_account::load_account;
use crate::parameter::{Percent, SerialNumber, Switch, TimeOfDay};
use crate::plan_text::{Locale, reason};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use domain::clock::Millis;
use domain::setting::{Field, Value};
use domain::{Lang, Message, Zone};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use service::settings::SaveFailure;
use store::Access;
use store::planning::{
    ChargePlanBlock, ChargePlanMode, ChargePlanStep, ChargeTarget, PLAN_LEASE, Planning,
};
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct PlanQuery {
    /// The serial number of the system.
    #[serde(default)]
    #[param(value_type = SerialNumber, required = true)]
    sn: String,
}

/// What the battery will do, and why.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlanBody {
    sn: String,
    /// Whether planning is turned on.
    on: bool,
    /// When the plan was last computed; Unix time in milliseconds. Null if there is none.
    #[schema(required)]
    issued: Option<Millis>,
    /// When the next action of the plan last changed; Unix time in milliseconds. Null if there is none.
    #[schema(required)]
    adopted: Option<Millis>,
    /// Until when the plan applies unless a newer one replaces it; Unix time in milliseconds.
    #[schema(required)]
    until: Option<Millis>,
    #[serde(rename = "wish")]
    #[schema(required)]
    charge_target: Option<ChargeTargetEntry>,
    blocks: Vec<BlockEntry>,
    /// The plan per quarter-hour, for a chart.
    steps: Vec<PlanStepEntry>,
    /// What planning saved in the last 30 days with enough data, in cents; negative if it cost more. Null if there are too few
    /// such days.
    #[schema(required)]
    saved: Option<i64>,
    /// ISO 4217 code of the currency.
    currency: &'static str,
    weather: WeatherEntry,
}

#[derive(Serialize, ToSchema)]
#[schema(as = WishEntry)]
pub(crate) struct ChargeTargetEntry {
    /// State of charge in %.
    soc: i64,
    /// When it is due; Unix time in milliseconds.
    by: Millis,
}

/// Consecutive quarter-hours with the same mode.
#[derive(Serialize, ToSchema)]
pub(crate) struct BlockEntry {
    /// When the block starts; Unix time in milliseconds.
    start: Millis,
    /// When the block ends; Unix time in milliseconds.
    end: Millis,
    #[schema(inline)]
    mode: ModeName,
    /// Charging power in kW.
    #[schema(value_type = f64)]
    kw: Box<RawValue>,
    /// The mean import price, in cents per kWh.
    #[schema(value_type = f64)]
    price: Box<RawValue>,
    /// The expected state of charge at the end, in %.
    #[schema(required, value_type = Option<f64>)]
    soc: Option<Box<RawValue>>,
    /// The reason for the block, as a sentence.
    reason: String,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct PlanStepEntry {
    /// When the quarter-hour starts; Unix time in milliseconds.
    start: Millis,
    /// The import price, in cents per kWh.
    #[schema(value_type = f64)]
    price: Box<RawValue>,
    /// Whether the price is published or fixed by a contract. Otherwise it is a forecast, and the plan does not buy at it.
    known: bool,
    /// The expected state of charge at the end, in %.
    #[schema(required, value_type = Option<f64>)]
    soc: Option<Box<RawValue>>,
    /// The same with high load and little sun.
    #[schema(required, value_type = Option<f64>)]
    low: Option<Box<RawValue>>,
    /// The same with low load and much sun.
    #[schema(required, value_type = Option<f64>)]
    high: Option<Box<RawValue>>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModeName {
    #[serde(rename = "self")]
    SelfUse,
    Hold,
    Charge,
}

/// The bad-weather notice: the battery may stay empty for long.
#[derive(Serialize, ToSchema)]
pub(crate) struct WeatherEntry {
    /// Since when the notice is active; Unix time in milliseconds. Null if it is not.
    #[schema(required)]
    since: Option<Millis>,
    /// How many past notices were right.
    hits: i64,
    /// How many past notices were false alarms.
    false_alarms: i64,
}

/// A number written digit by digit, without floating point.
fn decimal(value: i64, decimals: u8) -> Box<RawValue> {
    let mut digits = Vec::new();
    number::fixed(&mut digits, value, decimals);
    let text = String::from_utf8(digits).expect("digits and a point are ASCII");
    RawValue::from_string(text).expect("digits and a point are a JSON number")
}

/// Get the plan of a system.
#[utoipa::path(get, path = "/api/auth/plan/", operation_id = "show_plan", tag = "plan", params(PlanQuery),
    responses((status = 200, body = PlanBody), (status = 404, body = Refusal)))]
pub(crate) async fn show(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Query(query): Query<PlanQuery>,
) -> Result<Json<PlanBody>> {
    let access = systems.find(query.sn.trim())?;
    body(&portal, person, access, language(&headers))
        .await
        .map(Json)
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ChangePlan {
    #[serde(default)]
    #[schema(value_type = SerialNumber, required)]
    sn: String,
    /// Whether planning is turned on: `true` or `false`. Default: unchanged.
    #[schema(value_type = Switch, required = false)]
    on: Option<String>,
    /// A charge target: the state of charge in %.
    #[schema(value_type = Percent, required = false)]
    soc: Option<String>,
    /// When the charge target is due: the next time that the site's clock shows `HH:MM`. Empty, together with an empty `soc`,
    /// removes the target.
    #[schema(value_type = TimeOfDay, required = false)]
    by: Option<String>,
}

/// Turn planning on or off, or set a charge target.
#[utoipa::path(post, path = "/api/auth/plan/", operation_id = "change_plan", tag = "plan",
    request_body(content = ChangePlan, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, body = PlanBody), (status = 400, body = Problem), (status = 404, body = Refusal), (status = 409, body = Refusal), (status = 429, body = Refusal)))]
pub(crate) async fn change(
    State(portal): State<Portal>,
    person: PersonCaller,
    systems: Systems,
    headers: HeaderMap,
    Form(form): Form<ChangePlan>,
) -> Result<Json<PlanBody>> {
    if form.sn.trim().is_empty() {
        return Err(Error::field("sn", Message::Required));
    }
    let access = systems.find(form.sn.trim())?;
    let target = parse_charge_target(&form, access.zone(), portal.now())?;
    if let Some(on) = &form.on {
        set_planning(&portal, access, ticked(on)).await?;
    }
    if let Some(target) = target {
        portal.service.set_charge_target(access, target).await??;
    }
    body(&portal, person, access, language(&headers))
        .await
        .map(Json)
}

/// `None` if the form does not mention a charge target, `Some(None)` if it removes the target.
fn parse_charge_target(
    form: &ChangePlan,
    zone: &Zone,
    now: Millis,
) -> Result<Option<Option<ChargeTarget>>> {
    let (soc, by) = match (form.soc.as_deref(), form.by.as_deref()) {
        (None, None) => return Ok(None),
        (soc, by) => (
            soc.unwrap_or_default().trim(),
            by.unwrap_or_default().trim(),
        ),
    };
    if soc.is_empty() && by.is_empty() {
        return Ok(Some(None));
    }
    let mut errors = FieldErrors::default();
    let within = |soc: &i64| (0..=100).contains(soc);
    let soc = errors.check(
        "soc",
        soc.parse().ok().filter(within).ok_or(Message::SocRange),
    );
    let by = errors.check(
        "by",
        next_time_of_day(by, zone, now).ok_or(Message::TimeInvalid),
    );
    errors.into_result()?;
    let target = soc.zip(by).map(|(soc, by)| ChargeTarget { soc, by });
    Ok(Some(target))
}

/// The next moment at which the site's clock shows this time.
fn next_time_of_day(text: &str, zone: &Zone, now: Millis) -> Option<Millis> {
    let (hour, minute) = text.split_once(':')?;
    let (hour, minute) = (hour.parse::<i8>().ok()?, minute.parse::<i64>().ok()?);
    if !(0..24).contains(&hour) || !(0..60).contains(&minute) {
        return None;
    }
    let today = zone.day_of(now);
    let times =
        [today, today.next()].map(|day| zone.hour_of(day, hour) + minute * domain::clock::MINUTE);
    times.into_iter().find(|time| *time > now)
}

async fn set_planning(portal: &Portal, access: &Access, on: bool) -> Result<()> {
    match portal.service.set_planning(access, on).await? {
        Ok(_) => Ok(()),
        Err(SaveFailure::Blocked(blocked)) => Err(blocked.into()),
        Err(SaveFailure::Conflict { .. }) => Err(Error::Refused(
            StatusCode::CONFLICT,
            Message::VersionConflict,
        )),
        Err(SaveFailure::Fields(wrong)) => {
            let mut errors = FieldErrors::default();
            for (field, message) in wrong {
                errors.add(field.name(), message);
            }
            Err(Error::Fields(errors))
        }
    }
}

async fn body(
    portal: &Portal,
    person: PersonCaller,
    access: &Access,
    lang: Lang,
) -> Result<PlanBody> {
    let now = portal.now();
    let settings = portal.store.settings(access, now).await?;
    let on = settings.desired.get(Field::DynamicTariff) == Some(Value::Choice("plan"));
    let Planning {
        planned_at,
        adopted_at,
        plan,
        charge_target,
        notice,
        ..
    } = portal.store.planning(access).await?;
    let plan = plan.filter(|plan| on && plan.end() > now);
    let currency = load_account(portal, person).await?.country()?.currency();
    let locale = Locale {
        lang,
        currency,
        zone: access.zone(),
    };
    let today = access.zone().day_of(now);
    // The same days as on the page of the plan, so that both show the same figures.
    let month = today.plus(-30)..today;
    let days = portal.store.plan_days(access, month).await?;
    let counted: Vec<i64> = days
        .iter()
        .filter(|day| day.counted)
        .map(|day| day.saved())
        .collect();
    Ok(PlanBody {
        sn: access.sn().to_string(),
        on,
        issued: planned_at.filter(|_| plan.is_some()),
        adopted: adopted_at.filter(|_| plan.is_some()),
        until: planned_at
            .filter(|_| plan.is_some())
            .map(|at| at + PLAN_LEASE),
        charge_target: charge_target
            .filter(|target| target.by > now)
            .map(|target| ChargeTargetEntry {
                soc: target.soc,
                by: target.by,
            }),
        blocks: plan
            .iter()
            .flat_map(|plan| &plan.blocks)
            .map(|it| block(it, access, &locale))
            .collect(),
        steps: plan
            .iter()
            .flat_map(|plan| {
                plan.steps
                    .iter()
                    .zip(0..)
                    .map(|(it, place)| (it, plan.start + place * QUARTER))
            })
            .map(|(it, start)| step(it, start, access))
            .collect(),
        saved: (!counted.is_empty()).then(|| counted.iter().sum()),
        currency: currency.code(),
        weather: WeatherEntry {
            since: notice.since,
            hits: notice.hits,
            false_alarms: notice.false_alarms,
        },
    })
}

const QUARTER: Millis = 15 * domain::clock::MINUTE;

/// Wh as % of the usable capacity, with one decimal.
fn percent(stored: i64, access: &Access) -> Option<Box<RawValue>> {
    let capacity = access.capacity().filter(|wh| *wh > 0)?;
    Some(decimal((stored * 1000 + capacity / 2) / capacity, 1))
}

fn block(block: &ChargePlanBlock, access: &Access, locale: &Locale<'_>) -> BlockEntry {
    BlockEntry {
        start: block.start,
        end: block.end,
        mode: match block.mode {
            ChargePlanMode::SelfUse => ModeName::SelfUse,
            ChargePlanMode::Hold => ModeName::Hold,
            ChargePlanMode::Charge => ModeName::Charge,
        },
        kw: decimal(block.power, 3),
        price: decimal(block.price, 2),
        soc: percent(block.stored, access),
        reason: reason(block, locale),
    }
}

fn step(step: &ChargePlanStep, start: Millis, access: &Access) -> PlanStepEntry {
    PlanStepEntry {
        start,
        price: decimal(step.price, 2),
        known: step.known,
        soc: percent(step.stored, access),
        low: percent(step.low, access),
        high: percent(step.high, access),
    }
}
