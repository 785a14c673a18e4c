//! Systems: registered by the operator, linked to their owner.
use crate::{
    Access, Error, Keyring, Purpose, Result, Store, alarm, commissioning, customer, end_user,
    firmware, grant, group, in_force, planning, setting, site, source, tariff,
};
use db::{FromRow, Pool, Tx};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::{AccountId, Serial};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, FromRow)]
pub struct System {
    pub sn: String,
    pub phase: i64,
    pub master_version: Option<String>,
    pub gateway_version: Option<String>,
    pub slave_version: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub time_zone: String,
    pub place: Option<String>,
    pub planes: String,
    pub hardware: Option<String>,
    /// Usable Wh.
    pub capacity: Option<i64>,
    /// Rated W.
    pub charge_max: Option<i64>,
    /// Rated W.
    pub discharge_max: Option<i64>,
    /// The reader's own group that contains it.
    pub group_name: Option<String>,
}

/// Systems that `$1` owns or has a grant for, each with the group that `$1` put it in.
macro_rules! visible_to {
    () => {
        "SELECT s.sn, s.phase, s.master_version, s.gateway_version, s.slave_version, s.first_name, s.last_name,
            s.time_zone, s.place, s.planes, s.hardware, s.capacity, s.charge_max, s.discharge_max, g.name AS group_name
         FROM systems s LEFT JOIN group_systems m ON m.account_id = $1 AND m.sn = s.sn
         LEFT JOIN groups g ON g.id = m.group_id
         WHERE s.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM held_grants WHERE account_id = $1)"
    };
}

impl System {
    /// The peak power of its modules in W; `None` while unknown.
    pub fn peak(&self) -> Result<Option<i64>> {
        site::parse_planes(&self.planes).map(|planes| planes.peak())
    }
}

/// A device as the operator imports it.
#[derive(Clone, Debug)]
pub struct NewDevice<'a> {
    pub sn: &'a Serial,
    pub phase: u8,
    /// The secret the battery logs in with; only its keyed hash is stored.
    pub secret: &'a [u8],
}

impl Store {
    pub async fn serials(&self) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM systems ORDER BY sn").fetch_all(p).await)?;
        let serials = serials.iter().map(|sn| sn.parse());
        serials
            .map(|sn| sn.map_err(|_| Error::Damaged("systems.sn")))
            .collect()
    }

    /// The systems of these accesses, in their order, each with the reader's own group.
    pub async fn systems(&self, accesses: &[Access]) -> Result<Vec<System>> {
        let Some(reader) = accesses.first().map(Access::account) else {
            return Ok(Vec::new());
        };
        let rows: Vec<System> = match self.db.pool() {
            // The driver passes each cell of each row through a channel. With thousands of rows that takes ten times as long as
            // one text.
            Pool::Sqlite(pool) => {
                let text: String = sqlx::query_scalar(concat!(
                    "/* SQLite */ SELECT json_group_array(json_object('sn', sn, 'phase', phase, 'master_version', master_version,
                        'gateway_version', gateway_version, 'slave_version', slave_version, 'first_name', first_name,
                        'last_name', last_name, 'time_zone', time_zone, 'place', place, 'planes', planes,
                        'hardware', hardware, 'capacity', capacity, 'charge_max', charge_max,
                        'discharge_max', discharge_max, 'group_name', group_name)) FROM (",
                    visible_to!(),
                    ")"
                ))
                .bind(reader.0)
                .fetch_one(pool)
                .await?;
                serde_json::from_str(&text).map_err(|_| Error::Damaged("systems"))?
            }
            Pool::Postgres(pool) => {
                let systems = sqlx::query_as(visible_to!()).bind(reader.0);
                systems.fetch_all(pool).await?
            }
        };
        let mut rows: HashMap<String, System> =
            rows.into_iter().map(|row| (row.sn.clone(), row)).collect();
        let found = accesses
            .iter()
            .filter_map(|access| rows.remove(access.sn().as_str()));
        Ok(found.collect())
    }

    /// The systems of an owner, by phase and serial number.
    pub async fn systems_of(&self, owner: AccountId) -> Result<Vec<System>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT s.sn, s.phase, s.master_version, s.gateway_version, s.slave_version, s.first_name, s.last_name,
                s.time_zone, s.place, s.planes, s.hardware, s.capacity, s.charge_max, s.discharge_max, g.name AS group_name
             FROM systems s LEFT JOIN group_systems m ON m.account_id = s.owner_id AND m.sn = s.sn
             LEFT JOIN groups g ON g.id = m.group_id
             WHERE s.owner_id = $1 ORDER BY s.phase, s.sn")
            .bind(owner.0).fetch_all(p).await)?)
    }
}

/// Registers a device. A serial number that exists already is refused.
pub async fn import(
    tx: &mut Tx,
    keyring: &Keyring,
    device: &NewDevice<'_>,
    now: Millis,
) -> Result<()> {
    execute!(
        &mut *tx,
        sqlx::query("INSERT INTO systems (sn, phase) VALUES ($1, $2)")
            .bind(device.sn.as_str())
            .bind(i64::from(device.phase))
    )?;
    execute!(
        tx,
        sqlx::query("INSERT INTO device_secrets (sn, hash, created_at) VALUES ($1, $2, $3)")
            .bind(device.sn.as_str())
            .bind(keyring.hash(Purpose::DeviceSecret, device.secret))
            .bind(now)
    )?;
    Ok(())
}

