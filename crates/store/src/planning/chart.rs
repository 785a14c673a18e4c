//! Forecasts as lines of a chart: at each point what was last said before it began.
use super::Issue;
use crate::{Access, Result, Store};
use domain::Series;
use domain::clock::{DAY, Millis};

/// A forecast reaches so far.
const REACH: Millis = 2 * DAY;
/// Longer charts show what was measured alone.
const LONGEST: Millis = 9 * DAY;

impl Store {
    /// P50 at each of these moments, in W; `None` where nobody has said anything.
    pub(crate) async fn forecast_lines(
        &self,
        access: &Access,
        time: &[Millis],
        series: &[Series],
    ) -> Result<Vec<Vec<Option<i64>>>> {
        let (Some(first), Some(last)) = (time.first(), time.last()) else {
            return Ok(vec![Vec::new(); series.len()]);
        };
        let issues = match last - first <= LONGEST {
            true => self.forecasts(access, first - REACH..last + 1).await?,
            false => Vec::new(),
        };
        let line = |series: &Series| time.iter().map(|at| value(&issues, *at, *series)).collect();
        Ok(series.iter().map(line).collect())
    }
}

fn value(issues: &[Issue], at: Millis, series: Series) -> Option<i64> {
    let said = issues.partition_point(|issue| issue.issued_at <= at);
    let (load, pv) = issues[..said].last()?.at(at)?;
    match series {
        Series::LoadForecast => Some(load[1]),
        Series::EnergyForecast => Some(pv[1]),
        _ => None,
    }
}
