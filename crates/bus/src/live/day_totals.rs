//! Today's energy: computed from the store once, then updated with each sample.
use super::LiveView;
use domain::Serial;
use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

const RECALCULATION_PAUSE: Duration = Duration::from_millis(1);
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl LiveView {
    /// The system's energy of today has to be read again: late samples came, or its day changed.
    pub(super) fn queue_day_totals(&self, sn: &Serial) {
        self.day_totals_queue().insert(sn.clone());
        self.0.day_totals_queued.notify_one();
    }

    fn day_totals_queue(&self) -> MutexGuard<'_, BTreeSet<Serial>> {
        let day_totals_queue = self.0.day_totals_queue.lock();
        day_totals_queue.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next system of the queue. Returns `false` when the queue is empty.
    pub(crate) async fn recalculate_next_day_totals(&self) -> store::Result<bool> {
        let Some(sn) = self.day_totals_queue().pop_first() else {
            return Ok(false);
        };
        if let Some(snapshot) = self.get(&sn) {
            let zone = &snapshot.facts.zone;
            let store = &self.0.store;
            let tally = match store
                .telemetry
                .energy_today(&sn, zone, self.0.clock.now())
                .await
            {
                Ok(tally) => tally,
                Err(error) if error.is_damage() => {
                    store
                        .db()
                        .report_damage(&error, "samples, sealed_days", &sn);
                    return Ok(true);
                }
                Err(error) => {
                    self.day_totals_queue().insert(sn);
                    return Err(error);
                }
            };
            let read = snapshot.sample.map(|sample| sample.order());
            let mut overtaken = false;
            self.change(&sn, |snapshot| {
                overtaken = snapshot.sample.map(|sample| sample.order()) != read;
                // A sample came while the store was read; the tally in memory is newer.
                if !overtaken || snapshot.tally.is_none() {
                    snapshot.set_tally(tally);
                }
            });
            if overtaken {
                self.queue_day_totals(&sn);
            }
        }
        Ok(true)
    }

    /// Works through the queue. Never returns.
    pub(crate) async fn recalculate_day_totals(&self) {
        loop {
            match self.recalculate_next_day_totals().await {
                // The pause leaves room for reports: a large fleet is computed while its batteries reconnect.
                Ok(true) => tokio::time::sleep(RECALCULATION_PAUSE).await,
                Ok(false) => self.0.day_totals_queued.notified().await,
                Err(error) => {
                    tracing::warn!(%error, "day_totals_read_failed: retrying");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
    }
}
