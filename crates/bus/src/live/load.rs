//! Reads the live view from the store: everything at the start, one system when something about it changed.
use super::{ENDED_UPDATE_SHOWN_FOR, LiveView};
use crate::peer_message::PeerMessage;
use crate::snapshot::Snapshot;
use domain::clock::{MAX_CLOCK_SKEW, Millis};
use domain::energy::DayEnergy;
use domain::in_force::Effect;
use domain::{Sample, Serial};
use std::collections::HashMap;
use std::sync::Arc;
use store::device::SystemFacts;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;
use store::presence::Presence;

impl LiveView {
    /// Reads everything: at the start, and when peer messages were missed.
    pub async fn load(&self) -> store::Result<()> {
        let _reading = self.0.read_lock.lock().await;
        let store = &self.0.store;
        let mut presences: HashMap<Serial, Presence> =
            store.presences().await?.into_iter().collect();
        let mut samples: HashMap<Serial, Sample> = store
            .telemetry
            .latest_samples(store.serials().await?, self.latest_plausible_time())
            .await?
            .into_iter()
            .collect();
        let mut events: HashMap<Serial, Vec<LoggedEvent>> =
            store.newest_events().await?.into_iter().collect();
        let since = self.0.clock.now() - ENDED_UPDATE_SHOWN_FOR;
        let updates = store.newest_updates(since).await?.into_iter();
        let mut updates: HashMap<Serial, UpdateJob> =
            updates.map(|job| (job.sn.clone(), job)).collect();
        self.set_releases(store.running_releases().await?);
        let mut effects: HashMap<Serial, Vec<Effect>> = HashMap::new();
        for (sn, effect) in store.effects(self.0.clock.now()).await? {
            effects.entry(sn).or_default().push(effect);
        }
        for (sn, facts) in store.all_facts().await? {
            let mut snapshot = Snapshot::new(facts);
            snapshot.update = updates.remove(&sn).map(Arc::new);
            snapshot.effects = effects.remove(&sn).unwrap_or_default().into();
            snapshot.events = events.remove(&sn).unwrap_or_default().into();
            snapshot.sample = samples.remove(&sn);
            if let Some(presence) = presences.remove(&sn) {
                snapshot.set_presence(presence);
            }
            let known = self.get(&sn).is_some();
            if snapshot.sample.is_none() && !known {
                // Nothing was ever measured: the day totals need not be read.
                let zone = &snapshot.facts.zone;
                let today = zone.day_of(self.0.clock.now());
                snapshot.tally = Some(DayEnergy::new(zone.bounds(today)));
                self.put(&sn, snapshot);
                continue;
            }
            self.put(&sn, snapshot);
            self.queue_day_totals(&sn);
        }
        self.set_alarms(store.open_alarms().await?);
        self.read_brake().await
    }

    /// Samples with a later time were stamped while our clock was ahead.
    fn latest_plausible_time(&self) -> Millis {
        self.0.clock.now() + MAX_CLOCK_SKEW
    }

    /// Reads one system again: its facts changed, or it is new here.
    pub async fn reload(&self, sn: &Serial) -> store::Result<()> {
        self.read_system(sn, false).await
    }

    pub(crate) async fn reload_or_log(&self, sn: &Serial) {
        if let Err(error) = self.reload(sn).await {
            tracing::warn!(%error, %sn, "system_reload_failed: the live view may be outdated");
        }
    }

    /// Reads one system from scratch: its unit was exchanged, and what memory holds is of the old one.
    pub(crate) async fn reload_replaced_unit(&self, sn: &Serial) {
        if let Err(error) = self.read_system(sn, true).await {
            tracing::warn!(%error, %sn, "replaced_unit_reload_failed: removed from the live view");
            self.0.systems.remove(sn);
        }
    }

    async fn read_system(&self, sn: &Serial, from_scratch: bool) -> store::Result<()> {
        let _reading = self.0.read_lock.lock().await;
        let store = &self.0.store;
        let Some(facts) = store.facts(sn).await? else {
            self.0.systems.remove(sn);
            return Ok(());
        };
        let mut snapshot = Snapshot::new(facts);
        snapshot.events = store.newest_events_of(sn).await?.into();
        snapshot.update = store.newest_update(sn).await?.map(Arc::new);
        snapshot.effects = store.effects_at(sn, self.0.clock.now()).await?.into();
        if let Some(presence) = store.presence(sn).await? {
            snapshot.set_presence(presence);
        }
        if from_scratch {
            snapshot.sample = store
                .telemetry
                .latest_sample(sn, self.latest_plausible_time())
                .await?;
            self.0.systems.remove(sn);
        }
        self.put(sn, snapshot);
        self.queue_day_totals(sn);
        Ok(())
    }

    /// A person changed something about a system: reads it again, here and in the other processes.
    pub async fn reload_everywhere(&self, sn: &Serial) {
        self.reload_or_log(sn).await;
        self.0
            .peers
            .send(PeerMessage::Reload { sn: sn.to_string() });
    }

    /// Sets what the battery reported about itself.
    pub(super) async fn set_facts(&self, sn: &Serial, facts: &SystemFacts) {
        let _reading = self.0.read_lock.lock().await;
        let mut moved = false;
        self.change(sn, |snapshot| {
            moved = snapshot.facts.zone != facts.zone;
            snapshot.facts = Arc::new(facts.clone());
        });
        if moved {
            self.queue_day_totals(sn);
        }
    }
}
