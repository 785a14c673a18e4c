//! Sends tariff prices that begin today to the batteries that use them.
use domain::clock::Millis;
use store::Store;

/// The new prices wait as pending orders in the database. The gateway that holds the connection checks for them every half
/// minute.
pub(crate) async fn run(store: &Store, now: Millis) {
    if let Err(error) = store.apply_due_tariffs(now).await {
        tracing::error!(%error, "applying tariffs that begin today failed; retrying at the next tick");
    }
}
