//! Roll-outs go on to the next wave, or stop, by how the updates end.
use domain::clock::Millis;
use store::Store;

pub(crate) async fn run(store: &Store, now: Millis) {
    if let Err(error) = store.move_rollouts(now).await {
        tracing::error!(%error, "roll-outs cannot be looked after; it is tried again");
    }
}
