//! Advances roll-outs to the next wave, or stops them, depending on how the updates end.
use domain::clock::Millis;
use store::Store;

pub(crate) async fn run(store: &Store, now: Millis) {
    if let Err(error) = store.advance_rollouts(now).await {
        tracing::error!(%error, "advancing roll-outs failed; retrying at the next tick");
    }
}
