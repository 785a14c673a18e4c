//! Polls open alarms, so that every process sees what another one opened, closed or acknowledged.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

const POLL_INTERVAL: Duration = Duration::from_secs(3);

impl Bus {
    /// Alarms were opened, closed or acknowledged: notifies subscribers. If that fails, the next poll does.
    pub async fn alarms_changed(&self) {
        if let Err(error) = self.live.read_alarms().await {
            tracing::warn!(%error, "alarms_read_failed: retrying");
        }
    }
}

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        bus.alarms_changed().await;
    }
}
