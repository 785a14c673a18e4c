//! Planning of a system: its charge plan and charge target, its forecasts as issued, the results of planned days, and the
//! bad-weather notice.

mod chart;
mod day;
mod erase;
mod forecast;
mod models;
mod plan;
mod plan_queries;
mod weather_notice;

pub use day::PlanDay;
pub(crate) use erase::erase_for_former_owner;
pub use forecast::{IssuedForecast, Percentiles};
pub use models::StoredModels;
pub use plan::{
    BlockAlternative, BlockReason, ChargePlan, ChargePlanBlock, ChargePlanMode, ChargePlanStep,
    RunningBlock,
};
pub(crate) use plan_queries::planning_enabled;
pub use plan_queries::{
    NewPlan, PlanOrder, PlannedRules, PlannedSystem, check_plan, clear_plan, currency, save_plan,
    set_charge_target,
};
pub use weather_notice::{WeatherNotice, save_weather_notice};

use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::clock::{HOUR, Millis};
use serde::de::DeserializeOwned;

/// A battery follows a plan for this long after it was last calculated. Without contact or without a running planner it then
/// returns to self-consumption.
pub const PLAN_LEASE: Millis = HOUR;

/// The state of planning for a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planning {
    /// When its newest forecast was issued.
    pub forecast_at: Option<Millis>,
    /// Since when it has been planned.
    pub since: Option<Millis>,
    pub planned_at: Option<Millis>,
    /// When the plan's next action last changed.
    pub adopted_at: Option<Millis>,
    pub plan: Option<ChargePlan>,
    pub running: Option<RunningBlock>,
    pub charge_target: Option<ChargeTarget>,
    pub notice: WeatherNotice,
}

/// "70 % by 18:00".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargeTarget {
    pub soc: i64,
    pub by: Millis,
}

/// A row of the table.
#[derive(Debug, FromRow)]
struct Row {
    forecast_at: Option<Millis>,
    since: Option<Millis>,
    planned_at: Option<Millis>,
    adopted_at: Option<Millis>,
    plan: Option<String>,
    running: Option<String>,
    wish_soc: Option<i64>,
    wish_by: Option<Millis>,
    weather_since: Option<Millis>,
    weather_disagreed: i64,
    weather_hits: i64,
    weather_false_alarms: i64,
}

impl Row {
    fn planning(self) -> Result<Planning> {
        let charge_target = self.wish_soc.zip(self.wish_by);
        Ok(Planning {
            forecast_at: self.forecast_at,
            since: self.since,
            planned_at: self.planned_at,
            adopted_at: self.adopted_at,
            plan: parse_json(self.plan.as_deref(), "planning.plan")?,
            running: parse_json(self.running.as_deref(), "planning.running")?,
            charge_target: charge_target.map(|(soc, by)| ChargeTarget { soc, by }),
            notice: WeatherNotice {
                since: self.weather_since,
                disagreed: self.weather_disagreed,
                hits: self.weather_hits,
                false_alarms: self.weather_false_alarms,
            },
        })
    }
}

fn parse_json<T: DeserializeOwned>(text: Option<&str>, column: &'static str) -> Result<Option<T>> {
    let read = text.map(serde_json::from_str).transpose();
    read.map_err(|_| Error::Damaged(column))
}

impl Store {
    /// The state of planning; empty for a system without a forecast.
    pub async fn planning(&self, access: &Access) -> Result<Planning> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT forecast_at, since, planned_at, adopted_at, plan, running, wish_soc, wish_by,
                 weather_since, weather_disagreed, weather_hits, weather_false_alarms FROM planning WHERE sn = $1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(Row::planning)
            .transpose()
            .map(Option::unwrap_or_default)
    }
}
