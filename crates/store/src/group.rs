//! Groups: an account's systems under a common name. A system is in at most one group of an account.
use crate::{Access, Result, Store};
use db::{FromRow, Tx};
use domain::clock::Millis;
use domain::{AccountId, GroupName, Serial};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub id: i64,
    pub name: String,
    pub systems: Vec<Serial>,
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
}

pub async fn count(tx: &mut Tx, account: AccountId) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "SELECT COUNT(*) FROM groups WHERE account_id = $1")
        .bind(account.0).fetch_one(c).await)?)
}

/// Inserts an empty group and returns its number.
pub async fn insert(tx: &mut Tx, account: AccountId, name: &GroupName, now: Millis) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO groups (account_id, name, folded, created_at) VALUES ($1, $2, $3, $4) RETURNING id")
        .bind(account.0).bind(name.as_str()).bind(name.folded()).bind(now).fetch_one(c).await)?)
}

/// Renames a group, or only checks that the account has it. `false` if it has no such group.
pub async fn rename(
    tx: &mut Tx,
    account: AccountId,
    id: i64,
    name: Option<&GroupName>,
) -> Result<bool> {
    let found = execute!(
        tx,
        sqlx::query(
            "UPDATE groups SET name = COALESCE($3, name), folded = COALESCE($4, folded)
             WHERE id = $1 AND account_id = $2"
        )
        .bind(id)
        .bind(account.0)
        .bind(name.map(GroupName::as_str))
        .bind(name.map(GroupName::folded))
    )?;
    Ok(found > 0)
}

/// `false` if the account has no such group.
pub async fn delete(tx: &mut Tx, account: AccountId, id: i64) -> Result<bool> {
    let found = execute!(
        tx,
        sqlx::query("DELETE FROM groups WHERE id = $1 AND account_id = $2")
            .bind(id)
            .bind(account.0)
    )?;
    Ok(found > 0)
}

/// Replaces the systems of a group.
pub async fn set_members(
    tx: &mut Tx,
    account: AccountId,
    id: i64,
    systems: &[&Access],
) -> Result<()> {
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
