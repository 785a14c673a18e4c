//! What is in force at each system, in the live view: read again when something begins or ends.
use super::Live;
use crate::changes::Part;
use crate::notice::Notice;
use domain::clock::Millis;
use domain::in_force::{Effect, EffectKind};
use domain::{Sample, Serial};
use std::sync::{Arc, PoisonError};

impl Live {
    /// Something began or ended at a system: reads what is in force, here and in other processes.
    pub(crate) async fn in_force_changed(&self, sn: &Serial) {
        let read = self.0.reading.lock().await;
        match self.0.store.effects_at(sn, self.0.clock.now()).await {
            Ok(effects) => self.change(sn, |snapshot| snapshot.effects = effects.into()),
            Err(error) => tracing::warn!(%error, %sn, "what is in force cannot be read"),
        }
        drop(read);
        self.0.notices.send(Notice::Reload { sn: sn.to_string() });
    }

    /// Whether the battery was told a plan that it may still follow.
    pub(crate) fn follows_plan(&self, sn: &Serial) -> bool {
        let is_plan = |effect: &Effect| matches!(effect.kind, EffectKind::Plan { .. });
        let found = self.0.systems.get(sn);
        found.is_some_and(|found| found.effects.iter().any(is_plan))
    }

    /// A report may say that a command has done its work: a charge that is reached does not begin again when it falls.
    pub(super) async fn end_effects(&self, sn: &Serial, sample: &Sample) {
        let Some(snapshot) = self.get(sn) else { return };
        let over = snapshot.effects.iter();
        let over: Vec<&Effect> = over.filter(|effect| effect.is_ended_by(sample)).collect();
        if over.is_empty() {
            return;
        }
        match self.0.store.end_effects(sn, &over, sample.at).await {
            Ok(()) => self.in_force_changed(sn).await,
            // The next report says the same.
            Err(error) => tracing::warn!(%error, %sn, "what is over cannot be written down"),
        }
    }

    /// Since when the operator has stopped all changes.
    pub fn braked_since(&self) -> Option<Millis> {
        let braked = self.0.braked_since.read();
        *braked.unwrap_or_else(PoisonError::into_inner)
    }

    /// The brake is for all systems: whoever looks at one hears when it is put on or released.
    pub async fn read_brake(&self) -> store::Result<()> {
        let brake = self.0.store.brake().await?.map(|brake| brake.since);
        if self.braked_since() == brake {
            return Ok(());
        }
        let braked = self.0.braked_since.write();
        *braked.unwrap_or_else(PoisonError::into_inner) = brake;
        for mut entry in self.0.systems.iter_mut() {
            Arc::make_mut(&mut entry).changed_at = self.0.clock.now();
            self.0.subscribers.tell(entry.key(), &Part::Live);
        }
        Ok(())
    }
}
