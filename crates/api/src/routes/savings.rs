//! Savings: what each day's electricity cost and earned, and what it would have cost without the battery.
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
    /// One serial number, or -1 (default) for all systems as one.
    #[serde(default)]
    #[param(value_type = OneOrAllSystems)]
    sn: String,
    /// `week_`, `month_` or `year_` and `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`; this month when missing.
    #[serde(default)]
    #[param(value_type = PeriodOfDays)]
    days: String,
}

/// A day in whole cents (grosz, rappen); null where the amount is not known.
#[derive(Serialize, ToSchema)]
pub(crate) struct SavingsRow {
    /// `YYYY-MM-DD`.
    day: String,
    /// What import cost.
    #[schema(required)]
    cost: Option<i64>,
    /// What feed-in earned.
    #[schema(required)]
    income: Option<i64>,
    /// Cost less income.
    #[schema(required)]
    actual: Option<i64>,
    /// The same, had the battery been left to itself; null where nobody planned, or too little of the day was measured.
    #[schema(required)]
    without_plan: Option<i64>,
    /// The same, had there been no battery.
    #[schema(required)]
    without_battery: Option<i64>,
    /// Whether the day's import and feed-in were measured and have a price, and of a planned day no more than a twentieth is missing.
    counted: bool,
}

/// What the days of a period cost, one row a day.
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
