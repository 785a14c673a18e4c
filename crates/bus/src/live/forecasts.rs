//! The newest forecast of each system, from which the live view takes the value for now.
use super::LiveView;
use domain::Serial;
use domain::clock::{DAY, Millis};
use std::sync::Arc;
use store::planning::IssuedForecast;

impl LiveView {
    /// Reads forecasts that any process issued after this moment. Returns when the newest one was issued.
    pub(crate) async fn read_forecasts(
        &self,
        after: Option<Millis>,
    ) -> store::Result<Option<Millis>> {
        // At the start: the last three hours.
        let after = after.unwrap_or_else(|| self.0.clock.now() - DAY / 8);
        let issues = self.0.store.forecasts_since(after).await?;
        let newest = issues.last().map(|(_, issue)| issue.issued_at);
        for (sn, issue) in issues {
            self.forecast_issued(&sn, issue);
        }
        Ok(Some(newest.unwrap_or(after)))
    }

    /// Ignores a forecast that is not newer than the known one.
    pub fn forecast_issued(&self, sn: &Serial, issue: IssuedForecast) {
        let issue = Arc::new(issue);
        let known = self.get(sn).and_then(|snapshot| snapshot.forecast.clone());
        if known.is_none_or(|known| known.issued_at < issue.issued_at) {
            self.change(sn, |snapshot| snapshot.forecast = Some(issue));
        }
    }
}
