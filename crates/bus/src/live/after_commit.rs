//! What a committed report sets off that needs the database: systems that enter the view, effects that begin or end. Queued, so
//! that a battery is acknowledged after its own commit and waits for nobody's reads.
use super::LiveView;
use super::load::MAX_BATCH_SIZE;
use crate::peer_message::PeerMessage;
use domain::clock::Millis;
use domain::in_force::Effect;
use domain::{Sample, Serial};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::firmware::UpdateJob;
use tokio::sync::Notify;

/// At most one entry per system and kind, however many reports come meanwhile.
#[derive(Debug, Default)]
struct Queue {
    /// Systems that are not in the view, with their newest contact.
    new_systems: BTreeMap<Serial, Option<Millis>>,
    /// Systems whose effects began or ended.
    effects: BTreeSet<Serial>,
    /// Samples that end effects.
    ending: BTreeMap<Serial, Sample>,
    /// When batteries were switched on again after an update.
    switched_on: BTreeMap<Serial, Millis>,
    /// What was taken from the queue is being worked on.
    is_working: bool,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.new_systems.is_empty()
            && self.effects.is_empty()
            && self.ending.is_empty()
            && self.switched_on.is_empty()
    }
}

#[derive(Debug, Default)]
pub(super) struct AfterCommit {
    queue: Mutex<Queue>,
    added: Notify,
}

impl AfterCommit {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, add: impl FnOnce(&mut Queue)) {
        add(&mut self.queue());
        self.added.notify_one();
    }

    /// Everything that waits; `None` when nothing does.
    fn take(&self) -> Option<Queue> {
        let mut queue = self.queue();
        queue.is_working = !queue.is_empty();
        let is_working = queue.is_working;
        is_working.then(|| {
            let rest = Queue {
                is_working,
                ..Queue::default()
            };
            std::mem::replace(&mut *queue, rest)
        })
    }
}

impl LiveView {
    /// A system that is not in the view has reported.
    pub(super) fn hold_after_commit(&self, sn: &Serial, contact: Option<Millis>) {
        self.0.after_commit.add(|queue| {
            let known = queue.new_systems.entry(sn.clone()).or_default();
            *known = contact.max(*known);
        });
    }

    pub(super) fn read_effects_after_commit(&self, sn: &Serial) {
        self.0.after_commit.add(|queue| {
            queue.effects.insert(sn.clone());
        });
    }

    /// Queues the end of effects that this sample completes: a charge that reached its target must not begin again when the SoC
    /// falls.
    pub(super) fn end_effects_after_commit(&self, sn: &Serial, sample: &Sample) {
        let Some(snapshot) = self.get(sn) else { return };
        if snapshot.effects.iter().any(|one| one.is_ended_by(sample)) {
            self.0.after_commit.add(|queue| {
                queue.ending.insert(sn.clone(), *sample);
            });
        }
    }

    /// Queues the end of the wait for the main switch once the battery was switched on after an update: a later switch-off is not
    /// part of it.
    pub(super) fn end_switch_step_after_commit(&self, sn: &Serial, samples: &[Sample]) {
        let Some(job) = self.get(sn).and_then(|snapshot| snapshot.update.clone()) else {
            return;
        };
        if let Some(on) = first_switched_on(&job, samples) {
            self.0.after_commit.add(|queue| {
                queue.switched_on.entry(sn.clone()).or_insert(on);
            });
        }
    }

    /// Whether the view shows all that committed reports have changed.
    pub fn is_up_to_date(&self) -> bool {
        let queue = self.0.after_commit.queue();
        queue.is_empty() && !queue.is_working && !self.is_reading()
    }

    /// Works through the queue. Never returns.
    pub(crate) async fn work_after_commits(&self) {
        loop {
            match self.0.after_commit.take() {
                Some(queue) => self.work_through(queue).await,
                None => self.0.after_commit.added.notified().await,
            }
        }
    }

    async fn work_through(&self, queue: Queue) {
        let new: Vec<Serial> = queue.new_systems.keys().cloned().collect();
        if let Err(error) = self.hold(&new).await {
            tracing::warn!(%error, systems = new.len(), "systems_load_failed: retrying");
            self.0.reload_requested.notify_one();
        }
        for (sn, contact) in queue.new_systems {
            if let Some(contact) = contact {
                self.touch_last_contact(&sn, contact);
            }
        }
        for (sn, at) in queue.switched_on {
            match self.0.store.record_switched_on_after_update(&sn, at).await {
                Ok(()) => self.update_changed(&sn).await,
                // Repeated with the next report.
                Err(error) => {
                    tracing::warn!(%error, %sn, "update_end_write_failed: the next report tries again")
                }
            }
        }
        let mut changed = queue.effects;
        for (sn, sample) in queue.ending {
            if self.end_effects(&sn, &sample).await {
                changed.insert(sn);
            }
        }
        let changed: Vec<Serial> = changed.into_iter().collect();
        for batch in changed.chunks(MAX_BATCH_SIZE) {
            self.read_effects_of(batch).await;
        }
    }

    /// Returns whether any was ended.
    async fn end_effects(&self, sn: &Serial, sample: &Sample) -> bool {
        let Some(snapshot) = self.get(sn) else {
            return false;
        };
        let over = snapshot.effects.iter();
        let over: Vec<&Effect> = over.filter(|effect| effect.is_ended_by(sample)).collect();
        if over.is_empty() {
            return false;
        }
        let ended = self.0.store.end_effects(sn, &over, sample.at).await;
        if let Err(error) = &ended {
            // The next sample ends it.
            tracing::warn!(%error, %sn, "effects_end_failed: retrying with the next sample");
        }
        ended.is_ok()
    }

    async fn read_effects_of(&self, systems: &[Serial]) {
        let reading = self.0.read_lock.lock().await;
        match self.0.store.effects_of(systems, self.0.clock.now()).await {
            Ok(read) => {
                let mut effects: HashMap<Serial, Vec<Effect>> = HashMap::new();
                for (sn, effect) in read {
                    effects.entry(sn).or_default().push(effect);
                }
                for sn in systems {
                    let effects = effects.remove(sn).unwrap_or_default();
                    self.change(sn, |snapshot| snapshot.effects = effects.into());
                }
            }
            Err(error) => {
                tracing::warn!(%error, systems = systems.len(), "effects_read_failed: reading the systems again");
                self.request_reload(systems.iter().cloned());
            }
        }
        drop(reading);
        for sn in systems {
            self.0
                .peers
                .send_change(sn, |sn| PeerMessage::Reload { sn });
        }
    }
}

fn first_switched_on(job: &UpdateJob, samples: &[Sample]) -> Option<Millis> {
    let on = samples.iter().find(|sample| job.is_switched_on_by(sample));
    on.map(|sample| sample.at)
}
