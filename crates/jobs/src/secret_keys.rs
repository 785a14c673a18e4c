//! After a key rotation: encrypts everything with the new key version.
use domain::Random;
use domain::clock::Millis;
use store::Store;

pub(crate) async fn run(store: &Store, random: &Random, now: Millis) {
    if let Err(error) = store.reencrypt_all(random, now).await {
        tracing::error!(%error, "reencryption_failed: retrying at the next tick");
    }
}
