//! Results of planned days.
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::SiteDay;
use std::ops::Range;

/// Amounts in whole cents: cost less income.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanDay {
    pub day: SiteDay,
    pub actual: i64,
    pub without_plan: i64,
    pub without_battery: i64,
    /// Enough of the day was measured and priced for a valid result.
    pub counted: bool,
    /// Wh in the battery after the day if it had not been planned. The next day's comparison starts from it.
    pub stored: i64,
}

impl PlanDay {
    /// Negative if self-consumption would have been better than the plan.
    pub fn saved(&self) -> i64 {
        self.without_plan - self.actual
    }
}

#[derive(Debug, FromRow)]
struct Row {
    day: i64,
    actual: i64,
    without_plan: i64,
    without_battery: i64,
    counted: bool,
    stored: i64,
}

impl Store {
    /// The planned days of a range, in order.
    pub async fn plan_days(&self, access: &Access, days: Range<SiteDay>) -> Result<Vec<PlanDay>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT day, actual, without_plan, without_battery, counted, stored FROM plan_days
             WHERE sn = $1 AND day >= $2 AND day < $3 ORDER BY day")
            .bind(access.sn().as_str()).bind(days.start.number()).bind(days.end.number()).fetch_all(p).await)?;
        let day = |row: Row| {
            Ok(PlanDay {
                day: SiteDay::from_number(row.day).ok_or(Error::Damaged("plan_days.day"))?,
                actual: row.actual,
                without_plan: row.without_plan,
                without_battery: row.without_battery,
                counted: row.counted,
                stored: row.stored,
            })
        };
        rows.into_iter().map(day).collect()
    }

    /// Stores a day; a day that is already stored stays as it is.
    pub async fn save_plan_day(&self, access: &Access, day: &PlanDay) -> Result<()> {
        execute!(on self, sqlx::query(
            "INSERT INTO plan_days (sn, day, actual, without_plan, without_battery, counted, stored)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (sn, day) DO NOTHING")
            .bind(access.sn().as_str()).bind(day.day.number()).bind(day.actual).bind(day.without_plan)
            .bind(day.without_battery).bind(day.counted).bind(day.stored))?;
        Ok(())
    }
}
