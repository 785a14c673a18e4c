//! Alarms of the batteries that are connected to this process: what their samples and updates show.
//!
//! It reads the live view in memory and queries the database only for changes. While a battery is away nothing is known of it,
//! but its absence counts: what a counter missed before says nothing about the time after it.
use bus::{LiveView, Snapshot};
use domain::Serial;
use domain::alarm::{
    ActiveAlarm, AlarmChange, AlarmMonitor, BatteryPresence, Evidence, UpdateOutcome,
};
use domain::clock::{MINUTE, Millis};
use domain::firmware::JobState;
use service::Service;
use std::collections::HashMap;
use std::sync::Arc;
use store::{Result, Store};

/// Batteries per transaction.
const MAX_FLOOR_CHANGES_PER_TRANSACTION: usize = 200;
const MAX_BATTERIES_PER_QUERY: usize = 1_000;
/// An interrupted update may continue by itself, but hardly after this long.
const UPDATE_GIVEN_UP_AFTER: Millis = 30 * MINUTE;

/// The state of each system's alarm checks.
#[derive(Debug, Default)]
pub struct AlarmWatcher {
    watches: HashMap<Serial, AlarmMonitor>,
    /// Batteries at their floor and since when, as in the database.
    at_floor_since: HashMap<Serial, Millis>,
}

impl AlarmWatcher {
    /// Checks each battery whose last contact was here, and writes the changes.
    pub async fn check_connected(
        &mut self,
        store: &Store,
        service: &Service,
        live: &LiveView,
        now: Millis,
    ) -> Result<()> {
        let here: HashMap<Serial, Arc<Snapshot>> = live.last_seen_here().collect();
        self.forget_all_but(&here);
        self.load_floor(store, &here).await?;
        let mut changes: Vec<(Serial, AlarmChange)> = Vec::new();
        let mut floor_changes: Vec<(Serial, Option<Millis>)> = Vec::new();
        for (sn, snapshot) in here {
            let watch = self.watches.entry(sn.clone()).or_default();
            let evidence = Evidence {
                now,
                presence: presence(&snapshot),
                // An absence is judged by the jobs of its shard.
                reachable_since: None,
                sample: snapshot.sample.as_ref(),
                update: update_end(&sn, &snapshot, live, now),
            };
            let open = snapshot.alarms.iter().map(|alarm| ActiveAlarm {
                kind: alarm.kind,
                counter: alarm.counter,
            });
            let open: Vec<ActiveAlarm> = open.collect();
            let found = watch.check(&evidence, &open).into_iter();
            changes.extend(found.map(|change| (sn.clone(), change)));
            if watch.low_charge_since() != self.at_floor_since.get(&sn).copied() {
                floor_changes.push((sn, watch.low_charge_since()));
            }
        }
        let written = self.write(store, service, &changes, &floor_changes).await;
        if written.is_err() {
            self.watches
                .values_mut()
                .for_each(AlarmMonitor::retry_opening);
        }
        written
    }

    /// Another gateway may have judged them since.
    fn forget_all_but(&mut self, here: &HashMap<Serial, Arc<Snapshot>>) {
        self.watches.retain(|sn, _| here.contains_key(sn));
        self.at_floor_since.retain(|sn, _| here.contains_key(sn));
    }

    /// Reads since when batteries that are new here have been at their floor.
    async fn load_floor(
        &mut self,
        store: &Store,
        here: &HashMap<Serial, Arc<Snapshot>>,
    ) -> Result<()> {
        let new = here.keys().filter(|sn| !self.watches.contains_key(*sn));
        let new: Vec<Serial> = new.cloned().collect();
        for batch in new.chunks(MAX_BATTERIES_PER_QUERY) {
            let read = store.batteries_at_floor(batch).await?;
            let mut at_floor: HashMap<Serial, Millis> = read.into_iter().collect();
            for sn in batch {
                let since = at_floor.remove(sn);
                let watch = since.map(AlarmMonitor::with_low_charge_since);
                self.watches.insert(sn.clone(), watch.unwrap_or_default());
                self.at_floor_since
                    .extend(since.map(|since| (sn.clone(), since)));
            }
        }
        Ok(())
    }

    async fn write(
        &mut self,
        store: &Store,
        service: &Service,
        changes: &[(Serial, AlarmChange)],
        floor_changes: &[(Serial, Option<Millis>)],
    ) -> Result<()> {
        service.write_alarms(changes).await?;
        for batch in floor_changes.chunks(MAX_FLOOR_CHANGES_PER_TRANSACTION) {
            store.save_batteries_at_floor(batch).await?;
            for (sn, since) in batch {
                match since {
                    Some(since) => self.at_floor_since.insert(sn.clone(), *since),
                    None => self.at_floor_since.remove(sn),
                };
            }
        }
        Ok(())
    }
}

fn presence(snapshot: &Snapshot) -> BatteryPresence {
    match (snapshot.online, snapshot.since) {
        (true, _) => BatteryPresence::Online,
        (false, Some(since)) => BatteryPresence::OfflineSince(since),
        (false, None) => BatteryPresence::NeverSeen,
    }
}

fn update_end(sn: &Serial, snapshot: &Snapshot, live: &LiveView, now: Millis) -> UpdateOutcome {
    let Some(job) = snapshot.update.as_deref() else {
        // There was none, or it ended too long ago to be in the live view.
        return UpdateOutcome::Unknown;
    };
    match job.state {
        JobState::Done | JobState::Cancelled | JobState::Expired => UpdateOutcome::NoFailure,
        // A release that the operator has withdrawn needs no alarm.
        JobState::Failed if live.offered_parts(sn).is_empty() => UpdateOutcome::NoFailure,
        JobState::Failed => UpdateOutcome::Failed,
        JobState::Interrupted
            if now - job.heard_at.unwrap_or(job.created_at) >= UPDATE_GIVEN_UP_AFTER =>
        {
            UpdateOutcome::Failed
        }
        JobState::Waiting | JobState::Running | JobState::Interrupted => UpdateOutcome::Unknown,
    }
}
