//! Seals days that are over: samples become compressed columns and totals.
use domain::clock::Millis;
use domain::shard::ShardSet;
use store::Store;

pub(crate) async fn run(store: &Store, shards: ShardSet, now: Millis) {
    if let Err(error) = store.telemetry.fold_abandoned(now).await {
        tracing::error!(%error, "abandoned_log_not_folded: retrying at the next tick");
    }
    match store.telemetry.seal_due(shards, now).await {
        Ok(0) => {}
        Ok(days) => tracing::info!(days, "days_sealed"),
        Err(error) => tracing::error!(%error, "sealing_failed: retrying at the next tick"),
    }
}
