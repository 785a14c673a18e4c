//! Open alarms in the live view: read when one changes, and periodically, because a message may get lost.
use crate::Bus;
use crate::peer_message::PeerMessage;
use domain::Serial;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

const POLL_INTERVAL: Duration = Duration::from_secs(30);

impl Bus {
    /// Alarms of these systems were opened, closed or acknowledged: notifies subscribers.
    pub async fn alarms_changed(&self, systems: &[Serial]) {
        for sn in systems {
            self.peers.send_change(sn, |sn| PeerMessage::Reload { sn });
        }
        if let Err(error) = self.live.read_alarms_of(systems).await {
            tracing::warn!(%error, "alarms_read_failed: the next poll reads them");
        }
    }
}

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = bus.live.read_alarms().await {
            tracing::warn!(%error, "alarms_read_failed: retrying");
        }
    }
}