pub async fn serials_of(tx: &mut Tx, owner: AccountId) -> Result<Vec<Serial>> {
    let serials: Vec<String> = within!(tx, c => sqlx::query_scalar("SELECT sn FROM systems WHERE owner_id = $1")
        .bind(owner.0).fetch_all(c).await)?;
    let serials = serials.iter().map(|sn| sn.parse());
    serials
        .map(|sn| sn.map_err(|_| Error::Damaged("systems.sn")))
        .collect()
}

/// The owner of a system.
#[derive(Clone, Copy, Debug)]
pub struct Ownership {
    pub owner: Option<AccountId>,
    /// The unit was exchanged.
    pub is_retired: bool,
}

pub async fn ownership(tx: &mut Tx, sn: &Serial) -> Result<Option<Ownership>> {
    let row: Option<(Option<i64>, Option<Millis>)> = within!(tx, c => sqlx::query_as(
        "SELECT owner_id, retired_at FROM systems WHERE sn = $1")
        .bind(sn.as_str()).fetch_optional(c).await)?;
    Ok(row.map(|(owner, retired_at)| Ownership {
        owner: owner.map(AccountId),
        is_retired: retired_at.is_some(),
    }))
}

/// Removes the owner and the household's names, and hides what was measured so far. `false` if this account is no longer the
/// owner.
pub async fn unlink(tx: &mut Tx, sn: &Serial, owner: AccountId, now: Millis) -> Result<bool> {
    let unlinked = execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET owner_id = NULL, linked_at = NULL, linked_by = NULL, first_name = NULL, last_name = NULL,
                 history_from = $3 WHERE sn = $1 AND owner_id = $2"
        )
        .bind(sn.as_str())
        .bind(owner.0)
        .bind(now)
    )?;
    if unlinked == 1 {
        telemetry::erase_after(tx, sn, now).await?;
    }
    Ok(unlinked == 1)
}

/// [`unlink`] for all systems of an account.
pub async fn unlink_all(tx: &mut Tx, owner: AccountId, now: Millis) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET owner_id = NULL, linked_at = NULL, linked_by = NULL, first_name = NULL, last_name = NULL,
                 history_from = $2 WHERE owner_id = $1"
        )
        .bind(owner.0)
        .bind(now)
    )?;
    Ok(())
}

/// The household has left: erases its commands, settings and data.
pub async fn erase_for_former_owner(tx: &mut Tx, sn: &Serial) -> Result<()> {
    group::remove_from_groups(tx, sn).await?;
    commissioning::erase_for_former_owner(tx, sn).await?;
    tariff::erase_for_former_owner(tx, sn).await?;
    setting::erase_for_former_owner(tx, sn).await?;
    source::erase_for_former_owner(tx, sn).await?;
    alarm::erase_for_former_owner(tx, sn).await?;
    planning::erase_for_former_owner(tx, sn).await?;
    site::clear_place(tx, sn).await?;
    end_user::erase_for_former_owner(tx, sn).await?;
    customer::erase_for_former_owner(tx, sn).await?;
    execute!(
        tx,
        sqlx::query("DELETE FROM commands WHERE sn = $1").bind(sn.as_str())
    )?;
    in_force::erase_for_former_owner(tx, sn).await?;
    firmware::erase_for_former_owner(tx, sn).await
}

/// Sets `owner` if there is none; `false` if another account was faster. Other pending claims fail. The electrician who
/// commissioned the system keeps access until the owner decides.
pub async fn link(
    tx: &mut Tx,
    sn: &Serial,
    owner: AccountId,
    by: LinkedBy,
    now: Millis,
) -> Result<bool> {
    let linked = execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET owner_id = $2, linked_at = $3, linked_by = $4 WHERE sn = $1 AND owner_id IS NULL"
        )
        .bind(sn.as_str())
        .bind(owner.0)
        .bind(now)
        .bind(by.as_str())
    )?;
    if linked == 1 {
        crate::claim::close_claims(tx, sn, owner, now).await?;
        grant::mark_unconfirmed(tx, sn).await?;
        commissioning::clear_customer_of_shared_protocols(tx, sn, owner).await?;
    }
    Ok(linked == 1)
}

/// Like [`link`], for an account that has proven presence at the main switch since `from`. That proves nothing about the time
/// before: earlier names, place and measurements stay hidden. Protocols are hidden where they are read.
pub(crate) async fn link_by_switch(
    tx: &mut Tx,
    sn: &Serial,
    owner: AccountId,
    from: Millis,
    now: Millis,
) -> Result<bool> {
    if !link(tx, sn, owner, LinkedBy::Switch, now).await? {
        return Ok(false);
    }
    execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET first_name = NULL, last_name = NULL,
                 history_from = CASE WHEN history_from > $2 THEN history_from ELSE $2 END WHERE sn = $1"
        )
        .bind(sn.as_str())
        .bind(from)
    )?;
    site::clear_place(tx, sn).await?;
    Ok(true)
}

/// The owner has proven the code too: they can no longer be displaced, and nothing is hidden from them.
pub async fn confirm_by_code(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE systems SET linked_by = $2 WHERE sn = $1")
            .bind(sn.as_str())
            .bind(LinkedBy::Code.as_str())
    )?;
    Ok(())
}
