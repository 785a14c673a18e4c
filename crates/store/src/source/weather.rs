//! Weather forecasts, each issue as it was published, and read as what the panels of a system can yield: the irradiance of the
//! system's cell or, while that has no answer, the yield of its roof.
use super::poll::write_state;
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::Source;
use domain::clock::{DAY, HOUR, Millis};
use domain::site::Planes;
use domain::source::{Area, QUARTER, SourceState};
use domain::weather::{CellForecast, Irradiance, WeatherCell, roof_power};
use std::ops::Range;

/// The model of a plant is fitted to 30 days; the rest is a reserve for missing days.
const WEATHER_RETENTION: Millis = 45 * DAY;
/// Every issue is stored for this long; of older ones, one in three hours is enough.
const FULL_RETENTION: Millis = 2 * DAY;
const THINNED_INTERVAL: Millis = 3 * HOUR;
/// Issues are thinned out within this time after [`FULL_RETENTION`], so that not all are read again and again.
const THINNING_WINDOW: Millis = DAY;

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
struct YieldRow {
    source: String,
    issued_at: Millis,
    starts_at: Millis,
    watts: String,
}

impl YieldRow {
    fn weather(self) -> Result<WeatherForecast> {
        Ok(WeatherForecast {
            source: self
                .source
                .parse()
                .map_err(|_| Error::Damaged("weather_forecasts"))?,
            issued_at: self.issued_at,
            start: self.starts_at,
            watts: parse_list(&self.watts, "weather_forecasts")?,
        })
    }
}

#[derive(Debug, FromRow)]
struct CellRow {
    issued_at: Millis,
    starts_at: Millis,
    direct: String,
    diffuse: String,
}

impl CellRow {
    fn quarters(&self) -> Result<Vec<Option<Irradiance>>> {
        let direct = parse_list(&self.direct, "cell_weather")?;
        let diffuse = parse_list(&self.diffuse, "cell_weather")?;
        let both = direct.into_iter().zip(diffuse);
        let quarter = |(direct, diffuse): (Option<i64>, Option<i64>)| {
            let (direct, diffuse) = direct.zip(diffuse)?;
            Some(Irradiance { direct, diffuse })
        };
        Ok(both.map(quarter).collect())
    }
}

fn parse_list(text: &str, table: &'static str) -> Result<Vec<Option<i64>>> {
    serde_json::from_str(text).map_err(|_| Error::Damaged(table))
}

/// Collects what was forecast for each quarter-hour of a range: the last value issued before it ended.
struct AsForecast<T> {
    start: Millis,
    values: Vec<Option<T>>,
}

impl<T: Copy> AsForecast<T> {
    fn new(range: &Range<Millis>) -> Self {
        let long = usize::try_from((range.end - range.start) / QUARTER).unwrap_or(0);
        Self {
            start: range.start,
            values: vec![None; long],
        }
    }

    /// Issues must be added in order.
    fn add(&mut self, issued_at: Millis, start: Millis, values: &[Option<T>]) {
        for (n, value) in values.iter().enumerate() {
            let at = start + n as Millis * QUARTER;
            // A value for a quarter-hour that was over when the forecast was issued is hindsight.
            let known = at + QUARTER > issued_at;
            let place = usize::try_from((at - self.start).div_euclid(QUARTER));
            if let (true, Ok(place), Some(value)) = (known, place, value)
                && let Some(slot) = self.values.get_mut(place)
            {
                *slot = Some(*value);
            }
        }
    }
}

