//! The newest forecast of each system, from which the live view takes the value for now.
use super::LiveView;
use crate::peer_message::PeerMessage;
use domain::Serial;
use std::sync::Arc;
use store::planning::IssuedForecast;

impl LiveView {
    /// A forecast was issued here: sets it, here and in other processes.
    pub fn forecast_issued(&self, sn: &Serial, issue: IssuedForecast) {
        self.set_forecast(sn, issue);
        self.0
            .peers
            .send_change(sn, |sn| PeerMessage::Reload { sn });
    }

    /// Ignores a forecast that is not newer than the known one.
    fn set_forecast(&self, sn: &Serial, issue: IssuedForecast) {
        let issue = Arc::new(issue);
        let known = self.get(sn).and_then(|snapshot| snapshot.forecast.clone());
        if known.is_none_or(|known| known.issued_at < issue.issued_at) {
            self.change(sn, |snapshot| snapshot.forecast = Some(issue));
        }
    }
}
