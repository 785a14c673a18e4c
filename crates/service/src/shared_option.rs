//! The operator changes an option that all processes share.
use crate::{Result, Service};
use domain::journal::JournalEvent;
use store::journal::{Actor, NewEntry};
use store::shared_option;

impl Service {
    /// `None` forgets the option.
    pub async fn set_shared_option(&self, name: &str, value: Option<&str>) -> Result<()> {
        let mut t = self.begin().await?;
        shared_option::set(&mut t, name, value).await?;
        let event = JournalEvent::OptionSet {
            name: name.to_owned(),
            forgotten: value.is_none(),
        };
        let entry = NewEntry::without_account(event, t.now);
        t.journal(entry.with_actor(Actor::Operator)).await?;
        t.commit().await
    }
}
