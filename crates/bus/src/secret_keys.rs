//! Every process learns of a new version of the keys before it is used.
use crate::Bus;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// A fraction of the delay after which a new version is used, [`store::secret_keys::ACTIVATION_DELAY`].
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Reads the versions again and again, for ever.
pub(crate) async fn poll(bus: &Bus) {
    let mut tick = tokio::time::interval(POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        match bus.store.read_keys(bus.clock.now()).await {
            Ok(()) => {}
            Err(store::Error::WrongSecret) => tracing::error!(
                "secret_changed: the operator's secret was changed and new keys were made since; restart this process with the new secret"
            ),
            Err(error) => tracing::warn!(%error, "secret_keys_not_read"),
        }
    }
}
