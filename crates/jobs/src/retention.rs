//! Forgets what is no longer kept: full resolution after its time, and what a household that left had measured.
use domain::clock::{DAY, Millis, SECOND};
use store::Store;

/// How long samples are kept as they were measured; totals of days stay for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepSamples {
    pub days: u32,
}

impl Default for KeepSamples {
    fn default() -> Self {
        Self { days: 730 }
    }
}

/// Nothing is erased while the server's clock is known to be wrong: that cannot be undone.
pub async fn run(store: &Store, keep: KeepSamples, now: Millis) {
    match store.clock_error(now).await {
        Ok(None) => {}
        Ok(Some(ahead)) => {
            let ahead_seconds = ahead / SECOND;
            tracing::warn!(
                ahead_seconds,
                "nothing is forgotten while the server's clock is wrong"
            );
            return;
        }
        Err(error) => return tracing::error!(%error, "forgetting failed; it is tried again"),
    }
    let from = now - i64::from(keep.days) * DAY;
    match store.forget(from).await {
        Ok(0) => {}
        Ok(systems) => tracing::info!(systems, "old samples are forgotten"),
        Err(error) => tracing::error!(%error, "forgetting failed; it is tried again"),
    }
}
