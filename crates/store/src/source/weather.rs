//! Weather forecasts of sites: each issue as it was said.
use super::write_state;
use crate::{Access, Error, Result, Store};
use domain::clock::{DAY, HOUR, Millis};
use domain::source::{Area, QUARTER, SourceState};
use domain::{Serial, Source};
use std::ops::Range;

/// Plants are learned from 30 days; some more, as a day may be missing.
const WEATHER_KEPT: Millis = 45 * DAY;
/// Every issue of so long; of what is older one in three hours is enough.
const WHOLE: Millis = 2 * DAY;
const THINNED: Millis = 3 * HOUR;

/// What the weather lets the panels of a site yield.
#[derive(Clone, Debug, PartialEq)]
pub struct Weather {
    pub source: Source,
    pub issued_at: Millis,
    pub start: Millis,
    /// W by quarter-hours; `None` where it says nothing.
    pub watts: Vec<Option<i64>>,
}

#[derive(Debug)]
struct Row {
    source: String,
    issued_at: Millis,
    starts_at: Millis,
    watts: String,
}
row!(Row {
    source,
    issued_at,
    starts_at,
    watts
});

impl Row {
    fn weather(self) -> Result<Weather> {
        let damaged = || Error::Damaged("weather_forecasts");
        Ok(Weather {
            source: self.source.parse().map_err(|_| damaged())?,
            issued_at: self.issued_at,
            start: self.starts_at,
            watts: serde_json::from_str(&self.watts).map_err(|_| damaged())?,
        })
    }
}

impl Store {
    /// Keeps an issue for the systems of one site, and that there was one.
    pub async fn keep_weather(
        &self,
        systems: &[Serial],
        weather: &Weather,
        state: SourceState,
    ) -> Result<()> {
        let watts = serde_json::to_string(&weather.watts).unwrap_or_default();
        let mut tx = self.begin().await?;
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
    pub async fn weather(&self, access: &Access) -> Result<Option<Weather>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT source, issued_at, starts_at, watts FROM weather_forecasts WHERE sn = $1 ORDER BY issued_at DESC LIMIT 1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        row.map(Row::weather).transpose()
    }

    /// What was last said before each quarter-hour of a range began; of those to come, what is said now. Two sources do not see
    /// a plant alike, so that it is one source's word: that of the newest issue.
    pub async fn weather_said(
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
            .bind(access.sn().as_str()).bind(newest.source.name()).bind(range.start - WHOLE).bind(range.end)
            .fetch_all(p).await)?;
        for row in rows {
            let issue = row.weather()?;
            for (n, watt) in issue.watts.iter().enumerate() {
                let start = issue.start + n as Millis * QUARTER;
                // A forecast of what was already there is hindsight.
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
        execute!(on self, sqlx::query("DELETE FROM weather_forecasts WHERE issued_at < $1").bind(now - WEATHER_KEPT))?;
        execute!(on self, sqlx::query(
            "DELETE FROM weather_forecasts WHERE issued_at < $1 AND EXISTS (
                 SELECT 1 FROM weather_forecasts f WHERE f.sn = weather_forecasts.sn AND f.issued_at < weather_forecasts.issued_at
                     AND f.issued_at / $2 = weather_forecasts.issued_at / $2)")
            .bind(now - WHOLE).bind(THINNED))?;
        Ok(())
    }
}
