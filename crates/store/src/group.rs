//! Groups: an account's systems under a common name. A system is in at most one group of an account.
use crate::journal::{JournalEvent, NewEntry};
use crate::{Access, Result, Store, account};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::group::MAX_GROUPS;
use domain::{AccountId, GroupName, Serial};
use serde_json::json;
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: i64,
    pub name: String,
    pub systems: Vec<Serial>,
}

/// A change of a group. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default)]
pub struct GroupChange<'a> {
    pub name: Option<GroupName>,
    /// The new, complete list of its systems.
    pub systems: Option<Vec<&'a Access>>,
}

#[derive(Debug, FromRow)]
struct GroupNameRow {
    id: i64,
    name: String,
    folded: String,
}

#[derive(Debug, FromRow)]
struct GroupMemberRow {
    sn: String,
    group_id: i64,
}

impl Store {
    /// The groups of an account by name, each with its members among `systems`. Systems that the account may no longer access are
    /// left out.
    pub async fn groups(&self, account: AccountId, systems: &[Access]) -> Result<Vec<Group>> {
        let mut groups: Vec<GroupNameRow> = on!(self, p => sqlx::query_as(
            "SELECT id, name, folded FROM groups WHERE account_id = $1")
            .bind(account.0).fetch_all(p).await)?;
        // Sorted here, because the engines collate differently.
        groups.sort_by(|one, other| one.folded.cmp(&other.folded));
        let members: Vec<GroupMemberRow> = on!(self, p => sqlx::query_as(
            "SELECT sn, group_id FROM group_systems WHERE account_id = $1")
            .bind(account.0).fetch_all(p).await)?;
        let members: HashMap<String, i64> =
            members.into_iter().map(|m| (m.sn, m.group_id)).collect();
        let group = |named: GroupNameRow| {
            let inside = |access: &&Access| members.get(access.sn().as_str()) == Some(&named.id);
            let systems = systems.iter().filter(inside);
            Group {
                systems: systems.map(|access| access.sn().clone()).collect(),
                id: named.id,
                name: named.name,
            }
        };
        Ok(groups.into_iter().map(group).collect())
    }

    /// Creates a group and returns its number. `None` when the account has the maximum number of groups. Each of the systems
    /// leaves its previous group.
    pub async fn create_group(
        &self,
        account: AccountId,
        name: &GroupName,
        systems: &[&Access],
        now: Millis,
    ) -> Result<Option<i64>> {
        let mut tx = self.db.begin().await?;
        account::lock_account_row(&mut tx, account).await?;
        let made: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "SELECT COUNT(*) FROM groups WHERE account_id = $1")
            .bind(account.0).fetch_one(c).await)?;
        if made >= MAX_GROUPS {
            return Ok(None);
        }
        let id: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "INSERT INTO groups (account_id, name, folded, created_at) VALUES ($1, $2, $3, $4) RETURNING id")
            .bind(account.0).bind(name.as_str()).bind(name.folded()).bind(now).fetch_one(c).await)?;
        set_members(&mut tx, account, id, systems).await?;
        NewEntry::by(account, JournalEvent::GroupCreated, now)
            .with(json!({ "group": id }))
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(Some(id))
    }

    /// Renames a group or replaces its systems. `false` when the account has no such group.
    pub async fn change_group(
        &self,
        account: AccountId,
        id: i64,
        change: &GroupChange<'_>,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let found = execute!(
            &mut tx,
            sqlx::query(
                "UPDATE groups SET name = COALESCE($3, name), folded = COALESCE($4, folded)
                 WHERE id = $1 AND account_id = $2"
            )
            .bind(id)
            .bind(account.0)
            .bind(change.name.as_ref().map(GroupName::as_str))
            .bind(change.name.as_ref().map(GroupName::folded))
        )?;
        if found == 0 {
            return Ok(false);
        }
        if let Some(systems) = &change.systems {
            set_members(&mut tx, account, id, systems).await?;
        }
        let fields = [
            ("name", change.name.is_some()),
            ("sn", change.systems.is_some()),
        ];
        let fields = fields.into_iter().filter(|(_, given)| *given);
        let fields: Vec<&str> = fields.map(|(name, _)| name).collect();
        if !fields.is_empty() {
            NewEntry::by(account, JournalEvent::GroupChanged, now)
                .with(json!({ "group": id, "fields": fields }))
                .write(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Deletes a group; its systems are then in no group. `false` when the account has no such group.
    pub async fn delete_group(&self, account: AccountId, id: i64, now: Millis) -> Result<bool> {
        let mut tx = self.db.begin().await?;
        let found = execute!(
            &mut tx,
            sqlx::query("DELETE FROM groups WHERE id = $1 AND account_id = $2")
                .bind(id)
                .bind(account.0)
        )?;
        if found == 0 {
            return Ok(false);
        }
        NewEntry::by(account, JournalEvent::GroupDeleted, now)
            .with(json!({ "group": id }))
            .write(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Replaces the systems of a group.
async fn set_members(tx: &mut Tx, account: AccountId, id: i64, systems: &[&Access]) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM group_systems WHERE account_id = $1 AND group_id = $2")
            .bind(account.0)
            .bind(id)
    )?;
    for access in systems {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO group_systems (account_id, sn, group_id) VALUES ($1, $2, $3)
                 ON CONFLICT (account_id, sn) DO UPDATE SET group_id = excluded.group_id"
            )
            .bind(access.account().0)
            .bind(access.sn().as_str())
            .bind(id)
        )?;
    }
    Ok(())
}

/// Removes a system from the groups of all accounts when its household leaves.
pub(crate) async fn remove_from_groups(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM group_systems WHERE sn = $1").bind(sn.as_str())
    )?;
    Ok(())
}
