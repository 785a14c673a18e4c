//! Reads systems from the store into the live view: when one is needed, and again when something about it changed.
use super::{ENDED_UPDATE_SHOWN_FOR, LiveView};
use crate::peer_message::PeerMessage;
use crate::snapshot::Snapshot;
use domain::Serial;
use domain::clock::{HOUR, MAX_CLOCK_SKEW, MINUTE, Millis};
use domain::energy::DayEnergy;
use domain::in_force::Effect;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;
use store::Result;
use store::alarm::OpenAlarm;
use store::device::SystemFacts;
use store::firmware::UpdateJob;

/// How long a system stays in the view after it was last needed.
const KEEP_AFTER_USE: Millis = 10 * MINUTE;
/// Systems that are read at a time.
pub(super) const MAX_BATCH_SIZE: usize = 1_000;
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// An older forecast does not reach the present.
const MAX_FORECAST_AGE: Millis = 3 * HOUR;

impl LiveView {
    /// Makes sure that these systems are in the view, and keeps them there for a while. Callers at the same time share a read.
    pub async fn hold(&self, systems: &[Serial]) -> Result<()> {
        let until = self.0.clock.now() + KEEP_AFTER_USE;
        let mut missing = Vec::new();
        for sn in systems {
            self.0.kept_until.insert(sn.clone(), until);
            if !self.0.systems.contains_key(sn) {
                missing.push(sn.clone());
            }
        }
        self.to_load().extend(missing.iter().cloned());
        self.read_ahead(&missing).await?;
        let mut missing = missing.iter().peekable();
        while missing.peek().is_some() {
            let _reading = self.0.read_lock.lock().await;
            if self.is_empty() {
                // Nobody has followed it until now.
                self.read_installation().await?;
            }
            let batch = self.next_batch(&mut missing);
            if !batch.is_empty() {
                self.read_batch(batch).await?;
            }
        }
        Ok(())
    }

    /// Several batches share a read of the sample logs.
    async fn read_ahead(&self, systems: &[Serial]) -> Result<()> {
        if systems.len() > MAX_BATCH_SIZE {
            self.0.store.telemetry.read_ahead(systems).await?;
        }
        Ok(())
    }

    pub(crate) async fn hold_or_log(&self, sn: &Serial) {
        if let Err(error) = self.hold(std::slice::from_ref(sn)).await {
            tracing::warn!(%error, %sn, "system_load_failed: the live view is without it");
        }
    }

