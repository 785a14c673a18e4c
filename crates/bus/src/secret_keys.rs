//! Polls key versions, so that every process knows a new one before it is used.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// A fraction of [`store::secret_keys::ACTIVATION_DELAY`], after which a new version is used.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Never returns.
pub(crate) async fn run(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        match bus.store.reload_keys(bus.clock.now()).await {
            Ok(()) => {}
            Err(store::Error::WrongSecret) => tracing::error!(
                "secret_changed: the operator's secret was changed and new keys were made since; restart this process with the new secret"
            ),
            Err(error) => tracing::warn!(%error, "secret_keys_read_failed: retrying"),
        }
    }
}
