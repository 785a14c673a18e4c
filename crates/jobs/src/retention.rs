//! Erases data after its retention: samples in full resolution, what a former household measured, what else batteries
//! reported, and journal entries.
use domain::clock::{DAY, Millis, SECOND};
use domain::shard::{Shard, ShardSet};
use store::Store;

/// How long samples are kept in full resolution at least, and events; day totals stay forever.
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
                "erasing_paused: the server's clock is wrong; nothing is erased until it is right"
            );
            return;
        }
        Err(error) => {
            return tracing::error!(%error, "erasing_clock_check_failed: retrying later");
        }
    }
    match store.telemetry.erase_former_households(shards).await {
        Ok(0) => {}
        Ok(systems) => tracing::info!(systems, "former_households_erased"),
        Err(error) => {
            tracing::error!(%error, "former_households_not_erased: retrying later");
        }
    }
    if !shards.contains(Shard::FIRST) {
        return;
    }
    if let Err(error) = store.telemetry.make_months(now).await {
        tracing::error!(%error, "month_not_made: retrying later, or with the first day of it");
    }
    let from = now - i64::from(keep.days) * DAY;
    match store.telemetry.delete_old_months(from).await {
        Ok(None) => {}
        Ok(Some(first_day)) => tracing::info!(%first_day, "old_samples_deleted"),
        Err(error) => tracing::error!(%error, "old_samples_not_deleted: retrying later"),
    }
    match store.purge_reports(from, now).await {
        Ok(0) => {}
        Ok(rows) => tracing::info!(rows, "old_reports_erased"),
        Err(error) => tracing::error!(%error, "old_reports_not_erased: retrying later"),
    }
    match store.purge_journal(now).await {
        Ok(0) => {}
        Ok(entries) => tracing::info!(entries, "old_journal_entries_erased"),
        Err(error) => tracing::error!(%error, "journal_not_purged: retrying in an hour"),
    }
}
