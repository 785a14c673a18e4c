//! A commissioning while it is in progress: begun, written down step by step, or abandoned.
use super::{Customer, company};
use crate::db::Tx;
use crate::journal::{Entry, Event};
use crate::{Access, Error, Result, Store};
use domain::clock::Millis;
use domain::commissioning::{Record, Step};

/// How a request to begin ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// The number of the new one.
    New(i64),
    /// A unit is in another one.
    Busy,
    /// The units do not belong to the same owner.
    OwnersDiffer,
}

impl Store {
    /// Begins one for these units, of which the first gives it its number.
    pub async fn begin_commissioning(&self, units: &[&Access], now: Millis) -> Result<Begun> {
        let Some(first) = units.first() else {
            return Err(Error::Conflict);
        };
        if units.iter().any(|unit| unit.owner() != first.owner()) {
            return Ok(Begun::OwnersDiffer);
        }
        let mut tx = self.begin().await?;
        let id: i64 = within!(&mut tx, c => sqlx::query_scalar(
            "INSERT INTO commissionings (sn, started_at) VALUES ($1, $2) RETURNING id")
            .bind(first.sn().as_str()).bind(now).fetch_one(c).await)?;
        for unit in units {
            let put = execute!(
                &mut tx,
                sqlx::query("INSERT INTO commissioning_units (commissioning_id, sn) VALUES ($1, $2) ON CONFLICT DO NOTHING")
                    .bind(id)
                    .bind(unit.sn().as_str())
            )?;
            if put == 0 {
                return Ok(Begun::Busy);
            }
            let line = Entry::by(first.account(), Event::CommissioningStarted, now);
            line.on(unit.sn()).write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(Begun::New(id))
    }

    /// Writes down what a step found. `false`: it is finished or gone.
    pub async fn write_step(
        &self,
        access: &Access,
        id: i64,
        step: Step,
        record: &Record,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        if !hold_open(&mut tx, id).await? {
            return Ok(false);
        }
        let company = company(&mut tx, access).await?;
        execute!(
            &mut tx,
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
        tx.commit().await?;
        Ok(true)
    }

    /// Writes the remarks down; kept apart from the steps. `false`: it is finished or gone.
    pub async fn write_customer(&self, id: i64, customer: &Customer) -> Result<bool> {
        let written = execute!(on self, sqlx::query("UPDATE commissionings SET customer = $2 WHERE id = $1 AND finished_at IS NULL")
            .bind(id).bind(customer.json().to_string()))?;
        Ok(written == 1)
    }
}

/// Keeps everybody else from writing into it until the transaction ends; `false` when it is not in progress.
pub(super) async fn hold_open(tx: &mut Tx, id: i64) -> Result<bool> {
    let held = execute!(
        tx,
        sqlx::query(
            "UPDATE commissionings SET started_at = started_at WHERE id = $1 AND finished_at IS NULL"
        )
        .bind(id)
    )?;
    Ok(held == 1)
}
