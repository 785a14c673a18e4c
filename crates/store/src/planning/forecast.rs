//! Forecasts as they were issued. All are kept for two days and four a day for a year, to compare them with what was measured.
use crate::job_lease::JobLease;
use crate::{Access, Error, Result, Store};
use db::FromRow;
use domain::Serial;
use domain::clock::{DAY, HOUR, MINUTE, Millis};
use telemetry::{pack, unpack};

/// How long every issue is kept.
const FULL_RETENTION: Millis = 2 * DAY;
/// Of older issues, one in each of these intervals is kept.
const THINNED_INTERVAL: Millis = 6 * HOUR;
const THINNED_RETENTION: Millis = 365 * DAY;
const QUARTER: Millis = 15 * MINUTE;
const DB_COLUMN: &str = "forecasts.body";
/// Rounding step in W; finer than the accuracy of any forecast.
const GRAIN_W: i64 = 5;

/// P10, P50 and P90 of one quarter-hour, in W.
pub type Percentiles = [i64; 3];

/// One issue: a value per quarter-hour from `start` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssuedForecast {
    pub issued_at: Millis,
    pub start: Millis,
    pub load: Vec<Percentiles>,
    pub pv: Vec<Percentiles>,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    issued_at: Millis,
    body: Vec<u8>,
}

impl IssuedForecast {
    /// The same values rounded as by storing and reading them.
    #[must_use]
    pub fn rounded_to_grain(mut self) -> Self {
        for band in self.load.iter_mut().chain(&mut self.pv) {
            *band = band.map(|watt| (watt + GRAIN_W / 2).div_euclid(GRAIN_W) * GRAIN_W);
        }
        self
    }

    /// Load and PV in the quarter-hour that contains this moment.
    pub fn at(&self, moment: Millis) -> Option<(Percentiles, Percentiles)> {
        let place = usize::try_from((moment - self.start).div_euclid(QUARTER)).ok()?;
        Some((*self.load.get(place)?, *self.pv.get(place)?))
    }

    fn body(&self) -> Result<Vec<u8>> {
        let columns = [&self.load, &self.pv].into_iter().flat_map(|bands| {
            // P50 is stored as it is, P10 and P90 as distances from it.
            let column =
                |of: fn(&Percentiles) -> i64| -> Vec<i64> { bands.iter().map(of).collect() };
            [
                column(|band| band[1] / GRAIN_W),
                column(|band| (band[1] - band[0]) / GRAIN_W),
                column(|band| (band[2] - band[1]) / GRAIN_W),
            ]
        });
        let columns: Vec<Vec<i64>> = columns.collect();
        pack(&[self.issued_at - self.start], &columns)
    }

    fn of(row: &Row) -> Result<Self> {
        let (head, columns) = unpack(&row.body, 1, 6, DB_COLUMN)?;
        let ([before], [load, load_low, load_high, pv, pv_low, pv_high]) =
            (&head[..], &columns[..])
        else {
            return Err(Error::Damaged(DB_COLUMN));
        };
        let bands = |middle: &[i64], low: &[i64], high: &[i64]| -> Vec<Percentiles> {
            let parts = middle.iter().zip(low).zip(high);
            let band = |((middle, low), high): ((&i64, &i64), &i64)| {
                [middle - low, *middle, middle + high].map(|grains| grains * GRAIN_W)
            };
            parts.map(band).collect()
        };
        Ok(Self {
            issued_at: row.issued_at,
            start: row.issued_at - before,
            load: bands(load, load_low, load_high),
            pv: bands(pv, pv_low, pv_high),
        })
    }
}

macro_rules! select_newest {
    ($which:expr) => {
        concat!(
            "SELECT f.sn, f.issued_at, f.body FROM planning p JOIN forecasts f ON f.sn = p.sn AND f.issued_at = p.forecast_at
             WHERE f.issued_at > $1 AND p.sn",
            $which
        )
    };
}

