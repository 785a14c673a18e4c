//! Moves the samples of old months out of the database into the sample store, if there is one, and deletes there what is not in use.
use domain::Random;
use domain::clock::Millis;
use domain::shard::{Shard, ShardSet};
use store::Store;

pub(crate) async fn run(store: &Store, shards: ShardSet, random: &Random, now: Millis) {
    let telemetry = &store.telemetry;
    match telemetry.move_to_sample_store(shards, random, now).await {
        Ok(0) => {}
        Ok(months) => tracing::info!(months, "months_moved"),
        Err(error) => tracing::error!(%error, "months_not_moved: retrying with the next run"),
    }
    if !shards.contains(Shard::FIRST) {
        return;
    }
    match telemetry.delete_unused_objects(now).await {
        Ok(0) => {}
        Ok(objects) => tracing::info!(objects, "unused_objects_deleted"),
        Err(error) => tracing::error!(%error, "objects_not_deleted: retrying with the next run"),
    }
}
