//! After a rotation of the keys: seals everything with the new version.
use domain::Random;
use domain::clock::Millis;
use store::Store;

pub(crate) async fn run(store: &Store, random: &Random, now: Millis) {
    if let Err(error) = store.reseal(random, now).await {
        tracing::error!(%error, "resealing_failed: it is tried again");
    }
}
