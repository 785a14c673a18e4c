//! Planning of a system: its charge plan with the wish behind it, the forecasts as they were issued, what planned days came to,
//! and the bad-weather notice.

mod chart;
mod day;
mod forecast;
mod kept;
mod leave;
mod notice;
mod work;

pub use day::PlanDay;
pub use forecast::{Issue, Percentiles};
pub use kept::{Block, Instead, Mode, Plan, Reason, Running, Step};
pub(crate) use leave::leave;
pub use notice::{Notice, Told};
pub(crate) use work::plans;
pub use work::{NewPlan, Outcome, PlanOrder, Planned, PlannedRules};

use crate::{Access, Error, Result, Store};
use domain::clock::{HOUR, Millis};
use serde::de::DeserializeOwned;

/// A battery follows a plan for so long after it was last reckoned. Without contact, or without anybody who plans, it then goes
/// back to self-consumption.
pub const LEASE: Millis = HOUR;

/// How planning stands at a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Planning {
    /// The newest issue of its forecasts.
    pub forecast_at: Option<Millis>,
    /// Since when somebody plans for it.
    pub since: Option<Millis>,
    pub planned_at: Option<Millis>,
    /// When what it does next last changed.
    pub adopted_at: Option<Millis>,
    pub plan: Option<Plan>,
    pub running: Option<Running>,
    pub wish: Option<Wish>,
    pub notice: Notice,
}

/// "70 % by 18:00".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    pub soc: i64,
    pub by: Millis,
}

/// As it is kept.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) sn: String,
    pub(crate) forecast_at: Option<Millis>,
    pub(crate) since: Option<Millis>,
    pub(crate) planned_at: Option<Millis>,
    pub(crate) adopted_at: Option<Millis>,
    pub(crate) plan: Option<String>,
    pub(crate) running: Option<String>,
    pub(crate) wish_soc: Option<i64>,
    pub(crate) wish_by: Option<Millis>,
    pub(crate) weather_since: Option<Millis>,
    pub(crate) weather_disagreed: i64,
    pub(crate) weather_hits: i64,
    pub(crate) weather_false_alarms: i64,
}
row!(Row {
    sn,
    forecast_at,
    since,
    planned_at,
    adopted_at,
    plan,
    running,
    wish_soc,
    wish_by,
    weather_since,
    weather_disagreed,
    weather_hits,
    weather_false_alarms
});

/// Rows of `planning p`; what follows says which.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT p.sn, p.forecast_at, p.since, p.planned_at, p.adopted_at, p.plan, p.running, p.wish_soc, p.wish_by,
                p.weather_since, p.weather_disagreed, p.weather_hits, p.weather_false_alarms FROM planning p ",
            $which
        )
    };
}
pub(crate) use select;

impl Row {
    fn planning(self) -> Result<Planning> {
        let wish = self.wish_soc.zip(self.wish_by);
        Ok(Planning {
            forecast_at: self.forecast_at,
            since: self.since,
            planned_at: self.planned_at,
            adopted_at: self.adopted_at,
            plan: read(self.plan.as_deref(), "planning.plan")?,
            running: read(self.running.as_deref(), "planning.running")?,
            wish: wish.map(|(soc, by)| Wish { soc, by }),
            notice: Notice {
                since: self.weather_since,
                disagreed: self.weather_disagreed,
                hits: self.weather_hits,
                false_alarms: self.weather_false_alarms,
            },
        })
    }
}

fn read<T: DeserializeOwned>(text: Option<&str>, column: &'static str) -> Result<Option<T>> {
    let read = text.map(serde_json::from_str).transpose();
    read.map_err(|_| Error::Damaged(column))
}

impl Store {
    /// How planning stands; of a system that nobody has forecast yet, nothing is known.
    pub async fn planning(&self, access: &Access) -> Result<Planning> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!("WHERE p.sn = $1"))
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(Row::planning)
            .transpose()
            .map(Option::unwrap_or_default)
    }
}
