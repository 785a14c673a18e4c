//! Prices by the time of day, entered by the owner for a system.
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::source::{TariffStep, TimeOfUse};
use domain::{AccountId, Price, Serial};

#[derive(Debug, FromRow)]
struct Row {
    days: String,
    minute: i64,
    price: i64,
}

impl Row {
    fn step(&self) -> Result<TariffStep> {
        let damaged = Error::Damaged("time_of_use");
        let (Ok(days), Ok(minute), Some(price)) = (
            self.days.parse(),
            u16::try_from(self.minute),
            Price::from_hundredths(self.price),
        ) else {
            return Err(damaged);
        };
        Ok(TariffStep {
            days,
            minute,
            price,
        })
    }
}

impl Store {
    /// `None` until the owner has entered them.
    pub async fn time_of_use(&self, access: &Access) -> Result<Option<TimeOfUse>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT days, minute, price FROM time_of_use WHERE account_id = $1 AND sn = $2")
            .bind(access.owner().map(|owner| owner.0)).bind(access.sn().as_str()).fetch_all(p).await)?;
        if rows.is_empty() {
            return Ok(None);
        }
        let steps = rows.iter().map(Row::step).collect::<Result<_>>()?;
        let steps = TimeOfUse::new(steps).map_err(|_| Error::Damaged("time_of_use"))?;
        Ok(Some(steps))
    }
}

/// Replaces the earlier prices.
pub async fn set_time_of_use(
    tx: &mut Tx,
    owner: AccountId,
    sn: &Serial,
    tariff: &TimeOfUse,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("DELETE FROM time_of_use WHERE sn = $1").bind(sn.as_str())
    )?;
    for step in tariff.steps() {
        execute!(
            &mut *tx,
            sqlx::query("INSERT INTO time_of_use (account_id, sn, days, minute, price) VALUES ($1, $2, $3, $4, $5)")
                .bind(owner.0)
                .bind(sn.as_str())
                .bind(step.days.name())
                .bind(i64::from(step.minute))
                .bind(step.price.hundredths())
        )?;
    }
    Ok(())
}
