//! Reads a battery no faster than its quota allows.
use super::Session;
use crate::quota::{Cost, Pause};
use crate::wire::UpTopic;
use store::report::ReportBody;

impl<S> Session<S> {
    /// For how long nothing may be read from the battery; `None` if it may send.
    pub(super) fn pause(&self) -> Option<Pause> {
        self.quota.as_ref()?.pause(self.clock.now())
    }

    pub(super) fn charge(&self, cost: Cost) {
        if let Some(quota) = &self.quota {
            quota.charge(cost, self.clock.now());
        }
    }

    /// Charges a decoded message. `rejects` is how many parts of it could not be used.
    pub(super) fn charge_message(
        &self,
        topic: UpTopic<'_>,
        body: Option<&ReportBody>,
        rejects: usize,
    ) {
        let cost = match (topic, body) {
            (UpTopic::Sample, _) => Cost::LIVE_SAMPLE,
            (UpTopic::History, Some(ReportBody::BackFill { samples, undated })) => {
                Cost::history(samples.len() + undated.len())
            }
            (UpTopic::History, _) => Cost::history(0),
            _ => Cost::OTHER,
        };
        self.charge(cost.with_rejects(rejects));
    }

    /// Counts the batteries that are throttled now.
    pub(super) fn set_throttled(&mut self, is_throttled: bool) {
        if self.is_throttled == is_throttled {
            return;
        }
        self.is_throttled = is_throttled;
        let throttled = metrics::gauge!("link_throttled");
        match is_throttled {
            true => throttled.increment(1.0),
            false => throttled.decrement(1.0),
        }
    }

    pub(super) async fn report_throttled(&mut self, pause: Pause) {
        if let Some(quota) = &self.quota {
            let now = self.clock.now();
            quota.report_throttled(&self.sn, pause.kind, now).await;
        }
    }
}
