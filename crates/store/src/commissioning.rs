//! Commissionings, step by step, and the protocols that they end in.

mod customer;
mod customer_code;
mod finish;
mod ownership;
mod write;

pub use customer::{NameChange, name_changes, save_customer, save_name_change};
pub use customer_code::{
    CustomerCode, delete_customer_code, find_customer_code, insert_customer_code, owners,
};
pub use finish::{count_owners, finish};
pub use ownership::anonymise_electrician;
pub(crate) use ownership::{clear_customer_of_shared_protocols, erase_for_former_owner};
pub use write::{add_unit, delete, find_open, insert, lock_open, save_step};

use crate::company::author;
use crate::{Access, Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use domain::commissioning::{CheckRecord, CommissioningStep, MeterTestResult};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;

/// A commissioning, in progress or finished, with everything that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Commissioning {
    pub id: i64,
    /// The first unit; the protocol number is counted per this unit.
    pub sn: Serial,
    /// All units, by the serial numbers that they had at the time.
    pub units: Vec<Serial>,
    /// The systems whose accounts may see it. They differ from `units` if a unit was exchanged since.
    pub systems: Vec<Serial>,
    pub started_at: Millis,
    pub finished_at: Option<Millis>,
    /// Set when it is finished.
    pub number: Option<i64>,
    /// Who finished it: name and company.
    pub company: Option<String>,
    /// Erased when the household leaves.
    pub customer: Option<Customer>,
    /// In the order of the steps.
    pub steps: Vec<StepRecord>,
}

/// The customer, and the address of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Customer {
    pub first_name: String,
    pub last_name: String,
    pub place: String,
    /// The electrician's remarks.
    pub note: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord {
    pub step: CommissioningStep,
    pub at: Millis,
    pub company: Option<String>,
    pub record: CheckRecord,
}

impl Commissioning {
    pub fn step(&self, step: CommissioningStep) -> Option<&StepRecord> {
        self.steps.iter().find(|record| record.step == step)
    }

    pub fn record(&self, step: CommissioningStep) -> Option<&CheckRecord> {
        self.step(step).map(|record| &record.record)
    }
}

impl Customer {
    fn json(&self) -> Value {
        json!({
            "first_name": self.first_name, "last_name": self.last_name, "place": self.place, "note": self.note,
        })
    }

    fn from_json(text: &str) -> Result<Self> {
        let value = json_of(text, "commissionings.customer")?;
        let member = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            first_name: member("first_name"),
            last_name: member("last_name"),
            place: member("place"),
            note: member("note"),
        })
    }
}

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    sn: String,
    started_at: Millis,
    finished_at: Option<Millis>,
    number: Option<i64>,
    company: Option<String>,
    customer: Option<String>,
}

#[derive(Debug, FromRow)]
struct UnitRow {
    sn: String,
    /// Its serial number at the time, if it was replaced since.
    named: Option<String>,
}

#[derive(Debug, FromRow)]
struct StepRow {
    step: String,
    at: Millis,
    company: Option<String>,
    stated: String,
    found: String,
    measured: String,
}

/// Selects commissionings; `$which` is the rest of the query.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT c.id, c.sn, c.started_at, c.finished_at, c.number, c.company, c.customer FROM commissionings c ",
            $which
        )
    };
}

/// Condition that unit `u` shows its protocol. Owners who claimed the system by the main switch, and people with a grant of
/// theirs, see no earlier protocols.
macro_rules! is_shown {
    () => {
        " NOT EXISTS (SELECT 1 FROM systems w WHERE w.sn = u.sn AND w.linked_by = 'switch' AND u.finished_at < w.linked_at) "
    };
}
pub(crate) use is_shown;

