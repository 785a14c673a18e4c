//! What stands between a person and a battery: the operator's brake, and how many devices one account may touch.
use crate::db::Tx;
use crate::journal::{Actor, Entry, Event};
use crate::{Access, Result, Store, account};
use domain::Serial;
use domain::clock::{MINUTE, Millis};
use serde_json::json;

/// Why nothing may be changed now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Held {
    #[error("the operator has stopped all changes")]
    Braked,
    /// It has to wait for so long.
    #[error("the account has touched too many devices")]
    TooManyDevices { wait: Millis },
}

/// The operator's brake, as it was put on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brake {
    pub since: Millis,
    pub reason: String,
}
row!(Brake { since, reason });

/// Whether the account may change something at this system now. What it changes leaves a line in the journal, from which
/// the next one is counted: exact for several processes, and over a restart.
pub(crate) async fn admit(
    tx: &mut Tx,
    access: &Access,
    devices_a_minute: usize,
    now: Millis,
) -> Result<Result<(), Held>> {
    admit_after(tx, access, &[], devices_a_minute, now).await
}

/// The same as if the account had just changed something at `touched`.
pub(crate) async fn admit_after(
    tx: &mut Tx,
    access: &Access,
    touched: &[&Serial],
    devices_a_minute: usize,
    now: Millis,
) -> Result<Result<(), Held>> {
    if is_braked(tx).await? {
        return Ok(Err(Held::Braked));
    }
    account::one_at_a_time(tx, access.account()).await?;
    let mut known: Vec<Touched> = within!(&mut *tx, c => sqlx::query_as(
        "SELECT sn, MAX(at) AS at FROM journal
         WHERE account_id = $1 AND at > $2 AND event IN ('setting_changed', 'settings_reset', 'command_sent', 'update_started')
         GROUP BY sn ORDER BY at")
        .bind(access.account().0).bind(now - MINUTE).fetch_all(c).await)?;
    for sn in touched {
        known.retain(|one| one.sn != sn.as_str());
        known.push(Touched {
            sn: sn.to_string(),
            at: now,
        });
    }
    let others = known.iter().filter(|one| one.sn != access.sn().as_str());
    if others.clone().count() < devices_a_minute {
        return Ok(Ok(()));
    }
    let first = others.map(|one| one.at).next().unwrap_or(now);
    let wait = first + MINUTE - now;
    Ok(Err(Held::TooManyDevices { wait }))
}

#[derive(Debug)]
struct Touched {
    sn: String,
    at: Millis,
}
row!(Touched { sn, at });

async fn is_braked(tx: &mut Tx) -> Result<bool> {
    let found: Option<i64> = within!(tx, c => sqlx::query_scalar("SELECT since FROM fleet_brake")
        .fetch_optional(c).await)?;
    Ok(found.is_some())
}

impl Store {
    pub async fn brake(&self) -> Result<Option<Brake>> {
        Ok(
            on!(self, p => sqlx::query_as("SELECT since, reason FROM fleet_brake")
            .fetch_optional(p).await)?,
        )
    }

    /// Stops all changes at all batteries; `false` when they were stopped already.
    pub async fn put_brake_on(&self, reason: &str, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let newly = execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO fleet_brake (id, since, reason) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING"
            )
            .bind(now)
            .bind(reason)
        )?;
        if newly == 1 {
            let line = Entry::by_nobody(Event::FleetBraked, now).through(Actor::Operator);
            line.with(json!({ "reason": reason }))
                .write(&mut tx)
                .await?;
        }
        tx.commit().await?;
        Ok(newly == 1)
    }

    /// Lets changes through again; `false` when nothing was stopped.
    pub async fn release_brake(&self, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let released = execute!(&mut tx, sqlx::query("DELETE FROM fleet_brake"))?;
        if released == 1 {
            let line = Entry::by_nobody(Event::FleetReleased, now).through(Actor::Operator);
            line.write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(released == 1)
    }
}
