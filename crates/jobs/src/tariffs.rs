//! Prices that were entered ahead reach the batteries that go by them on their day.
use domain::clock::Millis;
use store::Store;

/// What is new waits for the battery in the database, where whoever is connected to it looks every half minute.
pub(crate) async fn run(store: &Store, now: Millis) {
    if let Err(error) = store.begin_tariffs(now).await {
        tracing::error!(%error, "prices of today cannot be told; it is tried again");
    }
}
