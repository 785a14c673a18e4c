//! Tariffs: what a kWh costs and earns at a system from a day on, as its owner entered it.
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::{AccountId, Price, Serial, SiteDay, Tariff, Zone};
use std::collections::HashMap;

/// Means the beginning; no day has this number.
const FROM_BEGINNING: i64 = 0;
/// How late prices can still be applied after their day, if nothing ran meanwhile.
const CATCH_UP_PERIOD: Millis = 40 * DAY;

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    from_day: i64,
    import_price: i64,
    feed_in_price: i64,
}

impl Row {
    fn tariff(&self) -> Result<Tariff> {
        let damaged = Error::Damaged;
        let price = |hundredths: i64| {
            Price::from_hundredths(hundredths).ok_or(damaged("tariffs.import_price, feed_in_price"))
        };
        let from = match self.from_day {
            FROM_BEGINNING => None,
            number => Some(SiteDay::from_number(number).ok_or(damaged("tariffs.from_day"))?),
        };
        Ok(Tariff {
            from,
            import_price: price(self.import_price)?,
            feed_in_price: price(self.feed_in_price)?,
        })
    }
}

#[derive(Debug, FromRow)]
struct DueTariffRow {
    account_id: i64,
    sn: String,
}

/// Ordered by day; the beginning comes first.
const SELECT: &str = "SELECT sn, from_day, import_price, feed_in_price FROM tariffs
     WHERE account_id = $1 AND sn = $2 ORDER BY from_day";

macro_rules! select_of {
    ($which:expr) => {
        concat!(
            "SELECT t.sn, t.from_day, t.import_price, t.feed_in_price FROM tariffs t
             JOIN systems y ON y.sn = t.sn AND y.owner_id = t.account_id WHERE t.sn",
            $which,
            " ORDER BY t.sn, t.from_day"
        )
    };
}

impl Store {
    /// The tariffs of a system, oldest first.
    pub async fn tariffs(&self, access: &Access) -> Result<Vec<Tariff>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(SELECT)
            .bind(owner(access)).bind(access.sn().as_str()).fetch_all(p).await)?;
        rows.iter().map(Row::tariff).collect()
    }

    /// The tariffs of these systems' present owners, oldest first.
    pub(crate) async fn tariffs_of(
        &self,
        systems: &[Serial],
    ) -> Result<HashMap<String, Vec<Tariff>>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_of, 1, systems)?;
        let mut tariffs: HashMap<String, Vec<Tariff>> = HashMap::new();
        for row in rows {
            let tariff = row.tariff()?;
            tariffs.entry(row.sn).or_default().push(tariff);
        }
        Ok(tariffs)
    }

    /// Owners and systems with prices that became valid recently or become valid about now.
    pub async fn systems_with_due_tariffs(&self, now: Millis) -> Result<Vec<(AccountId, Serial)>> {
        let near = |at| Zone::default().day_of(at).number();
        let begun: Vec<DueTariffRow> = on!(self, p => sqlx::query_as(
            "SELECT DISTINCT account_id, sn FROM tariffs WHERE from_day BETWEEN $1 AND $2")
            .bind(near(now - CATCH_UP_PERIOD)).bind(near(now + DAY)).fetch_all(p).await)?;
        let due = |DueTariffRow { account_id, sn }| {
            let sn = sn.parse().map_err(|_| Error::Damaged("tariffs.sn"))?;
            Ok((AccountId(account_id), sn))
        };
        begun.into_iter().map(due).collect()
    }
}

/// The prices belong to the owner, whichever account enters them.
fn owner(access: &Access) -> Option<i64> {
    access.owner().map(|owner| owner.0)
}

/// The tariffs of a system, oldest first.
pub async fn list(tx: &mut Tx, access: &Access) -> Result<Vec<Tariff>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(SELECT)
        .bind(owner(access)).bind(access.sn().as_str()).fetch_all(c).await)?;
    rows.iter().map(Row::tariff).collect()
}

/// A tariff that begins on the same day is replaced.
pub async fn write(tx: &mut Tx, access: &Access, tariff: &Tariff) -> Result<()> {
    // No prices can be set for a system without an owner.
    let Some(owner) = owner(access) else {
        return Ok(());
    };
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO tariffs (account_id, sn, from_day, import_price, feed_in_price) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (account_id, sn, from_day) DO UPDATE
             SET import_price = excluded.import_price, feed_in_price = excluded.feed_in_price"
        )
        .bind(owner)
        .bind(access.sn().as_str())
        .bind(tariff.from.map_or(FROM_BEGINNING, SiteDay::number))
        .bind(tariff.import_price.hundredths())
        .bind(tariff.feed_in_price.hundredths())
    )?;
    Ok(())
}

/// Erases the prices of a household that has left.
pub(crate) async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM tariffs WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}