impl StepRow {
    fn record(self) -> Result<StepRecord> {
        let json = |text: &str| json_of(text, "commissioning_steps");
        Ok(StepRecord {
            step: self
                .step
                .parse()
                .map_err(|_| Error::Damaged("commissioning_steps.step"))?,
            at: self.at,
            company: self.company,
            record: CheckRecord {
                stated: json(&self.stated)?,
                found: json(&self.found)?,
                measured: json(&self.measured)?,
            },
        })
    }
}

impl Row {
    fn with(self, units: &[UnitRow], steps: Vec<StepRow>) -> Result<Commissioning> {
        let serial = |sn: &String| sn.parse().map_err(|_| Error::Damaged("commissionings.sn"));
        let steps: Result<Vec<StepRecord>> = steps.into_iter().map(StepRow::record).collect();
        let mut steps = steps?;
        steps.sort_by_key(|record| record.step);
        Ok(Commissioning {
            id: self.id,
            sn: serial(&self.sn)?,
            units: units
                .iter()
                .map(|unit| serial(unit.named.as_ref().unwrap_or(&unit.sn)))
                .collect::<Result<_>>()?,
            systems: units
                .iter()
                .map(|unit| serial(&unit.sn))
                .collect::<Result<_>>()?,
            started_at: self.started_at,
            finished_at: self.finished_at,
            number: self.number,
            company: self.company,
            customer: self
                .customer
                .as_deref()
                .map(Customer::from_json)
                .transpose()?,
            steps,
        })
    }
}

const UNITS: &str = "SELECT sn, named FROM commissioning_units WHERE commissioning_id = $1 ORDER BY COALESCE(named, sn)";
const STEPS: &str = "SELECT step, at, company, stated, found, measured FROM commissioning_steps WHERE commissioning_id = $1";

/// The state of the commissioning of systems. Systems that were never commissioned are missing.
macro_rules! statuses {
    ($which:expr) => {
        concat!(
            "SELECT u.sn, CAST(MIN(CASE WHEN u.finished_at IS NULL THEN 0 ELSE 1 END) AS BIGINT) AS finished
             FROM commissioning_units u WHERE u.sn",
            $which,
            " GROUP BY u.sn"
        )
    };
}

#[derive(Debug, FromRow)]
struct StatusRow {
    sn: String,
    finished: i64,
}

/// The state of a system's commissioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommissioningStatus {
    InProgress,
    Finished,
}

impl Store {
    /// The state of the commissioning of these systems. Systems that were never commissioned are missing.
    pub async fn commissioning_status(
        &self,
        systems: &[Serial],
    ) -> Result<HashMap<String, CommissioningStatus>> {
        let rows: Vec<StatusRow> = rows_of_systems!(self, statuses, 1, systems)?;
        let status = |row: StatusRow| match row.finished {
            0 => (row.sn, CommissioningStatus::InProgress),
            _ => (row.sn, CommissioningStatus::Finished),
        };
        Ok(rows.into_iter().map(status).collect())
    }

