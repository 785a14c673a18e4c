//! Watches every system: opens and closes alarms, and queues the mails about them.
//!
//! It reads the live view in memory and queries the database only for changes: a fleet in which nothing happens costs one small
//! query per check. Several processes on one database see the same and write it once.
use crate::{Jobs, Worker};
use bus::{LiveView, Snapshot};
use domain::Serial;
use domain::alarm::{
    ActiveAlarm, AlarmChange, AlarmMonitor, BatteryPresence, Evidence, UpdateOutcome,
};
use domain::clock::{MINUTE, Millis};
use domain::firmware::JobState;
use domain::shard::{Shard, ShardSet};
use service::Service;
use std::collections::HashMap;
use store::{Result, Store};

/// Batteries per transaction.
const MAX_FLOOR_CHANGES_PER_TRANSACTION: usize = 200;
/// An interrupted update may continue by itself, but hardly after this long.
const UPDATE_GIVEN_UP_AFTER: Millis = 30 * MINUTE;

/// The state of each system's alarm checks.
#[derive(Debug, Default)]
pub struct AlarmWatcher {
    watches: HashMap<Serial, AlarmMonitor>,
    /// Batteries at their floor and since when, as in the database.
    at_floor_since: HashMap<Serial, Millis>,
    /// Whose systems are checked.
    shards: ShardSet,
}

impl AlarmWatcher {
    /// Checks every system once and writes the changes. While messages from other processes do not arrive it decides nothing: the
    /// live view of their batteries may be old.
    pub async fn check_all(
        &mut self,
        store: &Store,
        service: &Service,
        live: &LiveView,
        shards: ShardSet,
        now: Millis,
    ) -> Result<()> {
        if !live.receives_peer_messages() {
            return Ok(());
        }
        if self.shards != shards {
            self.at_floor_since = store.batteries_at_floor().await?.into_iter().collect();
            let watch = |(sn, since): (&Serial, &Millis)| {
                (sn.clone(), AlarmMonitor::with_low_charge_since(*since))
            };
            self.watches = self.at_floor_since.iter().map(watch).collect();
            self.shards = shards;
        }
        let reachable_since = store.reachable_since(now).await?;
        let mut changes: Vec<(Serial, AlarmChange)> = Vec::new();
        let mut floor_changes: Vec<(Serial, Option<Millis>)> = Vec::new();
        for (sn, snapshot) in live.all() {
            if !shards.contains(Shard::of_site(snapshot.facts.site_id)) {
                continue;
            }
            let watch = self.watches.entry(sn.clone()).or_default();
            let evidence = Evidence {
                now,
                presence: presence(&snapshot),
                reachable_since,
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

pub(crate) async fn run(worker: &Worker) {
    let Jobs {
        store,
        service,
        bus,
        clock,
        ..
    } = &**worker;
    let done = async {
        let shards = worker.leases.held().shards();
        let mut watcher = worker.alarms.lock().await;
        let checked = watcher.check_all(store, service, &bus.live, shards, clock.now());
        checked.await?;
        service.queue_alarm_mails().await
    };
    if let Err(error) = done.await {
        tracing::error!(%error, "alarm check failed; retrying at the next tick");
    }
}
