//! Every process learns of alarms that another one opened, closed or acknowledged.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// How often somebody looks.
const LOOK: Duration = Duration::from_secs(3);

/// Looks for alarms, for ever.
pub(crate) async fn mind(bus: &Bus) {
    let mut tick = tokio::time::interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = bus.live.read_alarms().await {
            tracing::warn!(%error, "alarms cannot be read");
        }
    }
}