    /// What to read next, while the read lock is held: those of the caller that nobody has read yet, and what others wait for. Empty
    /// when others have read all of the caller's.
    fn next_batch<'s>(&self, own: &mut impl Iterator<Item = &'s Serial>) -> Vec<Serial> {
        let mut to_load = self.to_load();
        let own = own.filter(|sn| to_load.remove(*sn)).cloned();
        let mut batch: Vec<Serial> = own.take(MAX_BATCH_SIZE).collect();
        if !batch.is_empty() {
            fill_up(&mut batch, &mut to_load);
        }
        batch
    }

    /// Reads these systems while the read lock is held. They are waited for again if it fails, or if its caller goes away: others
    /// may wait for them, too.
    async fn read_batch(&self, batch: Vec<Serial>) -> Result<()> {
        let mut batch = BatchBeingRead { view: self, batch };
        self.read_systems(&batch.batch).await?;
        batch.batch.clear();
        Ok(())
    }

    /// Reads what is waited for, a batch at a time: whoever wants the read lock gets it in between.
    async fn load_missing(&self) -> Result<()> {
        loop {
            let _reading = self.0.read_lock.lock().await;
            let mut batch = Vec::new();
            fill_up(&mut batch, &mut self.to_load());
            if batch.is_empty() {
                return Ok(());
            }
            self.read_batch(batch).await?;
        }
    }

    /// Whether systems are being read, or wait for it.
    pub(super) fn is_reading(&self) -> bool {
        self.0.read_lock.try_lock().is_err() || !self.to_load().is_empty()
    }

    fn to_load(&self) -> MutexGuard<'_, BTreeSet<Serial>> {
        let to_load = self.0.to_load.lock();
        to_load.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads again everything that is in the view: peer messages were missed.
    pub async fn reload_all(&self) -> Result<()> {
        let all = self.serials();
        self.read_ahead(&all).await?;
        for batch in all.chunks(MAX_BATCH_SIZE) {
            let _reading = self.0.read_lock.lock().await;
            self.read_systems(batch).await?;
        }
        self.read_installation().await
    }

    /// Reads the state that concerns all systems. An empty view does not follow it.
    pub(crate) async fn read_installation(&self) -> Result<()> {
        self.set_releases(self.0.store.running_releases().await?);
        self.read_brake().await
    }

    /// Another process changed something about these systems: those in the view are read again, soon and together.
    pub(crate) fn request_reload(&self, systems: impl IntoIterator<Item = Serial>) {
        for sn in systems {
            if self.0.systems.contains_key(&sn) {
                self.to_load().insert(sn);
            } else {
                self.note_change_while_loading(&sn);
            }
        }
        self.0.reload_requested.notify_one();
    }

    /// Another process has exchanged this unit: its system is read from scratch, soon.
    pub(crate) fn request_replaced_unit(&self, sn: Serial) {
        self.replaced_units().insert(sn);
        self.0.reload_requested.notify_one();
    }

    fn replaced_units(&self) -> MutexGuard<'_, BTreeSet<Serial>> {
        let replaced_units = self.0.replaced_units.lock();
        replaced_units.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what was requested. Never returns. Separate from the listener, which must not wait for the database.
    pub(crate) async fn reload_requested(&self) {
        loop {
            self.0.reload_requested.notified().await;
            let replaced = std::mem::take(&mut *self.replaced_units());
            for sn in &replaced {
                self.reload_replaced_unit(sn).await;
            }
            while let Err(error) = self.load_missing().await {
                tracing::warn!(%error, "systems_reload_failed: retrying");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }

    /// Reads one system again if it is in the view: a person changed something about it.
    pub(crate) async fn reload_held(&self, sn: &Serial) {
        if !self.0.systems.contains_key(sn) {
            return self.note_change_while_loading(sn);
        }
        let _reading = self.0.read_lock.lock().await;
        if let Err(error) = self.read_systems(std::slice::from_ref(sn)).await {
            tracing::warn!(%error, %sn, "system_reload_failed: the live view may be outdated");
        }
    }

    /// Reads a system from scratch after its unit was exchanged, if it is in the view. What is in memory belongs to the old unit.
    pub(crate) async fn reload_replaced_unit(&self, sn: &Serial) {
        let _reading = self.0.read_lock.lock().await;
        if self.0.systems.remove(sn).is_none() {
            return self.note_change_while_loading(sn);
        }
        if let Err(error) = self.read_systems(std::slice::from_ref(sn)).await {
            tracing::warn!(%error, %sn, "replaced_unit_reload_failed: removed from the live view");
        }
    }

    /// A person changed something about a system: reads it again, here and in the other processes.
    pub async fn reload_everywhere(&self, sn: &Serial) {
        self.reload_held(sn).await;
        self.0
            .peers
            .send_change(sn, |sn| PeerMessage::Reload { sn });
    }

    /// Sets what the battery reported about itself.
    pub(super) fn set_facts(&self, sn: &Serial, facts: &SystemFacts) {
        let mut moved = false;
        self.change(sn, |snapshot| {
            moved = snapshot.facts.zone != facts.zone;
            snapshot.facts = Arc::new(facts.clone());
        });
        self.note_change_while_loading(sn);
        if moved {
            self.queue_day_totals(sn);
        }
    }

    /// Reads systems while the read lock is held. Those that do not exist are removed.
    async fn read_systems(&self, systems: &[Serial]) -> Result<()> {
        for sn in systems {
            self.0.loading.insert(sn.clone(), false);
        }
        let read = self.read_snapshots(systems).await;
        let read = read.map(|mut snapshots| {
            for sn in systems {
                match snapshots.remove(sn) {
                    Some(snapshot) => self.put_read(sn, snapshot),
                    None => drop(self.0.systems.remove(sn)),
                }
            }
        });
        let changed = |sn: &&Serial| {
            self.0
                .loading
                .remove(*sn)
                .is_some_and(|(_, changed)| changed)
        };
        let changed: Vec<Serial> = systems.iter().filter(changed).cloned().collect();
        if !changed.is_empty() {
            self.request_reload(changed);
        }
        read
    }

    fn put_read(&self, sn: &Serial, mut snapshot: Snapshot) {
        let known = self.0.systems.contains_key(sn);
        if !known && self.0.peers.has_peers() {
            self.new_systems().push(sn.clone());
            self.0.new_systems_added.notify_one();
        }
        let measured = snapshot.sample.is_some() || known;
        if !measured {
            // Nothing was ever measured: the day totals need not be read.
            let zone = &snapshot.facts.zone;
            let today = zone.day_of(self.0.clock.now());
            snapshot.tally = Some(DayEnergy::new(zone.bounds(today)));
        }
        self.put(sn, snapshot);
        if measured {
            self.queue_day_totals(sn);
        }
    }

    async fn read_snapshots(&self, systems: &[Serial]) -> Result<HashMap<Serial, Snapshot>> {
        let (store, now) = (&self.0.store, self.0.clock.now());
        let mut snapshots: HashMap<Serial, Snapshot> = HashMap::with_capacity(systems.len());
        let facts = store.facts_of(systems).await?.into_iter();
        snapshots.extend(facts.map(|(sn, facts)| (sn, Snapshot::new(facts))));
        for (sn, presence) in store.presences_of(systems).await? {
            set(&mut snapshots, &sn, |one| one.set_presence(presence));
        }
        // Samples with a later time were stamped while our clock was ahead.
        let until = now + MAX_CLOCK_SKEW;
        let samples = store.telemetry.latest_samples(systems, until);
        for (sn, sample) in samples.await? {
            set(&mut snapshots, &sn, |one| one.sample = Some(sample));
        }
        for (sn, events) in store.newest_events_of(systems).await? {
            set(&mut snapshots, &sn, |one| one.events = events.into());
        }
        let since = now - ENDED_UPDATE_SHOWN_FOR;
        let updates: Vec<UpdateJob> = store.newest_updates_of(systems, since).await?;
        for job in updates {
            let sn = job.sn.clone();
            set(&mut snapshots, &sn, |one| one.update = Some(Arc::new(job)));
        }
        let mut effects: HashMap<Serial, Vec<Effect>> = HashMap::new();
        for (sn, effect) in store.effects_of(systems, now).await? {
            effects.entry(sn).or_default().push(effect);
        }
        for (sn, effects) in effects {
            set(&mut snapshots, &sn, |one| one.effects = effects.into());
        }
        let mut alarms: HashMap<Serial, Vec<OpenAlarm>> = HashMap::new();
        for (sn, alarm) in store.open_alarms_of(systems).await? {
            alarms.entry(sn).or_default().push(alarm);
        }
        for (sn, alarms) in alarms {
            set(&mut snapshots, &sn, |one| one.alarms = alarms.into());
        }
        let forecasts = store.newest_forecasts_of(systems, now - MAX_FORECAST_AGE);
        for (sn, issue) in forecasts.await? {
            set(&mut snapshots, &sn, |one| {
                one.forecast = Some(Arc::new(issue))
            });
        }
        Ok(snapshots)
    }
}

fn set(snapshots: &mut HashMap<Serial, Snapshot>, sn: &Serial, change: impl FnOnce(&mut Snapshot)) {
    if let Some(snapshot) = snapshots.get_mut(sn) {
        change(snapshot);
    }
}

struct BatchBeingRead<'a> {
    view: &'a LiveView,
    /// Empty once it was read.
    batch: Vec<Serial>,
}

impl Drop for BatchBeingRead<'_> {
    fn drop(&mut self) {
        self.view.to_load().extend(self.batch.drain(..));
    }
}

/// Adds the first of those that wait to a batch, until it is full.
fn fill_up(batch: &mut Vec<Serial>, to_load: &mut BTreeSet<Serial>) {
    let room = MAX_BATCH_SIZE.saturating_sub(batch.len());
    batch.extend(std::iter::from_fn(|| to_load.pop_first()).take(room));
}