    /// The commissioning in progress at a system.
    pub async fn open_commissioning(&self, access: &Access) -> Result<Option<Commissioning>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!(
            "JOIN commissioning_units u ON u.commissioning_id = c.id WHERE u.sn = $1 AND c.finished_at IS NULL"))
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        match row {
            Some(row) => self.load_commissioning(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// All protocols of a system, newest first.
    pub async fn protocols(&self, access: &Access) -> Result<Vec<Commissioning>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(concat!(
            select!("JOIN commissioning_units u ON u.commissioning_id = c.id WHERE u.sn = $1 AND c.finished_at IS NOT NULL AND"),
            is_shown!(), "ORDER BY c.finished_at DESC, c.id DESC"))
            .bind(access.sn().as_str()).fetch_all(p).await)?;
        let mut protocols = Vec::with_capacity(rows.len());
        for row in rows {
            protocols.push(self.load_commissioning(row).await?);
        }
        Ok(protocols)
    }

    /// A commissioning by its database id, if one of these systems is a unit of it.
    pub async fn commissioning(
        &self,
        accesses: &[Access],
        id: i64,
    ) -> Result<Option<Commissioning>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!("WHERE c.id = $1")).bind(id).fetch_optional(p).await)?;
        let Some(row) = row else { return Ok(None) };
        let shown: Vec<String> = on!(self, p => sqlx::query_scalar(concat!(
            "SELECT u.sn FROM commissioning_units u WHERE u.commissioning_id = $1 AND", is_shown!()))
            .bind(id).fetch_all(p).await)?;
        let theirs = |sn: &String| accesses.iter().any(|access| access.sn().as_str() == sn);
        if !shown.iter().any(theirs) {
            return Ok(None);
        }
        self.load_commissioning(row).await.map(Some)
    }

    async fn load_commissioning(&self, row: Row) -> Result<Commissioning> {
        let units: Vec<UnitRow> =
            on!(self, p => sqlx::query_as(UNITS).bind(row.id).fetch_all(p).await)?;
        let steps = on!(self, p => sqlx::query_as(STEPS).bind(row.id).fetch_all(p).await)?;
        row.with(&units, steps)
    }

    /// The newest finished meter test since `since`.
    pub async fn meter_test(
        &self,
        access: &Access,
        since: Millis,
    ) -> Result<Option<MeterTestResult>> {
        let row: Option<(Millis, String)> = on!(self, p => sqlx::query_as(
            "SELECT created_at, state FROM commands WHERE sn = $1 AND command = 'meter_test' AND created_at >= $2
                 AND state IN ('done', 'failed') ORDER BY created_at DESC, id DESC LIMIT 1")
            .bind(access.sn().as_str()).bind(since).fetch_optional(p).await)?;
        Ok(row.map(|(at, state)| MeterTestResult {
            at,
            passed: state == "done",
        }))
    }
}

/// A protocol as a mail names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolName {
    pub id: i64,
    /// The unit that it is numbered after.
    pub sn: Serial,
    pub number: i64,
}

impl fmt::Display for ProtocolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.sn, self.number)
    }
}

/// The newest protocol of a system.
pub async fn newest_protocol(tx: &mut Tx, sn: &Serial) -> Result<Option<ProtocolName>> {
    let row: Option<(i64, String, i64)> = within!(tx, c => sqlx::query_as(
        "SELECT c.id, c.sn, c.number FROM commissionings c JOIN commissioning_units u ON u.commissioning_id = c.id
         WHERE u.sn = $1 AND c.finished_at IS NOT NULL AND c.number IS NOT NULL ORDER BY c.finished_at DESC, c.id DESC LIMIT 1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    let Some((id, sn, number)) = row else {
        return Ok(None);
    };
    let sn = sn.parse();
    let sn = sn.map_err(|_| Error::Damaged("commissionings.sn"))?;
    Ok(Some(ProtocolName { id, sn, number }))
}

/// What was recorded so far, in the order of the steps.
pub async fn steps(tx: &mut Tx, id: i64) -> Result<Vec<StepRecord>> {
    let rows: Vec<StepRow> = within!(tx, c => sqlx::query_as(STEPS).bind(id).fetch_all(c).await)?;
    let mut steps: Vec<StepRecord> = rows
        .into_iter()
        .map(StepRow::record)
        .collect::<Result<_>>()?;
    steps.sort_by_key(|record| record.step);
    Ok(steps)
}

/// The present names of the account's person and company.
async fn company(tx: &mut Tx, access: &Access) -> Result<Option<String>> {
    let company: Option<Option<String>> = within!(tx, c => sqlx::query_scalar(concat!(
        "SELECT ", author!("a", "c"), " FROM accounts a LEFT JOIN companies c ON c.id = a.company_id WHERE a.id = $1"))
        .bind(access.account().0).fetch_optional(c).await)?;
    Ok(company.flatten())
}

fn json_of(text: &str, column: &'static str) -> Result<Value> {
    serde_json::from_str(text).map_err(|_| Error::Damaged(column))
}
