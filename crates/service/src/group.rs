//! Groups: an account's systems under a common name.
use crate::{Result, Service};
use domain::group::MAX_GROUPS;
use domain::{AccountId, GroupName};
use serde_json::json;
use store::journal::{JournalEvent, NewEntry};
use store::{Access, account, group};

/// A change of a group. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct GroupChange<'a> {
    pub name: Option<GroupName>,
    /// The new, complete list of its systems.
    pub systems: Option<Vec<&'a Access>>,
}

impl Service {
    /// Creates a group and returns its number. `None` when the account has the maximum number of groups. Each of the systems
    /// leaves its previous group.
    pub async fn create_group(
        &self,
        account: AccountId,
        name: &GroupName,
        systems: &[&Access],
    ) -> Result<Option<i64>> {
        let mut t = self.begin().await?;
        let now = t.now;
        account::lock_account_row(&mut t, account).await?;
        if group::count(&mut t, account).await? >= MAX_GROUPS {
            return Ok(None);
        }
        let id = group::insert(&mut t, account, name, now).await?;
        group::set_members(&mut t, account, id, systems).await?;
        let entry = NewEntry::by(account, JournalEvent::GroupCreated, now);
        t.journal(entry.with(json!({ "group": id }))).await?;
        t.commit().await?;
        Ok(Some(id))
    }

    /// Renames a group or replaces its systems. `false` when the account has no such group.
    pub async fn change_group(
        &self,
        account: AccountId,
        id: i64,
        change: &GroupChange<'_>,
    ) -> Result<bool> {
        let mut t = self.begin().await?;
        if !group::rename(&mut t, account, id, change.name.as_ref()).await? {
            return Ok(false);
        }
        if let Some(systems) = &change.systems {
            group::set_members(&mut t, account, id, systems).await?;
        }
        let fields = [
            ("name", change.name.is_some()),
            ("sn", change.systems.is_some()),
        ];
        let fields = fields.into_iter().filter(|(_, given)| *given);
        let fields: Vec<&str> = fields.map(|(name, _)| name).collect();
        if !fields.is_empty() {
            let entry = NewEntry::by(account, JournalEvent::GroupChanged, t.now);
            t.journal(entry.with(json!({ "group": id, "fields": fields })))
                .await?;
        }
        t.commit().await?;
        Ok(true)
    }

    /// Deletes a group; its systems are then in no group. `false` when the account has no such group.
    pub async fn delete_group(&self, account: AccountId, id: i64) -> Result<bool> {
        let mut t = self.begin().await?;
        if !group::delete(&mut t, account, id).await? {
            return Ok(false);
        }
        let entry = NewEntry::by(account, JournalEvent::GroupDeleted, t.now);
        t.journal(entry.with(json!({ "group": id }))).await?;
        t.commit().await?;
        Ok(true)
    }
}
