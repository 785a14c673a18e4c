//! The energy of the day so far, counted from the store once and then as samples come.
use super::Live;
use domain::Serial;
use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

const COUNT_REST: Duration = Duration::from_millis(1);
const COUNT_PAUSE: Duration = Duration::from_secs(1);

impl Live {
    /// The day's energy of this system has to be read again: late samples came, or its day is another one now.
    pub(super) fn count_again(&self, sn: &Serial) {
        self.uncounted().insert(sn.clone());
        self.0.to_count.notify_one();
    }

    fn uncounted(&self) -> MutexGuard<'_, BTreeSet<Serial>> {
        let uncounted = self.0.uncounted.lock();
        uncounted.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the days that have to be read; says whether there was one.
    pub(crate) async fn count_one(&self) -> store::Result<bool> {
        let Some(sn) = self.uncounted().pop_first() else {
            return Ok(false);
        };
        if let Some(snapshot) = self.get(&sn) {
            let zone = &snapshot.facts.zone;
            let store = &self.0.store;
            let tally = match store.energy_today(&sn, zone, self.0.clock.now()).await {
                Ok(tally) => tally,
                Err(error) if error.is_damage() => {
                    store.report_damage(&error, "samples, sealed_days", &sn);
                    return Ok(true);
                }
                Err(error) => {
                    self.uncounted().insert(sn);
                    return Err(error);
                }
            };
            let read = snapshot.sample.map(|sample| sample.order());
            let mut overtaken = false;
            self.change(&sn, |snapshot| {
                overtaken = snapshot.sample.map(|sample| sample.order()) != read;
                // What was counted meanwhile is newer than what was read.
                if !overtaken || snapshot.tally.is_none() {
                    snapshot.start_day(tally);
                }
            });
            if overtaken {
                self.count_again(&sn);
            }
        }
        Ok(true)
    }

    /// Counts days as they become due, for ever.
    pub(crate) async fn count(&self) {
        loop {
            match self.count_one().await {
                // A large fleet is counted while its batteries come back: they go first.
                Ok(true) => tokio::time::sleep(COUNT_REST).await,
                Ok(false) => self.0.to_count.notified().await,
                Err(error) => {
                    tracing::warn!(%error, "the day's energy of a system could not be read");
                    tokio::time::sleep(COUNT_PAUSE).await;
                }
            }
        }
    }
}
