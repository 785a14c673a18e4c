//! Savings: the cost and income of each day, compared with the same day without a battery.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::Query;
use crate::parameter::{OneOrAllSystems, PeriodOfDays};
use crate::period;
use axum::Json;
use axum::extract::State;
use domain::SiteDay;
use domain::savings::DayBill;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::planning::PlanDay;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct SavingsQuery {
    /// One serial number, or -1 (default) for all systems combined.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// `week_`, `month_` or `year_` followed by `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`. Default: this month.
    #[serde(default)]
    #[param(value_type = PeriodOfDays)]
    days: String,
}

/// The amounts of one day, in whole cents (grosz, rappen). Null where an amount is not known.
#[derive(Serialize, ToSchema)]
pub(crate) struct SavingsRow {
    /// `YYYY-MM-DD`.
    day: String,
    /// The cost of import.
    #[schema(required)]
    cost: Option<i64>,
    /// The income from feed-in.
    #[schema(required)]
    income: Option<i64>,
    /// Cost minus income.
    #[schema(required)]
    actual: Option<i64>,
    /// What `actual` would have been without planning. Null if there was no plan, or too little of the day was measured.
    #[schema(required)]
    without_plan: Option<i64>,
    /// What `actual` would have been without a battery.
    #[schema(required)]
    without_battery: Option<i64>,
    /// Whether the day counts: import and feed-in were measured and have prices, and of a planned day at most 5 % is missing.
    counted: bool,
}

/// Get the savings of a period, one row per day.
#[utoipa::path(get, path = "/api/auth/savings/", tag = "money", params(SavingsQuery),
    responses((status = 200, body = [SavingsRow]), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn savings(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<SavingsQuery>,
) -> Result<Json<Vec<SavingsRow>>> {
    let choice = systems.one_or_all(&query.sn)?;
    let days = period::days(&query.days, &choice.zone(), portal.now())
        .map_err(|message| Error::field("days", message))?;
    let bills = portal.store.bills(choice.accesses(), days.clone()).await?;
    let mut planned: BTreeMap<SiteDay, Vec<PlanDay>> = BTreeMap::new();
    for access in choice.accesses() {
        for day in portal.store.plan_days(access, days.clone()).await? {
            planned.entry(day.day).or_default().push(day);
        }
    }
    let rows = SiteDay::each(days).map(|day| row(day, bills.get(&day), planned.get(&day)));
    Ok(Json(rows.collect()))
}

/// The plan's savings are computed per quarter-hour and added to the known cost of the day.
fn row(day: SiteDay, bill: Option<&DayBill>, planned: Option<&Vec<PlanDay>>) -> SavingsRow {
    let planned = planned.map_or(&[][..], Vec::as_slice);
    let enough = planned.iter().all(|day| day.counted);
    let saved =
        (enough && !planned.is_empty()).then(|| planned.iter().map(PlanDay::saved).sum::<i64>());
    SavingsRow {
        day: day.to_string(),
        cost: bill.map(|bill| bill.cost),
        income: bill.map(|bill| bill.income),
        actual: bill.map(DayBill::actual),
        without_plan: bill.and_then(|bill| Some(bill.actual() + saved?)),
        without_battery: bill.and_then(|bill| bill.without_battery),
        counted: bill.is_some() && enough,
    }
}
