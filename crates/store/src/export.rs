//! The export of everything that is stored about one account. A test compares it with the schema: a new table that references an
//! account must appear here, or in the test's list of exceptions with a reason.
mod table;

use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use serde_json::{Map, Value, json};
use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};
use telemetry::DayTotals;

/// How far back days are searched; no battery lives longer.
const MAX_HISTORY_DAYS: i32 = 25 * 366;

impl Store {
    /// One JSON object with a list per table. `None` for an unknown account.
    pub async fn export_account(&self, account: AccountId, now: Millis) -> Result<Option<Value>> {
        if self.account(account).await?.is_none() {
            return Ok(None);
        }
        let mut document = Map::new();
        for (table, query) in table::TABLES {
            let rows = self.export_rows(query, account).await?;
            document.insert((*table).to_owned(), Value::Array(rows));
        }
        let totals = self.export_totals(account, now).await?;
        document.insert("daily_totals".to_owned(), Value::Array(totals));
        let journal = self.journal_of(account).await?.into_iter();
        let journal = journal.map(|entry| {
            json!({
                "at": entry.at, "actor": entry.actor, "sn": entry.sn, "event": entry.event, "detail": entry.detail,
            })
        });
        document.insert("journal".to_owned(), journal.collect());
        Ok(Some(Value::Object(document)))
    }

    /// The rows of a query as JSON objects. A column is a truth value, a text or a whole number.
    async fn export_rows(&self, query: &'static str, account: AccountId) -> Result<Vec<Value>> {
        on!(self, p => {
            let rows = sqlx::query(query).bind(account.0).fetch_all(p).await?;
            let objects = rows.iter().map(|row| {
                let cells = row.columns().iter().map(|column| {
                    let (index, cell) = (column.ordinal(), row.try_get_raw(column.ordinal())?);
                    let value = match (column.type_info().name(), cell.type_info().name()) {
                        _ if cell.is_null() => Value::Null,
                        ("BOOLEAN" | "BOOL", _) => row.try_get::<bool, _>(index)?.into(),
                        (_, "TEXT") => row.try_get::<String, _>(index)?.into(),
                        _ => row.try_get::<i64, _>(index)?.into(),
                    };
                    Ok((column.name().to_owned(), value))
                });
                cells.collect::<Result<Map<_, _>>>().map(Value::Object)
            });
            objects.collect()
        })
    }

    /// The energy of every measured day, in Wh.
    async fn export_totals(&self, account: AccountId, now: Millis) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        for access in self.accesses(account).await? {
            let today = access.zone().day_of(now);
            let days = today.plus(-MAX_HISTORY_DAYS)..today.next();
            let totals = self.telemetry.daily_totals(access.site(), days).await?;
            let measured = |day: &&DayTotals| day.energy.iter().any(Option::is_some);
            for day in totals.iter().filter(measured) {
                let [import, feed_in, pv, charge, discharge] = day.energy;
                rows.push(json!({
                    "sn": access.sn().as_str(), "day": day.day.to_string(), "import": import, "feed_in": feed_in, "pv": pv,
                    "charge": charge, "discharge": discharge, "unplaced": day.unplaced.iter().sum::<i64>(),
                }));
            }
        }
        Ok(rows)
    }
}
