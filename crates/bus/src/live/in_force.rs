//! The effects in force at each system, read again when one begins or ends.
use super::LiveView;
use crate::changes::ChangeKind;
use crate::peer_message::PeerMessage;
use domain::Serial;
use domain::clock::Millis;
use domain::in_force::{Effect, EffectKind};
use std::sync::{Arc, PoisonError};

impl LiveView {
    /// A person or a job began or ended an effect: reads what is in force, here and in other processes.
    pub(crate) async fn in_force_changed(&self, sn: &Serial) {
        let read = self.0.read_lock.lock().await;
        if self.0.systems.contains_key(sn) {
            match self.0.store.effects_at(sn, self.0.clock.now()).await {
                Ok(effects) => self.change(sn, |snapshot| snapshot.effects = effects.into()),
                Err(error) => {
                    tracing::warn!(%error, %sn, "effects_read_failed: the live view shows older ones")
                }
            }
        } else {
            self.note_change_while_loading(sn);
        }
        drop(read);
        self.0
            .peers
            .send_change(sn, |sn| PeerMessage::Reload { sn });
    }

    /// Whether the battery was sent a plan that it may still follow, as far as this process knows.
    pub(crate) fn may_follow_plan(&self, sn: &Serial) -> bool {
        let is_plan = |effect: &Effect| matches!(effect.kind, EffectKind::Plan { .. });
        let snapshot = self.0.systems.get(sn);
        snapshot.is_none_or(|snapshot| snapshot.effects.iter().any(is_plan))
    }

    /// Since when the brake is on.
    pub fn braked_since(&self) -> Option<Millis> {
        let braked = self.0.braked_since.read();
        *braked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the brake. It concerns all systems, so a change notifies every subscriber.
    pub async fn read_brake(&self) -> store::Result<()> {
        let brake = self.0.store.brake().await?.map(|brake| brake.since);
        if self.braked_since() == brake {
            return Ok(());
        }
        let braked = self.0.braked_since.write();
        *braked.unwrap_or_else(PoisonError::into_inner) = brake;
        for mut entry in self.0.systems.iter_mut() {
            Arc::make_mut(&mut entry).changed_at = self.0.clock.now();
            self.0.subscribers.notify(entry.key(), &ChangeKind::Live);
        }
        Ok(())
    }
}
