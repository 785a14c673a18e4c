//! The operator's brake: the stop of all changes at batteries.
use crate::{Result, Service};
use serde_json::json;
use store::guard;
use store::journal::{Actor, JournalEvent, NewEntry};

impl Service {
    /// Stops all changes at all batteries. `false` when they were stopped already.
    pub async fn put_brake_on(&self, reason: &str) -> Result<bool> {
        let mut t = self.begin().await?;
        let now = t.now;
        if !guard::put_brake_on(&mut t, reason, now).await? {
            return Ok(false);
        }
        let entry = NewEntry::without_account(JournalEvent::FleetBraked, now)
            .with_actor(Actor::Operator)
            .with(json!({ "reason": reason }));
        t.journal(entry).await?;
        t.commit().await?;
        Ok(true)
    }

    /// Allows changes again. `false` when they were not stopped.
    pub async fn release_brake(&self) -> Result<bool> {
        let mut t = self.begin().await?;
        if !guard::release_brake(&mut t).await? {
            return Ok(false);
        }
        let entry = NewEntry::without_account(JournalEvent::FleetReleased, t.now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await?;
        Ok(true)
    }
}
