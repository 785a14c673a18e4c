//! Forecasts as series of a chart: each point has the last forecast that was issued before it.
use super::IssuedForecast;
use crate::{Access, Result, Store};
use domain::Series;
use domain::clock::{DAY, Millis};

/// How far a forecast reaches.
const FORECAST_HORIZON: Millis = 2 * DAY;
/// Longer charts show measured values only.
const MAX_CHART_SPAN: Millis = 9 * DAY;

impl Store {
    /// P50 at each of these moments, in W; `None` where there is no forecast.
    pub(crate) async fn forecast_lines(
        &self,
        access: &Access,
        time: &[Millis],
        series: &[Series],
    ) -> Result<Vec<Vec<Option<i64>>>> {
        let (Some(first), Some(last)) = (time.first(), time.last()) else {
            return Ok(vec![Vec::new(); series.len()]);
        };
        let issues = match last - first <= MAX_CHART_SPAN {
            true => {
                self.forecasts(access, first - FORECAST_HORIZON..last + 1)
                    .await?
            }
            false => Vec::new(),
        };
        let line = |series: &Series| time.iter().map(|at| value(&issues, *at, *series)).collect();
        Ok(series.iter().map(line).collect())
    }
}

fn value(issues: &[IssuedForecast], at: Millis, series: Series) -> Option<i64> {
    let said = issues.partition_point(|issue| issue.issued_at <= at);
    let (load, pv) = issues[..said].last()?.at(at)?;
    match series {
        Series::LoadForecast => Some(load[1]),
        Series::EnergyForecast => Some(pv[1]),
        _ => None,
    }
}
