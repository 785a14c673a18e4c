//! Exchange of a unit: the stored facts about the two units, and what moves from one to the other.

mod transfer;

pub use transfer::{move_household, move_measurements};

use crate::{Error, Result};
use db::{FromRow, Tx};
use domain::claim::{LinkedBy, yields_to_code};
use domain::clock::Millis;
use domain::code::CodeKind;
use domain::grant::{GrantScope, Right};
use domain::{AccountId, Serial, Zone};

/// A unit that replaces another, or is replaced.
#[derive(Clone, Debug)]
pub struct Unit {
    pub sn: Serial,
    pub owner: Option<AccountId>,
    pub linked_at: Option<Millis>,
    pub is_retired: bool,
    pub hardware: Option<String>,
    linked_by: Option<LinkedBy>,
    phase: i64,
    first_name: Option<String>,
    last_name: Option<String>,
    history_from: Millis,
    zone: Zone,
    /// Its number at the site, counted from 0.
    number: i64,
}

impl Unit {
    /// Whether it has replaced another unit at its site.
    pub fn is_replacement(&self) -> bool {
        self.number != 0
    }

    /// Whether a person with the code displaces its owner.
    pub fn yields_to_code(&self, now: Millis) -> bool {
        yields_to_code(self.linked_by, self.linked_at, now)
    }
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    phase: i64,
    owner_id: Option<i64>,
    linked_at: Option<Millis>,
    linked_by: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
    history_from: Millis,
    time_zone: String,
    unit: i64,
    retired_at: Option<Millis>,
    hardware: Option<String>,
}

impl Row {
    fn unit(self) -> Result<Unit> {
        let damaged = Error::Damaged;
        let linked_by = self.linked_by.as_deref().map(str::parse).transpose();
        let zone = self.time_zone.parse();
        Ok(Unit {
            sn: self.sn.parse().map_err(|_| damaged("systems.sn"))?,
            owner: self.owner_id.map(AccountId),
            linked_at: self.linked_at,
            is_retired: self.retired_at.is_some(),
            hardware: self.hardware,
            linked_by: linked_by.map_err(|_| damaged("systems.linked_by"))?,
            phase: self.phase,
            first_name: self.first_name,
            last_name: self.last_name,
            history_from: self.history_from,
            zone: zone.map_err(|_| damaged("systems.time_zone"))?,
            number: self.unit,
        })
    }
}

/// `SELECT …` of systems; the argument is the rest of the statement.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT s.sn, s.phase, s.owner_id, s.linked_at, s.linked_by, s.first_name, s.last_name, s.history_from, s.time_zone, s.unit,
                s.retired_at, s.hardware FROM systems s ",
            $which
        )
    };
}

pub async fn find_unit(tx: &mut Tx, sn: &Serial) -> Result<Option<Unit>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(select!("WHERE s.sn = $1"))
        .bind(sn.as_str()).fetch_optional(c).await)?;
    row.map(Row::unit).transpose()
}

/// The units of an unused code of one of these kinds.
pub async fn units_of_code(tx: &mut Tx, hash: &[u8], kinds: [CodeKind; 2]) -> Result<Vec<Unit>> {
    let rows: Vec<Row> = within!(tx, c => sqlx::query_as(select!(
        "JOIN code_systems cs ON cs.sn = s.sn JOIN codes c ON c.hash = cs.code_hash
         WHERE c.hash = $1 AND c.kind IN ($2, $3) AND c.used_at IS NULL ORDER BY s.sn"))
        .bind(hash).bind(kinds[0].as_str()).bind(kinds[1].as_str())
        .fetch_all(c).await)?;
    rows.into_iter().map(Row::unit).collect()
}

/// Whether a grant lets the account use this unit as a replacement.
pub async fn has_replace_grant(
    tx: &mut Tx,
    account: AccountId,
    sn: &Serial,
    now: Millis,
) -> Result<bool> {
    let scopes: Vec<String> = within!(tx, c => sqlx::query_scalar(
        "SELECT scope FROM held_grants WHERE sn = $1 AND account_id = $2 AND state IN ('active', 'unconfirmed')
             AND (until IS NULL OR until > $3)")
        .bind(sn.as_str()).bind(account.0).bind(now).fetch_all(c).await)?;
    let may = |scope: &String| {
        let scope = scope.parse::<GrantScope>();
        scope.is_ok_and(|scope| scope.level().may(Right::Replace))
    };
    Ok(scopes.iter().any(may))
}

/// Whether an update of the unit is open.
pub async fn is_updating(tx: &mut Tx, sn: &Serial) -> Result<bool> {
    let open: Option<i64> = within!(tx, c => sqlx::query_scalar(
        "SELECT number FROM firmware_jobs WHERE sn = $1 AND state IN ('waiting', 'running', 'interrupted')")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(open.is_some())
}
