//! Every process learns of forecasts that another one has issued.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// How often somebody looks.
const LOOK: Duration = Duration::from_secs(60);

/// Looks for forecasts, for ever.
pub(crate) async fn mind(bus: &Bus) {
    let mut tick = tokio::time::interval(LOOK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut newest = None;
    loop {
        tick.tick().await;
        match bus.live.read_forecasts(newest).await {
            Ok(read) => newest = read,
            Err(error) => tracing::warn!(%error, "forecasts cannot be read"),
        }
    }
}