impl Store {
    /// Stores an issue. `before` is the issue that it follows; `false` when another process was faster, or plans this system now.
    pub async fn save_forecast(
        &self,
        lease: JobLease,
        sn: &Serial,
        issue: &IssuedForecast,
        before: Option<Millis>,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        if !lease.is_held(&mut tx).await? {
            return Ok(false);
        }
        execute!(
            &mut tx,
            sqlx::query("INSERT INTO planning (sn) VALUES ($1) ON CONFLICT (sn) DO NOTHING")
                .bind(sn.as_str())
        )?;
        let first = execute!(
            &mut tx,
            sqlx::query("UPDATE planning SET forecast_at = $2 WHERE sn = $1 AND forecast_at IS NOT DISTINCT FROM $3")
                .bind(sn.as_str())
                .bind(issue.issued_at)
                .bind(before)
        )?;
        if first == 0 {
            return Ok(false);
        }
        let body = issue.body()?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO forecasts (sn, issued_at, body) VALUES ($1, $2, $3) ON CONFLICT (sn, issued_at) DO NOTHING"
            )
            .bind(sn.as_str())
            .bind(issue.issued_at)
            .bind(body)
        )?;
        tx.commit_invalidating(std::iter::empty()).await?;
        Ok(true)
    }

    /// The issues of a system in a time range, oldest first.
    pub async fn forecasts(
        &self,
        access: &Access,
        issued: std::ops::Range<Millis>,
    ) -> Result<Vec<IssuedForecast>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, issued_at, body FROM forecasts WHERE sn = $1 AND issued_at >= $2 AND issued_at < $3 ORDER BY issued_at")
            .bind(access.sn().as_str()).bind(issued.start.max(access.history_from())).bind(issued.end).fetch_all(p).await)?;
        rows.iter().map(IssuedForecast::of).collect()
    }

    /// The newest issue of a system, if it reaches beyond this moment.
    pub async fn newest_forecast(
        &self,
        access: &Access,
        now: Millis,
    ) -> Result<Option<IssuedForecast>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, issued_at, body FROM forecasts WHERE sn = $1 AND issued_at > $2 ORDER BY issued_at DESC LIMIT 1")
            .bind(access.sn().as_str()).bind((now - 2 * DAY).max(access.history_from())).fetch_optional(p).await)?;
        row.as_ref().map(IssuedForecast::of).transpose()
    }

    /// The newest issue of each of these systems, if it was made after this moment.
    pub async fn newest_forecasts_of(
        &self,
        systems: &[Serial],
        after: Millis,
    ) -> Result<Vec<(Serial, IssuedForecast)>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_newest, 2, systems, after)?;
        let issue = |row: &Row| {
            let sn = row.sn.parse().map_err(|_| Error::Damaged("forecasts.sn"))?;
            Ok((sn, IssuedForecast::of(row)?))
        };
        rows.iter().map(issue).collect()
    }

    /// Deletes issues that are no longer needed.
    pub async fn purge_forecasts(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query(
            "DELETE FROM forecasts WHERE issued_at < $1 OR (issued_at < $2 AND issued_at % $3 >= $4)")
            .bind(now - THINNED_RETENTION).bind(now - FULL_RETENTION).bind(THINNED_INTERVAL).bind(QUARTER))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_read_as_it_was_written_and_takes_little() {
        let band = |n: i64| [n * 3, n * 5, n * 9];
        let issue = IssuedForecast {
            issued_at: 1_794_740_430_000,
            start: 1_794_740_400_000,
            load: (0..192).map(band).collect(),
            pv: (0..192).map(|n| band(n * 7 % 90)).collect(),
        }
        .rounded_to_grain();
        let row = Row {
            sn: "SC000001".into(),
            issued_at: issue.issued_at,
            body: issue.body().unwrap(),
        };
        assert_eq!(IssuedForecast::of(&row).unwrap(), issue);
        assert!(row.body.len() < 1_500, "{}", row.body.len());
        assert_eq!(
            issue.at(issue.start + QUARTER).map(|(load, _)| load),
            Some([5, 5, 10])
        );
        assert_eq!(issue.at(issue.start - 1), None);
        let damaged = Row {
            body: row.body[..20].to_vec(),
            ..row
        };
        assert!(IssuedForecast::of(&damaged).is_err());
    }
}
