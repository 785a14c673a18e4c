//! Changes of the operator's secret, and rotation of the keys.
use crate::{Result, Service};
use domain::clock::{DAY, Millis};
use domain::journal::JournalEvent;
use store::Secret;
use store::journal::{Actor, NewEntry};
use store::secret_keys::{self, KeyVersion};

impl Service {
    /// Creates a new version of the keys. Tokens of older versions are accepted for `grace` after it becomes active. `None` if
    /// the last rotation is not finished.
    pub async fn rotate_keys(&self, grace: Millis) -> Result<Option<KeyVersion>> {
        let mut t = self.begin().await?;
        let (keyring, now) = (self.store.keyring(), t.now);
        let new = secret_keys::rotate(&mut t, keyring, grace, &self.random, now).await?;
        let Some(new) = new else {
            return Ok(None);
        };
        let event = JournalEvent::KeysRotated {
            version: new.version.into(),
            grace_days: grace / DAY,
        };
        let entry = NewEntry::without_account(event, now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await?;
        self.store.reload_keys(now).await?;
        Ok(Some(new))
    }

    /// Wraps every key with another secret, all or none.
    pub async fn change_secret(&self, new: &Secret) -> Result<()> {
        let mut t = self.begin().await?;
        secret_keys::wrap_with(&mut t, self.store.keyring(), new, &self.random).await?;
        let entry = NewEntry::without_account(JournalEvent::SecretChanged, t.now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await
    }
}
