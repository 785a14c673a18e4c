//! Weather forecasts of sites: each issue as it was published.
use super::write_state;
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::clock::{DAY, HOUR, Millis};
use domain::source::{Area, QUARTER, SourceState};
use domain::{Serial, Source};
use std::ops::Range;

/// The model of a plant is fitted to 30 days; the rest is a reserve for missing days.
const WEATHER_RETENTION: Millis = 45 * DAY;
/// Every issue is stored for this long; of older ones, one in three hours is enough.
const FULL_RETENTION: Millis = 2 * DAY;
const THINNED_INTERVAL: Millis = 3 * HOUR;

/// What the panels of a site can yield in the forecast weather.
#[derive(Clone, Debug, PartialEq)]
pub struct WeatherForecast {
    pub source: Source,
    pub issued_at: Millis,
    pub start: Millis,
    /// W per quarter-hour; `None` where the forecast has no value.
    pub watts: Vec<Option<i64>>,
}

#[derive(Debug, FromRow)]
struct Row {
    source: String,
    issued_at: Millis,
    starts_at: Millis,
    watts: String,
}

impl Row {
    fn weather(self) -> Result<WeatherForecast> {
        let damaged = || Error::Damaged("weather_forecasts");
        Ok(WeatherForecast {
            source: self.source.parse().map_err(|_| damaged())?,
            issued_at: self.issued_at,
            start: self.starts_at,
            watts: serde_json::from_str(&self.watts).map_err(|_| damaged())?,
        })
    }
}

impl Store {
    /// Stores an issue for the systems of one site, and the new state of the source.
    pub async fn save_weather(
        &self,
        systems: &[Serial],
        weather: &WeatherForecast,
        state: SourceState,
    ) -> Result<()> {
        let watts = serde_json::to_string(&weather.watts).unwrap_or_default();
        let mut tx = self.db.begin().await?;
        for sn in systems {
            execute!(
                &mut tx,
                sqlx::query(
                    "INSERT INTO weather_forecasts (sn, issued_at, source, starts_at, watts) VALUES ($1, $2, $3, $4, $5)
                     ON CONFLICT (sn, issued_at) DO NOTHING"
                )
                .bind(sn.as_str())
                .bind(weather.issued_at)
                .bind(weather.source.name())
                .bind(weather.start)
                .bind(&watts)
            )?;
            write_state(&mut tx, weather.source, &Area::System(sn.clone()), state).await?;
        }
        tx.commit().await
    }

    /// The newest issue.
    pub async fn weather(&self, access: &Access) -> Result<Option<WeatherForecast>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT source, issued_at, starts_at, watts FROM weather_forecasts WHERE sn = $1 ORDER BY issued_at DESC LIMIT 1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(Row::weather).transpose()
    }

    /// The forecast for each quarter-hour of a range: the last one issued before it ended; for future ones the newest. All values
    /// come from the source of the newest issue, because two sources rate a plant differently.
    pub async fn weather_as_forecast(
        &self,
        access: &Access,
        range: Range<Millis>,
    ) -> Result<Vec<Option<f64>>> {
        let long = usize::try_from((range.end - range.start) / QUARTER).unwrap_or(0);
        let mut said = vec![None; long];
        let Some(newest) = self.weather(access).await? else {
            return Ok(said);
        };
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT source, issued_at, starts_at, watts FROM weather_forecasts
             WHERE sn = $1 AND source = $2 AND issued_at >= $3 AND issued_at < $4 ORDER BY issued_at")
            .bind(access.sn().as_str()).bind(newest.source.name()).bind(range.start - FULL_RETENTION).bind(range.end)
            .fetch_all(p).await)?;
        for row in rows {
            let issue = row.weather()?;
            for (n, watt) in issue.watts.iter().enumerate() {
                let start = issue.start + n as Millis * QUARTER;
                // A value for a quarter-hour that was over when the forecast was issued is hindsight.
                let known = start + QUARTER > issue.issued_at;
                let place = usize::try_from((start - range.start).div_euclid(QUARTER));
                if let (true, Ok(place), Some(watt)) = (known, place, watt)
                    && let Some(slot) = said.get_mut(place)
                {
                    *slot = Some(*watt as f64);
                }
            }
        }
        Ok(said)
    }

    pub(super) async fn purge_weather(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM weather_forecasts WHERE issued_at < $1").bind(now - WEATHER_RETENTION))?;
        execute!(on self, sqlx::query(
            "DELETE FROM weather_forecasts WHERE issued_at < $1 AND EXISTS (
                 SELECT 1 FROM weather_forecasts f WHERE f.sn = weather_forecasts.sn AND f.issued_at < weather_forecasts.issued_at
                     AND f.issued_at / $2 = weather_forecasts.issued_at / $2)")
            .bind(now - FULL_RETENTION).bind(THINNED_INTERVAL))?;
        Ok(())
    }
}
