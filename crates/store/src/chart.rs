//! Charts of measurements and forecasts.
use crate::{Access, Result, Store};
use domain::series::{Method, Resolution};
use domain::{Series, SiteDay};
use std::ops::Range;
use telemetry::Chart;

impl Store {
    /// Series over `days`; see [`telemetry::Telemetry::chart`]. Forecasts are drawn up to hours, not over days and months.
    pub async fn chart(
        &self,
        access: &Access,
        days: Range<SiteDay>,
        resolution: Resolution,
        method: Method,
        series: &[Series],
    ) -> Result<Chart> {
        let measured = self
            .telemetry
            .chart(access.site(), days, resolution, method, series);
        let mut chart = measured.await?;
        if resolution <= Resolution::Hour && series.iter().any(|series| series.is_forecast()) {
            let forecasts = self.forecast_lines(access, &chart.time, series).await?;
            for (line, forecast) in chart.lines.iter_mut().zip(forecasts) {
                if line.series.is_forecast() {
                    line.values = forecast;
                }
            }
        }
        Ok(chart)
    }
}
