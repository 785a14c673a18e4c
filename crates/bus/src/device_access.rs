//! Polls which devices the operator has blocked or given a new secret, and ends their connections to this process.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

const POLL_INTERVAL: Duration = Duration::from_secs(3);

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        match bus.store.device_revocations().await {
            Ok(devices) => {
                for (sn, revocations) in devices {
                    bus.downlink.disconnect_revoked(&sn, revocations);
                }
            }
            Err(error) => tracing::warn!(%error, "device_access_read_failed: retrying"),
        }
    }
}
