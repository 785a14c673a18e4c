//! Polls for forecasts that another process has issued.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut newest = None;
    loop {
        tick.tick().await;
        match bus.live.read_forecasts(newest).await {
            Ok(read) => newest = read,
            Err(error) => tracing::warn!(%error, "forecasts_read_failed: retrying"),
        }
    }
}
