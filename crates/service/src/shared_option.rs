//! Changes of options that all processes share, by the operator.
use crate::{Result, Service};
use domain::clock::Millis;
use domain::journal::JournalEvent;
use store::journal::{Actor, NewEntry};
use store::shared_option;

impl Service {
    /// `None` removes the option.
    pub async fn set_shared_option(&self, name: &str, value: Option<&str>) -> Result<()> {
        let mut t = self.begin().await?;
        shared_option::set(&mut t, name, value).await?;
        t.journal(entry(name, value.is_none(), t.now)).await?;
        t.commit().await
    }

    /// Stores the value that a process was started with, unless there is one. Returns the stored value.
    pub async fn agree_on_option(&self, name: &str, value: &str) -> Result<String> {
        let mut t = self.begin().await?;
        if shared_option::set_if_missing(&mut t, name, value).await? {
            t.journal(entry(name, false, t.now)).await?;
        }
        let agreed = shared_option::get(&mut t, name).await?;
        t.commit().await?;
        Ok(agreed)
    }
}

fn entry(name: &str, forgotten: bool, now: Millis) -> NewEntry<'static> {
    let name = name.to_owned();
    let event = JournalEvent::OptionSet { name, forgotten };
    NewEntry::without_account(event, now).with_actor(Actor::Operator)
}
