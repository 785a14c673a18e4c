//! The newest forecast of each system in the live view, for the value of now.
use super::Live;
use domain::Serial;
use domain::clock::{DAY, Millis};
use std::sync::Arc;
use store::planning::Issue;

impl Live {
    /// Forecasts that were issued after this moment, by whatever process; the newest of them.
    pub(crate) async fn read_forecasts(
        &self,
        after: Option<Millis>,
    ) -> store::Result<Option<Millis>> {
        // None reaches further.
        let after = after.unwrap_or_else(|| self.0.clock.now() - DAY / 8);
        let issues = self.0.store.forecasts_since(after).await?;
        let newest = issues.last().map(|(_, issue)| issue.issued_at);
        for (sn, issue) in issues {
            self.forecast_issued(&sn, issue);
        }
        Ok(Some(newest.unwrap_or(after)))
    }

    /// Only a newer one counts.
    pub fn forecast_issued(&self, sn: &Serial, issue: Issue) {
        let issue = Arc::new(issue);
        let known = self.get(sn).and_then(|snapshot| snapshot.forecast.clone());
        if known.is_none_or(|known| known.issued_at < issue.issued_at) {
            self.change(sn, |snapshot| snapshot.forecast = Some(issue));
        }
    }
}
