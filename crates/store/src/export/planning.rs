//! Planning in an export: plans and wishes, which forecasts there are, and what planned days came to.
use super::list;
use crate::planning::{Row, select};
use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use serde_json::{Value, json};

#[derive(Debug)]
struct ForecastRow {
    sn: String,
    issued_at: Millis,
}
row!(ForecastRow { sn, issued_at });

#[derive(Debug)]
struct PlanDayRow {
    sn: String,
    day: i64,
    actual: i64,
    without_plan: i64,
    without_battery: i64,
    counted: bool,
    stored: i64,
}
row!(PlanDayRow {
    sn,
    day,
    actual,
    without_plan,
    without_battery,
    counted,
    stored
});

impl Store {
    /// A list for each table.
    pub(super) async fn export_planning(
        &self,
        account: AccountId,
    ) -> Result<[(&'static str, Vec<Value>); 3]> {
        let planning: Vec<Row> = on!(self, p => sqlx::query_as(select!(
            "JOIN systems s ON s.sn = p.sn WHERE s.owner_id = $1 ORDER BY p.sn"))
            .bind(account.0).fetch_all(p).await)?;
        let forecasts: Vec<ForecastRow> = on!(self, p => sqlx::query_as(
            "SELECT f.sn, f.issued_at FROM forecasts f JOIN systems s ON s.sn = f.sn
             WHERE s.owner_id = $1 ORDER BY f.sn, f.issued_at")
            .bind(account.0).fetch_all(p).await)?;
        let days: Vec<PlanDayRow> = on!(self, p => sqlx::query_as(
            "SELECT d.sn, d.day, d.actual, d.without_plan, d.without_battery, d.counted, d.stored
             FROM plan_days d JOIN systems s ON s.sn = d.sn WHERE s.owner_id = $1 ORDER BY d.sn, d.day")
            .bind(account.0).fetch_all(p).await)?;
        let planning = list(&planning, |p| {
            json!({
                "sn": p.sn, "forecast_at": p.forecast_at, "since": p.since, "planned_at": p.planned_at,
                "adopted_at": p.adopted_at, "plan": p.plan, "running": p.running, "wish_soc": p.wish_soc,
                "wish_by": p.wish_by, "weather_since": p.weather_since, "weather_disagreed": p.weather_disagreed,
                "weather_hits": p.weather_hits, "weather_false_alarms": p.weather_false_alarms,
            })
        });
        // What each said is in the charts, as ef and lf.
        let forecasts = list(
            &forecasts,
            |f| json!({ "sn": f.sn, "issued_at": f.issued_at }),
        );
        let days = list(&days, |d| {
            json!({
                "sn": d.sn, "day": d.day, "actual": d.actual, "without_plan": d.without_plan,
                "without_battery": d.without_battery, "counted": d.counted, "stored": d.stored,
            })
        });
        Ok([
            ("planning", planning),
            ("forecasts", forecasts),
            ("plan_days", days),
        ])
    }
}
