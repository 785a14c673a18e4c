//! What is read from the store: everything at the start, one system when something about it changed.
use super::{Live, UPDATE_SHOWN};
use crate::notice::Notice;
use crate::snapshot::Snapshot;
use domain::clock::{MAX_CLOCK_SKEW, Millis};
use domain::energy::Tally;
use domain::in_force::Effect;
use domain::{Sample, Serial};
use std::collections::HashMap;
use std::sync::Arc;
use store::device::Facts;
use store::event::LoggedEvent;
use store::firmware::UpdateJob;
use store::presence::Presence;

impl Live {
    /// Reads everything; at the start, and when notices of other processes were missed.
    pub async fn load(&self) -> store::Result<()> {
        let _reading = self.0.reading.lock().await;
        let store = &self.0.store;
        let mut presences: HashMap<Serial, Presence> =
            store.presences().await?.into_iter().collect();
        let mut samples: HashMap<Serial, Sample> = store
            .latest_samples(self.newest_believable())
            .await?
            .into_iter()
            .collect();
        let mut events: HashMap<Serial, Vec<LoggedEvent>> =
            store.newest_events().await?.into_iter().collect();
        let since = self.0.clock.now() - UPDATE_SHOWN;
        let updates = store.newest_updates(since).await?.into_iter();
        let mut updates: HashMap<Serial, UpdateJob> =
            updates.map(|job| (job.sn.clone(), job)).collect();
        self.take_releases(store.running_releases().await?);
        let mut effects: HashMap<Serial, Vec<Effect>> = HashMap::new();
        for (sn, effect) in store.effects(self.0.clock.now()).await? {
            effects.entry(sn).or_default().push(effect);
        }
        for (sn, facts) in store.all_facts().await? {
            let mut snapshot = Snapshot::new(facts);
            snapshot.update = updates.remove(&sn).map(Arc::new);
            snapshot.effects = effects.remove(&sn).unwrap_or_default().into();
            snapshot.messages = events.remove(&sn).unwrap_or_default().into();
            snapshot.sample = samples.remove(&sn);
            if let Some(presence) = presences.remove(&sn) {
                snapshot.stand(presence);
            }
            let known = self.get(&sn).is_some();
            if snapshot.sample.is_none() && !known {
                // Nothing was ever measured, so that there is nothing to read.
                let zone = &snapshot.facts.zone;
                let today = zone.day_of(self.0.clock.now());
                snapshot.tally = Some(Tally::new(zone.bounds(today)));
                self.put(&sn, snapshot);
                continue;
            }
            self.put(&sn, snapshot);
            self.count_again(&sn);
        }
        self.take_alarms(store.open_alarms().await?);
        self.read_brake().await
    }

    /// What was measured later than this was stamped while our clock was ahead.
    fn newest_believable(&self) -> Millis {
        self.0.clock.now() + MAX_CLOCK_SKEW
    }

    /// Reads one system again: its facts changed, or it is new here.
    pub async fn reload(&self, sn: &Serial) -> store::Result<()> {
        self.read_one(sn, false).await
    }

    pub(crate) async fn reload_or_log(&self, sn: &Serial) {
        if let Err(error) = self.reload(sn).await {
            tracing::warn!(%error, %sn, "the live view of a system could not be read");
        }
    }

    /// Reads one system as if it had never been seen: its unit was exchanged, so that nothing of what is known here holds.
    pub(crate) async fn renew(&self, sn: &Serial) {
        if let Err(error) = self.read_one(sn, true).await {
            tracing::warn!(%error, %sn, "the live view of an exchanged unit could not be read");
            self.0.systems.remove(sn);
        }
    }

    async fn read_one(&self, sn: &Serial, anew: bool) -> store::Result<()> {
        let _reading = self.0.reading.lock().await;
        let store = &self.0.store;
        let Some(facts) = store.facts(sn).await? else {
            self.0.systems.remove(sn);
            return Ok(());
        };
        let mut snapshot = Snapshot::new(facts);
        snapshot.messages = store.newest_events_of(sn).await?.into();
        snapshot.update = store.newest_update(sn).await?.map(Arc::new);
        snapshot.effects = store.effects_at(sn, self.0.clock.now()).await?.into();
        if let Some(presence) = store.presence(sn).await? {
            snapshot.stand(presence);
        }
        if anew {
            snapshot.sample = store.latest_sample(sn, self.newest_believable()).await?;
            self.0.systems.remove(sn);
        }
        self.put(sn, snapshot);
        self.count_again(sn);
        Ok(())
    }

    /// Somebody said something else about a system than its battery does: reads it again, here and in the other processes.
    pub async fn described(&self, sn: &Serial) {
        self.reload_or_log(sn).await;
        self.0.notices.send(Notice::Reload { sn: sn.to_string() });
    }

    /// Takes what the battery says about itself now.
    pub(super) async fn describe(&self, sn: &Serial, facts: &Facts) {
        let _reading = self.0.reading.lock().await;
        let mut moved = false;
        self.change(sn, |snapshot| {
            moved = snapshot.facts.zone != facts.zone;
            snapshot.facts = Arc::new(facts.clone());
        });
        if moved {
            self.count_again(sn);
        }
    }
}
