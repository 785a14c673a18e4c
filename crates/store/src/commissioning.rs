//! Systems that are brought into service, step by step, and the protocols that this leaves.

mod customer;
mod finish;
mod leave;
mod write;

pub(crate) use leave::{claimed, electrician_leaves, leave};
pub use write::Begun;

use crate::db::Tx;
use crate::{Access, Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::commissioning::{MeterTest, Record, Step};
use serde_json::{Value, json};

/// One that is in progress or finished, with everything that was written down.
#[derive(Clone, Debug, PartialEq)]
pub struct Commissioning {
    pub id: i64,
    /// The first unit, after which it is numbered.
    pub sn: Serial,
    /// Every unit, by the serial number that it had then.
    pub units: Vec<Serial>,
    /// The systems whose people see it: a unit may have been exchanged since.
    pub systems: Vec<Serial>,
    pub started_at: Millis,
    pub finished_at: Option<Millis>,
    /// Once it is finished.
    pub number: Option<i64>,
    /// Whose employee finished it.
    pub company: Option<String>,
    /// Gone when the household has left.
    pub customer: Option<Customer>,
    /// In their order.
    pub steps: Vec<StepRecord>,
}

/// Who it was done for, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Customer {
    pub first_name: String,
    pub last_name: String,
    pub place: String,
    /// What the electrician remarks.
    pub note: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord {
    pub step: Step,
    pub at: Millis,
    pub company: Option<String>,
    pub record: Record,
}

impl Commissioning {
    pub fn step(&self, step: Step) -> Option<&StepRecord> {
        self.steps.iter().find(|record| record.step == step)
    }

    pub fn record(&self, step: Step) -> Option<&Record> {
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

#[derive(Debug)]
struct Row {
    id: i64,
    sn: String,
    started_at: Millis,
    finished_at: Option<Millis>,
    number: Option<i64>,
    company: Option<String>,
    customer: Option<String>,
}
row!(Row {
    id,
    sn,
    started_at,
    finished_at,
    number,
    company,
    customer
});

#[derive(Debug)]
struct UnitRow {
    sn: String,
    /// What it was called then, where another unit stands in its place by now.
    named: Option<String>,
}
row!(UnitRow { sn, named });

#[derive(Debug)]
struct StepRow {
    step: String,
    at: Millis,
    company: Option<String>,
    stated: String,
    found: String,
    measured: String,
}
row!(StepRow {
    step,
    at,
    company,
    stated,
    found,
    measured
});

/// Rows of commissionings; what follows says which.
macro_rules! select {
    ($which:literal) => {
        concat!(
            "SELECT c.id, c.sn, c.started_at, c.finished_at, c.number, c.company, c.customer FROM commissionings c ",
            $which
        )
    };
}

/// That a protocol's unit `u` shows it: to an owner who came by switch, and whom they let in, none from before.
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
            record: Record {
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

impl Store {
    /// The one that a system is in right now.
    pub async fn open_commissioning(&self, access: &Access) -> Result<Option<Commissioning>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(select!(
            "JOIN commissioning_units u ON u.commissioning_id = c.id WHERE u.sn = $1 AND c.finished_at IS NULL"))
            .bind(access.sn().as_str()).fetch_optional(p).await)?;
        match row {
            Some(row) => self.commissioning_of(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// Everything that was finished at a system, newest first.
    pub async fn protocols(&self, access: &Access) -> Result<Vec<Commissioning>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(concat!(
            select!("JOIN commissioning_units u ON u.commissioning_id = c.id WHERE u.sn = $1 AND c.finished_at IS NOT NULL AND"),
            is_shown!(), "ORDER BY c.finished_at DESC, c.id DESC"))
            .bind(access.sn().as_str()).fetch_all(p).await)?;
        let mut protocols = Vec::with_capacity(rows.len());
        for row in rows {
            protocols.push(self.commissioning_of(row).await?);
        }
        Ok(protocols)
    }

    /// By its number in the database, if one of these systems is a unit of it.
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
        self.commissioning_of(row).await.map(Some)
    }

    async fn commissioning_of(&self, row: Row) -> Result<Commissioning> {
        let units: Vec<UnitRow> =
            on!(self, p => sqlx::query_as(UNITS).bind(row.id).fetch_all(p).await)?;
        let steps = on!(self, p => sqlx::query_as(STEPS).bind(row.id).fetch_all(p).await)?;
        row.with(&units, steps)
    }

    /// The newest test of the meter since then that has ended.
    pub async fn meter_test(&self, access: &Access, since: Millis) -> Result<Option<MeterTest>> {
        let row: Option<(Millis, String)> = on!(self, p => sqlx::query_as(
            "SELECT created_at, state FROM commands WHERE sn = $1 AND command = 'meter_test' AND created_at >= $2
                 AND state IN ('done', 'failed') ORDER BY created_at DESC, id DESC LIMIT 1")
            .bind(access.sn().as_str()).bind(since).fetch_optional(p).await)?;
        Ok(row.map(|(at, state)| MeterTest {
            at,
            passed: state == "done",
        }))
    }
}

async fn steps_of(tx: &mut Tx, id: i64) -> Result<Vec<StepRecord>> {
    let rows: Vec<StepRow> = within!(tx, c => sqlx::query_as(STEPS).bind(id).fetch_all(c).await)?;
    let mut steps: Vec<StepRecord> = rows
        .into_iter()
        .map(StepRow::record)
        .collect::<Result<_>>()?;
    steps.sort_by_key(|record| record.step);
    Ok(steps)
}

/// What the account's company is called now.
async fn company(tx: &mut Tx, access: &Access) -> Result<Option<String>> {
    let company: Option<Option<String>> = within!(tx, c => sqlx::query_scalar("SELECT company FROM accounts WHERE id = $1")
        .bind(access.account().0).fetch_optional(c).await)?;
    Ok(company.flatten())
}

fn json_of(text: &str, column: &'static str) -> Result<Value> {
    serde_json::from_str(text).map_err(|_| Error::Damaged(column))
}
