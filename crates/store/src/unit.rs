//! Exchanged units, and the sites where they stood. A system keeps its history when its unit is exchanged: the history moves to the
//! new serial number. The ids of its messages contain the number of the unit that sent them, because every unit counts its boots
//! from 1.
use crate::{Error, Result};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// PostgreSQL's advisory lock between an exchange and the writers of reports: no report is routed by outdated units.
const UNITS_LOCK_ID: i64 = 0x0053_4355_4e49_5453;

/// The site of a unit, and the time it spent there.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) site: Serial,
    pub(crate) number: u8,
    pub(crate) span: Range<Millis>,
}

/// Every unit that was ever exchanged; few in a fleet.
#[derive(Debug, Default)]
pub(crate) struct ExchangedUnits {
    newest: i64,
    pub(crate) placements: HashMap<Serial, Vec<Placement>>,
}

/// The units as last read.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnitCache(Arc<RwLock<Arc<ExchangedUnits>>>);

#[derive(Debug, FromRow)]
struct Row {
    id: i64,
    sn: String,
    site: String,
    number: i64,
    from_at: Millis,
    until_at: Option<Millis>,
}

impl Row {
    fn placement(&self) -> Result<(Serial, Placement)> {
        let serial = |sn: &str| sn.parse().map_err(|_| Error::Damaged("units.sn"));
        let placement = Placement {
            site: serial(&self.site)?,
            number: u8::try_from(self.number).map_err(|_| Error::Damaged("units.number"))?,
            span: self.from_at..self.until_at.unwrap_or(Millis::MAX),
        };
        Ok((serial(&self.sn)?, placement))
    }
}

impl UnitCache {
    /// The units, unchanged until the transaction ends. Every exchange adds a row, so the highest id shows whether there was one.
    pub(crate) async fn read(&self, tx: &mut Tx) -> Result<Arc<ExchangedUnits>> {
        if let Tx::Postgres(tx) = tx {
            let lock = sqlx::query("SELECT pg_advisory_xact_lock_shared($1)").bind(UNITS_LOCK_ID);
            lock.execute(&mut **tx).await?;
        }
        let newest: i64 = within!(&mut *tx, c => sqlx::query_scalar("SELECT COALESCE(MAX(id), 0) FROM units")
            .fetch_one(c).await)?;
        let known = Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        if known.newest == newest {
            return Ok(known);
        }
        let rows: Vec<Row> = within!(&mut *tx, c => sqlx::query_as(
            "SELECT id, sn, site, number, from_at, until_at FROM units ORDER BY id").fetch_all(c).await)?;
        let mut units = ExchangedUnits::default();
        for row in rows {
            let (sn, placement) = row.placement()?;
            units.newest = row.id;
            units.placements.entry(sn).or_default().push(placement);
        }
        let units = Arc::new(units);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&units);
        Ok(units)
    }
}

/// Blocks all writers of reports until the transaction ends. SQLite has a single writer anyway.
pub async fn block_reports(tx: &mut Tx) -> Result<()> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(UNITS_LOCK_ID);
        lock.execute(&mut **tx).await?;
    }
    Ok(())
}

/// Makes `new` replace `old` from this moment on; returns the number of `new` at the site.
pub(crate) async fn replace_at_site(
    tx: &mut Tx,
    old: &Serial,
    new: &Serial,
    number: u8,
    from: Millis,
) -> Result<u8> {
    let next = number.checked_add(1).ok_or(Error::Conflict)?;
    let ended = execute!(
        &mut *tx,
        sqlx::query("UPDATE units SET until_at = $2 WHERE sn = $1 AND until_at IS NULL")
            .bind(old.as_str())
            .bind(from)
    )?;
    execute!(
        &mut *tx,
        sqlx::query("UPDATE units SET site = $2 WHERE site = $1")
            .bind(old.as_str())
            .bind(new.as_str())
    )?;
    let insert =
        "INSERT INTO units (sn, site, number, from_at, until_at) VALUES ($1, $2, $3, $4, $5)";
    if ended == 0 {
        execute!(
            &mut *tx,
            sqlx::query(insert)
                .bind(old.as_str())
                .bind(new.as_str())
                .bind(i64::from(number))
                .bind(0_i64)
                .bind(from)
        )?;
    }
    execute!(
        &mut *tx,
        sqlx::query(insert)
            .bind(new.as_str())
            .bind(new.as_str())
            .bind(i64::from(next))
            .bind(from)
            .bind(None::<Millis>)
    )?;
    Ok(next)
}

/// Restarts the device's boot counter at the operator's request: after a repair, or because the unit once reported the highest
/// possible number. From now on its messages are distinguished from earlier ones as if it were another unit. `false` for an
/// unknown serial number.
pub async fn restart_boot_counter(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<bool> {
    block_reports(tx).await?;
    let number: Option<i64> = within!(&mut *tx, c => sqlx::query_scalar(
        "SELECT unit FROM systems WHERE sn = $1").bind(sn.as_str()).fetch_optional(c).await)?;
    let Some(number) = number else {
        return Ok(false);
    };
    let number = u8::try_from(number).map_err(|_| Error::Damaged("systems.unit"))?;
    let next = replace_at_site(tx, sn, sn, number, now).await?;
    execute!(
        &mut *tx,
        sqlx::query("UPDATE systems SET unit = $2 WHERE sn = $1")
            .bind(sn.as_str())
            .bind(i64::from(next))
    )?;
    for restart in [
        "UPDATE presence SET boot = 0, seq = 0 WHERE sn = $1",
        "UPDATE settings SET boot = 0, seq = 0 WHERE sn = $1",
        "DELETE FROM boots WHERE sn = $1",
    ] {
        execute!(&mut *tx, sqlx::query(restart).bind(sn.as_str()))?;
    }
    Ok(true)
}
