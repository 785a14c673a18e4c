//! Forecasts as they were issued. All of them are kept for two days, and four a day for a year: enough to hold them against what came.
use crate::telemetry::pack::{pack, unpack};
use crate::{Access, Error, Result, Store};
use domain::Serial;
use domain::clock::{DAY, HOUR, MINUTE, Millis};

/// Every issue is kept for so long …
const ALL_KEPT: Millis = 2 * DAY;
/// … and one in each of these for longer.
const AUDITED: Millis = 6 * HOUR;
const AUDITED_KEPT: Millis = 365 * DAY;
const QUARTER: Millis = 15 * MINUTE;
const WHAT: &str = "forecasts.body";
/// Finer than any forecast is right, in W.
const GRAIN: i64 = 5;

/// P10, P50 and P90 of one quarter-hour, in W.
pub type Percentiles = [i64; 3];

/// One issue: quarter-hours from `start` on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    pub issued_at: Millis,
    pub start: Millis,
    pub load: Vec<Percentiles>,
    pub pv: Vec<Percentiles>,
}

#[derive(Debug)]
struct Row {
    sn: String,
    issued_at: Millis,
    body: Vec<u8>,
}
row!(Row {
    sn,
    issued_at,
    body
});

impl Issue {
    /// As it is read again: in grains.
    #[must_use]
    pub fn grained(mut self) -> Self {
        for band in self.load.iter_mut().chain(&mut self.pv) {
            *band = band.map(|watt| (watt + GRAIN / 2).div_euclid(GRAIN) * GRAIN);
        }
        self
    }

    /// Of the quarter-hour that this moment is in.
    pub fn at(&self, moment: Millis) -> Option<(Percentiles, Percentiles)> {
        let place = usize::try_from((moment - self.start).div_euclid(QUARTER)).ok()?;
        Some((*self.load.get(place)?, *self.pv.get(place)?))
    }

    fn body(&self) -> Result<Vec<u8>> {
        let columns = [&self.load, &self.pv].into_iter().flat_map(|bands| {
            // P50 by itself, the others by how far they are from it.
            let column =
                |of: fn(&Percentiles) -> i64| -> Vec<i64> { bands.iter().map(of).collect() };
            [
                column(|band| band[1] / GRAIN),
                column(|band| (band[1] - band[0]) / GRAIN),
                column(|band| (band[2] - band[1]) / GRAIN),
            ]
        });
        let columns: Vec<Vec<i64>> = columns.collect();
        pack(&[self.issued_at - self.start], &columns)
    }

    fn of(row: &Row) -> Result<Self> {
        let (head, columns) = unpack(&row.body, 1, 6, WHAT)?;
        let ([before], [load, load_low, load_high, pv, pv_low, pv_high]) =
            (&head[..], &columns[..])
        else {
            return Err(Error::Damaged(WHAT));
        };
        let bands = |middle: &[i64], low: &[i64], high: &[i64]| -> Vec<Percentiles> {
            let parts = middle.iter().zip(low).zip(high);
            let band = |((middle, low), high): ((&i64, &i64), &i64)| {
                [middle - low, *middle, middle + high].map(|grains| grains * GRAIN)
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

impl Store {
    /// Keeps an issue. `false` when another process was faster: `before` is the issue that this one follows.
    pub async fn keep_forecast(
        &self,
        sn: &Serial,
        issue: &Issue,
        before: Option<Millis>,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
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
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO forecasts (sn, issued_at, body) VALUES ($1, $2, $3) ON CONFLICT (sn, issued_at) DO NOTHING"
            )
            .bind(sn.as_str())
            .bind(issue.issued_at)
            .bind(issue.body()?)
        )?;
        tx.commit_reports(std::iter::empty()).await?;
        Ok(true)
    }

    /// The issues of a system in a stretch of time, oldest first.
    pub async fn forecasts(
        &self,
        access: &Access,
        issued: std::ops::Range<Millis>,
    ) -> Result<Vec<Issue>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, issued_at, body FROM forecasts WHERE sn = $1 AND issued_at >= $2 AND issued_at < $3 ORDER BY issued_at")
            .bind(access.sn().as_str()).bind(issued.start.max(access.history_from())).bind(issued.end).fetch_all(p).await)?;
        rows.iter().map(Issue::of).collect()
    }

    /// The newest issue of a system, if it still reaches beyond this moment.
    pub async fn newest_forecast(&self, access: &Access, now: Millis) -> Result<Option<Issue>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, issued_at, body FROM forecasts WHERE sn = $1 AND issued_at > $2 ORDER BY issued_at DESC LIMIT 1")
            .bind(access.sn().as_str()).bind((now - 2 * DAY).max(access.history_from())).fetch_optional(p).await)?;
        row.as_ref().map(Issue::of).transpose()
    }

    /// Of every system, the issues after this moment, oldest first.
    pub async fn forecasts_since(&self, after: Millis) -> Result<Vec<(Serial, Issue)>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, issued_at, body FROM forecasts WHERE issued_at > $1 ORDER BY issued_at")
            .bind(after).fetch_all(p).await)?;
        let issue = |row: &Row| {
            let sn = row.sn.parse().map_err(|_| Error::Damaged("forecasts.sn"))?;
            Ok((sn, Issue::of(row)?))
        };
        rows.iter().map(issue).collect()
    }

    /// Forgets issues that nobody will ask for any more.
    pub async fn purge_forecasts(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query(
            "DELETE FROM forecasts WHERE issued_at < $1 OR (issued_at < $2 AND issued_at % $3 >= $4)")
            .bind(now - AUDITED_KEPT).bind(now - ALL_KEPT).bind(AUDITED).bind(QUARTER))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_read_as_it_was_written_and_takes_little() {
        let band = |n: i64| [n * 3, n * 5, n * 9];
        let issue = Issue {
            issued_at: 1_794_740_430_000,
            start: 1_794_740_400_000,
            load: (0..192).map(band).collect(),
            pv: (0..192).map(|n| band(n * 7 % 90)).collect(),
        }
        .grained();
        let row = Row {
            sn: "SC000001".into(),
            issued_at: issue.issued_at,
            body: issue.body().unwrap(),
        };
        assert_eq!(Issue::of(&row).unwrap(), issue);
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
        assert!(Issue::of(&damaged).is_err());
    }
}
