//! Erases data after its retention: samples in full resolution, what a former household measured, and what else batteries
//! reported.
use domain::clock::{DAY, Millis, SECOND};
use domain::shard::{Shard, ShardSet};
use store::Store;

/// How long samples are kept in full resolution, and events; day totals stay forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRetention {
    pub days: u32,
}

impl Default for SampleRetention {
    fn default() -> Self {
        Self { days: 730 }
    }
}

/// Nothing is erased while the server's clock is known to be wrong: that cannot be undone.
pub async fn run(store: &Store, shards: ShardSet, keep: SampleRetention, now: Millis) {
    match store.clock_error(now).await {
        Ok(None) => {}
        Ok(Some(ahead)) => {
            let ahead_seconds = ahead / SECOND;
            tracing::warn!(
                ahead_seconds,
                "server clock is wrong; no samples are erased until it is corrected"
            );
            return;
        }
        Err(error) => {
            return tracing::error!(%error, "clock check failed; erasing old samples is retried");
        }
    }
    let from = now - i64::from(keep.days) * DAY;
    match store.telemetry.forget(shards, from).await {
        Ok(0) => {}
        Ok(systems) => tracing::info!(systems, "old samples erased"),
        Err(error) => tracing::error!(%error, "erasing old samples failed; retrying later"),
    }
    if !shards.contains(Shard::FIRST) {
        return;
    }
    match store.purge_reports(from, now).await {
        Ok(0) => {}
        Ok(rows) => tracing::info!(rows, "old events, undated samples and rejects erased"),
        Err(error) => tracing::error!(%error, "erasing old reports failed; retrying later"),
    }
}
