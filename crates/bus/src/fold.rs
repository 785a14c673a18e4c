//! Moves samples from this process's log into chunks, every few minutes.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// How often to check whether the log is due.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(CHECK_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = bus.store.telemetry.fold_due(bus.clock.now()).await {
            tracing::error!(%error, "sample_log_not_folded: retrying; the log grows until then");
        }
    }
}