impl Store {
    /// Stores an issue for a cell, and the new state of its poll.
    pub async fn save_cell_weather(
        &self,
        cell: WeatherCell,
        issued_at: Millis,
        forecast: &CellForecast,
        state: SourceState,
    ) -> Result<()> {
        let list = |part: fn(Irradiance) -> i64| {
            let values = forecast.quarters.iter().map(|quarter| quarter.map(part));
            serde_json::to_string(&values.collect::<Vec<_>>()).unwrap_or_default()
        };
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO cell_weather (cell, issued_at, starts_at, direct, diffuse) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (cell, issued_at) DO NOTHING"
            )
            .bind(cell.to_string())
            .bind(issued_at)
            .bind(forecast.start)
            .bind(list(|quarter| quarter.direct))
            .bind(list(|quarter| quarter.diffuse))
        )?;
        write_state(&mut tx, Source::OpenMeteo, &Area::Cell(cell), state).await?;
        tx.commit().await
    }

    /// The newest issue.
    pub async fn weather(&self, access: &Access) -> Result<Option<WeatherForecast>> {
        let own: Option<YieldRow> = on!(self, p => sqlx::query_as(
            "SELECT source, issued_at, starts_at, watts FROM weather_forecasts WHERE sn = $1 ORDER BY issued_at DESC LIMIT 1")
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        let own = own.map(YieldRow::weather).transpose()?;
        let Some((cell, planes)) = self.cell_and_planes(access).await? else {
            return Ok(own);
        };
        let row: Option<CellRow> = on!(self, p => sqlx::query_as(
            "SELECT issued_at, starts_at, direct, diffuse FROM cell_weather WHERE cell = $1 ORDER BY issued_at DESC LIMIT 1")
            .bind(cell.to_string()).fetch_optional(p).await)?;
        let newer = |row: &CellRow| {
            own.as_ref()
                .is_none_or(|own| own.issued_at <= row.issued_at)
        };
        let Some(row) = row.filter(newer) else {
            return Ok(own);
        };
        let quarters = row.quarters()?.into_iter().enumerate();
        let watts = quarters.map(|(n, quarter)| {
            let start = row.starts_at + n as Millis * QUARTER;
            quarter.map(|quarter| roof_power(quarter, cell, &planes, start).round() as i64)
        });
        Ok(Some(WeatherForecast {
            source: Source::OpenMeteo,
            issued_at: row.issued_at,
            start: row.starts_at,
            watts: watts.collect(),
        }))
    }

    /// The forecast for each quarter-hour of a range, in W: the last one issued before it ended; for future ones the newest. All
    /// values come from the source of the newest issue, because two sources rate a plant differently.
    pub async fn weather_as_forecast(
        &self,
        access: &Access,
        range: Range<Millis>,
    ) -> Result<Vec<Option<f64>>> {
        let issued = range.start - FULL_RETENTION..range.end;
        let own = self.own_issues(access, &issued).await?;
        let roof = self.cell_and_planes(access).await?;
        let cell_issues = match &roof {
            Some((cell, _)) => self.cell_issues(*cell, &issued).await?,
            None => Vec::new(),
        };
        let newest_own = own.last().map(|issue| issue.issued_at);
        let newest_cell = cell_issues.last().map(|issue| issue.issued_at);
        let source = match newest_cell >= newest_own {
            true => Some(Source::OpenMeteo),
            false => own.last().map(|issue| issue.source),
        };
        // Open-Meteo was asked by roofs before it was asked by cells; these issues are used until they expire.
        let mut watts = AsForecast::new(&range);
        for issue in own.iter().filter(|issue| Some(issue.source) == source) {
            watts.add(issue.issued_at, issue.start, &issue.watts);
        }
        let mut said: Vec<Option<f64>> = watts
            .values
            .into_iter()
            .map(|watt| watt.map(|watt| watt as f64))
            .collect();
        if let (Some(Source::OpenMeteo), Some((cell, planes))) = (source, roof) {
            let mut quarters = AsForecast::new(&range);
            for issue in cell_issues {
                quarters.add(issue.issued_at, issue.starts_at, &issue.quarters()?);
            }
            for (n, (slot, quarter)) in said.iter_mut().zip(quarters.values).enumerate() {
                let start = range.start + n as Millis * QUARTER;
                let power = quarter.map(|quarter| roof_power(quarter, cell, &planes, start));
                *slot = power.or(*slot);
            }
        }
        Ok(said)
    }

    async fn cell_and_planes(&self, access: &Access) -> Result<Option<(WeatherCell, Planes)>> {
        let site = self.site(access).await?;
        Ok(site.and_then(|site| Some((WeatherCell::of(site.coordinates?), site.planes))))
    }

    async fn own_issues(
        &self,
        access: &Access,
        issued: &Range<Millis>,
    ) -> Result<Vec<WeatherForecast>> {
        let rows: Vec<YieldRow> = on!(self, p => sqlx::query_as(
            "SELECT source, issued_at, starts_at, watts FROM weather_forecasts
             WHERE sn = $1 AND issued_at >= $2 AND issued_at < $3 ORDER BY issued_at")
            .bind(access.sn().as_str()).bind(issued.start).bind(issued.end).fetch_all(p).await)?;
        rows.into_iter().map(YieldRow::weather).collect()
    }

    async fn cell_issues(&self, cell: WeatherCell, issued: &Range<Millis>) -> Result<Vec<CellRow>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT issued_at, starts_at, direct, diffuse FROM cell_weather
             WHERE cell = $1 AND issued_at >= $2 AND issued_at < $3 ORDER BY issued_at")
            .bind(cell.to_string()).bind(issued.start).bind(issued.end).fetch_all(p).await)?)
    }

    pub(super) async fn purge_weather(&self, now: Millis) -> Result<()> {
        for table in [
            "DELETE FROM weather_forecasts WHERE issued_at < $1",
            "DELETE FROM cell_weather WHERE issued_at < $1",
        ] {
            execute!(on self, sqlx::query(table).bind(now - WEATHER_RETENTION))?;
        }
        let until = now - FULL_RETENTION;
        for table in [
            "DELETE FROM weather_forecasts WHERE issued_at >= $1 AND issued_at < $2 AND EXISTS (
                 SELECT 1 FROM weather_forecasts f WHERE f.sn = weather_forecasts.sn AND f.issued_at < weather_forecasts.issued_at
                     AND f.issued_at / $3 = weather_forecasts.issued_at / $3)",
            "DELETE FROM cell_weather WHERE issued_at >= $1 AND issued_at < $2 AND EXISTS (
                 SELECT 1 FROM cell_weather f WHERE f.cell = cell_weather.cell AND f.issued_at < cell_weather.issued_at
                     AND f.issued_at / $3 = cell_weather.issued_at / $3)",
        ] {
            execute!(on self, sqlx::query(table)
                .bind(until - THINNING_WINDOW).bind(until).bind(THINNED_INTERVAL))?;
        }
        Ok(())
    }
}
