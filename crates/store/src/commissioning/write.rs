//! A commissioning in progress: started and recorded step by step.
use super::company;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use domain::code::CodeKind;
use domain::commissioning::{CheckRecord, CommissioningStep};
use domain::grant::Origin;
use std::collections::HashMap;

#[derive(Debug, FromRow)]
struct CodeRow {
    sn: String,
    hash: Vec<u8>,
}

impl Store {
    /// The units that belong to the same customer as the first. For units without an owner: those that the electrician got access
    /// to with the same installer code, because a code is for one site.
    pub async fn units_of_same_customer<'a>(
        &self,
        first: &Access,
        units: &[&'a Access],
    ) -> Result<Vec<&'a Access>> {
        let same_owner = units.iter().filter(|unit| unit.owner() == first.owner());
        let same_owner: Vec<&Access> = same_owner.copied().collect();
        if first.owner().is_some() {
            return Ok(same_owner);
        }
        // A grant by a code is created at the moment when the code is used.
        let rows: Vec<CodeRow> = on!(self, p => sqlx::query_as(
            "SELECT g.sn, c.hash FROM held_grants g JOIN code_systems cs ON cs.sn = g.sn JOIN codes c ON c.hash = cs.code_hash
             WHERE g.account_id = $1 AND g.origin = $2 AND c.kind = $3 AND c.used_at = g.created_at")
            .bind(first.account().0)
            .bind(Origin::Code.as_str())
            .bind(CodeKind::Installer.as_str())
            .fetch_all(p).await)?;
        let codes: HashMap<String, Vec<u8>> =
            rows.into_iter().map(|row| (row.sn, row.hash)).collect();
        let code = |unit: &Access| codes.get(unit.sn().as_str());
        let same_code = |unit: &&Access| {
            unit.sn() == first.sn() || code(unit).is_some_and(|own| code(first) == Some(own))
        };
        Ok(same_owner.into_iter().filter(same_code).collect())
    }
}

/// Inserts a commissioning and returns its id. `first` is the unit that its protocol number is counted for.
pub async fn insert(tx: &mut Tx, first: &Access, now: Millis) -> Result<i64> {
    Ok(within!(tx, c => sqlx::query_scalar(
        "INSERT INTO commissionings (sn, started_at) VALUES ($1, $2) RETURNING id")
        .bind(first.sn().as_str()).bind(now).fetch_one(c).await)?)
}

/// `false` if the unit is in another commissioning.
pub async fn add_unit(tx: &mut Tx, id: i64, unit: &Access) -> Result<bool> {
    let added = execute!(
        tx,
        sqlx::query("INSERT INTO commissioning_units (commissioning_id, sn) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            .bind(id)
            .bind(unit.sn().as_str())
    )?;
    Ok(added == 1)
}

/// Locks the commissioning against other writers until the transaction ends. `false` when it is not in progress.
pub async fn lock_open(tx: &mut Tx, id: i64) -> Result<bool> {
    let held = execute!(
        tx,
        sqlx::query(
            "UPDATE commissionings SET started_at = started_at WHERE id = $1 AND finished_at IS NULL"
        )
        .bind(id)
    )?;
    Ok(held == 1)
}

/// Records the result of a step, with the present name of the account's company.
pub async fn save_step(
    tx: &mut Tx,
    access: &Access,
    id: i64,
    step: CommissioningStep,
    record: &CheckRecord,
    now: Millis,
) -> Result<()> {
    let company = company(tx, access).await?;
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO commissioning_steps (commissioning_id, step, at, account_id, company, stated, found, measured)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (commissioning_id, step) DO UPDATE SET at = excluded.at, account_id = excluded.account_id,
                 company = excluded.company, stated = excluded.stated, found = excluded.found, measured = excluded.measured"
        )
        .bind(id)
        .bind(step.as_str())
        .bind(now)
        .bind(access.account().0)
        .bind(company)
        .bind(record.stated.to_string())
        .bind(record.found.to_string())
        .bind(record.measured.to_string())
    )?;
    Ok(())
}

/// The commissioning in progress that a unit is part of, with all of its units.
pub async fn find_open(tx: &mut Tx, sn: &Serial) -> Result<Option<(i64, Vec<Serial>)>> {
    let rows: Vec<(i64, String)> = within!(tx, c => sqlx::query_as(
        "SELECT o.commissioning_id, o.sn FROM commissioning_units u JOIN commissionings c ON c.id = u.commissioning_id
         JOIN commissioning_units o ON o.commissioning_id = u.commissioning_id
         WHERE u.sn = $1 AND c.finished_at IS NULL ORDER BY o.sn")
        .bind(sn.as_str()).fetch_all(c).await)?;
    let Some((id, _)) = rows.first() else {
        return Ok(None);
    };
    let units = rows.iter().map(|(_, sn)| sn.parse());
    let units: std::result::Result<_, _> = units.collect();
    let units = units.map_err(|_| Error::Damaged("commissioning_units.sn"))?;
    Ok(Some((*id, units)))
}

/// Deletes everything that was recorded.
pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    execute!(
        tx,
        sqlx::query("DELETE FROM commissionings WHERE id = $1").bind(id)
    )?;
    Ok(())
}
