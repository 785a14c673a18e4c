//! The part of an export that is about prices and weather.
use super::list;
use crate::{Result, Store};
use domain::AccountId;
use domain::clock::Millis;
use serde_json::{Map, Value, json};

#[derive(Debug)]
struct TimeOfUseRow {
    sn: String,
    days: String,
    minute: i64,
    price: i64,
}
row!(TimeOfUseRow {
    sn,
    days,
    minute,
    price
});

#[derive(Debug)]
struct PriceRow {
    source: String,
    area: String,
    starts_at: Millis,
    ends_at: Millis,
    price: i64,
    fetched_at: Millis,
}
row!(PriceRow {
    source,
    area,
    starts_at,
    ends_at,
    price,
    fetched_at
});

#[derive(Debug)]
struct SourceStateRow {
    source: String,
    area: String,
    success_at: Option<Millis>,
    error: Option<String>,
    failing_since: Option<Millis>,
    tries: i64,
    next_at: Millis,
}
row!(SourceStateRow {
    source,
    area,
    success_at,
    error,
    failing_since,
    tries,
    next_at
});

#[derive(Debug)]
struct WeatherRow {
    sn: String,
    issued_at: Millis,
    source: String,
    starts_at: Millis,
    watts: String,
}
row!(WeatherRow {
    sn,
    issued_at,
    source,
    starts_at,
    watts
});

impl Store {
    pub(super) async fn export_sources(&self, account: AccountId) -> Result<Map<String, Value>> {
        let time_of_use: Vec<TimeOfUseRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, days, minute, price FROM time_of_use WHERE account_id = $1 ORDER BY sn, days, minute")
            .bind(account.0).fetch_all(p).await)?;
        // Those of a bidding zone are everybody's.
        let prices: Vec<PriceRow> = on!(self, p => sqlx::query_as(
            "SELECT source, area, starts_at, ends_at, price, fetched_at FROM prices
             WHERE area IN (SELECT sn FROM systems WHERE owner_id = $1) ORDER BY area, starts_at")
            .bind(account.0).fetch_all(p).await)?;
        let source_states: Vec<SourceStateRow> = on!(self, p => sqlx::query_as(
            "SELECT source, area, success_at, error, failing_since, tries, next_at FROM source_states
             WHERE area IN (SELECT sn FROM systems WHERE owner_id = $1) ORDER BY area, source")
            .bind(account.0).fetch_all(p).await)?;
        let weather: Vec<WeatherRow> = on!(self, p => sqlx::query_as(
            "SELECT f.sn, f.issued_at, f.source, f.starts_at, f.watts FROM weather_forecasts f JOIN systems s ON s.sn = f.sn
             WHERE s.owner_id = $1 ORDER BY f.sn, f.issued_at")
            .bind(account.0).fetch_all(p).await)?;
        let tables = json!({
            "time_of_use": list(&time_of_use, |t| json!({
                "sn": t.sn, "days": t.days, "minute": t.minute, "price": t.price,
            })),
            "prices": list(&prices, |p| json!({
                "source": p.source, "area": p.area, "starts_at": p.starts_at, "ends_at": p.ends_at, "price": p.price,
                "fetched_at": p.fetched_at,
            })),
            "source_states": list(&source_states, |s| json!({
                "source": s.source, "area": s.area, "success_at": s.success_at, "error": s.error,
                "failing_since": s.failing_since, "tries": s.tries, "next_at": s.next_at,
            })),
            "weather_forecasts": list(&weather, |w| json!({
                "sn": w.sn, "issued_at": w.issued_at, "source": w.source, "starts_at": w.starts_at, "watts": w.watts,
            })),
        });
        match tables {
            Value::Object(tables) => Ok(tables),
            _ => Ok(Map::new()),
        }
    }
}
