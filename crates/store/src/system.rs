//! Storage systems: registered by the operator, linked to their owner.
use crate::db::{Db, Tx};
use crate::journal::{Entry, Event};
use crate::mail::Desk;
use crate::{
    Access, Error, Purpose, Result, Store, alarm, commissioning, end_user, firmware, grant, group,
    in_force, planning, setting, site, source, tariff,
};
use domain::claim::LinkedBy;
use domain::clock::Millis;
use domain::{AccountId, Serial};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
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
    /// The reader's own group that it is in.
    pub group_name: Option<String>,
}
row!(System {
    sn,
    phase,
    master_version,
    gateway_version,
    slave_version,
    first_name,
    last_name,
    time_zone,
    place,
    planes,
    hardware,
    capacity,
    charge_max,
    discharge_max,
    group_name
});

/// Systems that `$1` owns or has a grant of, each with the group that it is in at theirs.
macro_rules! seen_by {
    () => {
        "SELECT s.sn, s.phase, s.master_version, s.gateway_version, s.slave_version, s.first_name, s.last_name,
            s.time_zone, s.place, s.planes, s.hardware, s.capacity, s.charge_max, s.discharge_max, g.name AS group_name
         FROM systems s LEFT JOIN group_systems m ON m.account_id = $1 AND m.sn = s.sn
         LEFT JOIN groups g ON g.id = m.group_id
         WHERE s.sn IN (SELECT sn FROM systems WHERE owner_id = $1 UNION SELECT sn FROM grants WHERE account_id = $1)"
    };
}

impl System {
    /// What its modules give at full sun, in W; `None` while nobody has said so.
    pub fn peak(&self) -> Result<Option<i64>> {
        site::parse_planes(&self.planes).map(|planes| planes.peak())
    }
}

/// A device as the operator imports it.
#[derive(Clone, Debug)]
pub struct NewDevice<'a> {
    pub sn: &'a Serial,
    pub phase: u8,
    /// The secret the battery logs in with; only its keyed hash is kept.
    pub secret: &'a [u8],
}

impl Store {
    pub(crate) async fn serials(&self) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM systems ORDER BY sn").fetch_all(p).await)?;
        let serials = serials.iter().map(|sn| sn.parse());
        serials
            .map(|sn| sn.map_err(|_| Error::Damaged("systems.sn")))
            .collect()
    }

    /// The systems that somebody may look at, in the order of `accesses`, each with the reader's own group.
    pub async fn systems(&self, accesses: &[Access]) -> Result<Vec<System>> {
        let Some(reader) = accesses.first().map(Access::account) else {
            return Ok(Vec::new());
        };
        let rows: Vec<System> = match &self.db {
            // The driver copies each cell of each row through a channel: of thousands that takes ten times as long as one text.
            Db::Sqlite(pool) => {
                let text: String = sqlx::query_scalar(concat!(
                    "SELECT json_group_array(json_object('sn', sn, 'phase', phase, 'master_version', master_version,
                        'gateway_version', gateway_version, 'slave_version', slave_version, 'first_name', first_name,
                        'last_name', last_name, 'time_zone', time_zone, 'place', place, 'planes', planes,
                        'hardware', hardware, 'capacity', capacity, 'charge_max', charge_max,
                        'discharge_max', discharge_max, 'group_name', group_name)) FROM (",
                    seen_by!(),
                    ")"
                ))
                .bind(reader.0)
                .fetch_one(pool)
                .await?;
                serde_json::from_str(&text).map_err(|_| Error::Damaged("systems"))?
            }
            Db::Postgres(pool) => {
                let systems = sqlx::query_as(seen_by!()).bind(reader.0);
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

    /// The systems that an owner has, by serial number.
    pub async fn systems_of(&self, owner: AccountId) -> Result<Vec<System>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT s.sn, s.phase, s.master_version, s.gateway_version, s.slave_version, s.first_name, s.last_name,
                s.time_zone, s.place, s.planes, s.hardware, s.capacity, s.charge_max, s.discharge_max, g.name AS group_name
             FROM systems s LEFT JOIN group_systems m ON m.account_id = s.owner_id AND m.sn = s.sn
             LEFT JOIN groups g ON g.id = m.group_id
             WHERE s.owner_id = $1 ORDER BY s.phase, s.sn")
            .bind(owner.0).fetch_all(p).await)?)
    }

    /// Ends the ownership; the names of the people go with it, and what was measured so far is nobody's to see.
    pub async fn unlink(&self, access: &Access, desk: Desk<'_>, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        if !self
            .part(&mut tx, access.sn(), access.account(), desk, now)
            .await?
        {
            return Err(Error::Conflict);
        }
        Entry::by(access.account(), Event::SystemUnlinked, now)
            .on(access.sn())
            .write(&mut tx)
            .await?;
        tx.commit().await
    }

    /// `false` when somebody else owns it by now.
    pub(crate) async fn part(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        owner: AccountId,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<bool> {
        let parted = execute!(&mut *tx, sqlx::query(
            "UPDATE systems SET owner_id = NULL, linked_at = NULL, linked_by = NULL, first_name = NULL, last_name = NULL,
                 history_from = $3 WHERE sn = $1 AND owner_id = $2")
            .bind(sn.as_str()).bind(owner.0).bind(now))?;
        if parted == 1 {
            self.leave(tx, sn, desk, now).await?;
        }
        Ok(parted == 1)
    }

    /// The household has left: nothing is commanded in its name any more, what it set is undone, and whom it let in has to go.
    pub(crate) async fn leave(
        &self,
        tx: &mut Tx,
        sn: &Serial,
        desk: Desk<'_>,
        now: Millis,
    ) -> Result<()> {
        grant::leave(tx, &self.keyring, desk, sn, now).await?;
        group::take_out(tx, sn).await?;
        commissioning::leave(tx, sn).await?;
        tariff::forget(tx, sn).await?;
        setting::leave(tx, sn).await?;
        source::leave(tx, sn).await?;
        alarm::leave(tx, sn).await?;
        planning::leave(tx, sn).await?;
        site::leave(tx, sn).await?;
        end_user::leave(tx, sn).await?;
        execute!(
            tx,
            sqlx::query("DELETE FROM commands WHERE sn = $1").bind(sn.as_str())
        )?;
        in_force::leave(tx, sn).await?;
        firmware::leave(tx, sn).await
    }

    /// Registers devices, all or none; a serial number that exists already is refused.
    pub async fn import_devices(&self, devices: &[NewDevice<'_>], now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        for device in devices {
            execute!(
                &mut tx,
                sqlx::query("INSERT INTO systems (sn, phase) VALUES ($1, $2)")
                    .bind(device.sn.as_str())
                    .bind(i64::from(device.phase))
            )?;
            let hash = self.keyring.hash(Purpose::DeviceSecret, device.secret);
            execute!(
                &mut tx,
                sqlx::query(
                    "INSERT INTO device_secrets (sn, hash, created_at) VALUES ($1, $2, $3)"
                )
                .bind(device.sn.as_str())
                .bind(hash)
                .bind(now)
            )?;
        }
        tx.commit().await
    }
}

/// Makes `owner` the owner if nobody is; `false` when somebody else was faster. Others who waited have lost, and whoever
/// commissioned the system stays until the owner has decided.
pub(crate) async fn link(
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
        crate::claim::end_others(tx, sn, owner, now).await?;
        grant::claimed(tx, sn).await?;
        commissioning::claimed(tx, sn, owner).await?;
    }
    Ok(linked == 1)
}

/// Like [`link`], for somebody who stood at the main switch since `from`. That proves nothing about what was there before: the
/// names, the place and what was measured are not for them. Protocols are withheld where they are read.
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
    site::leave(tx, sn).await?;
    Ok(true)
}

/// The owner has the code, too: nobody displaces them any more, and nothing is withheld from them.
pub(crate) async fn prove_by_code(tx: &mut Tx, sn: &Serial) -> Result<()> {
    execute!(
        tx,
        sqlx::query("UPDATE systems SET linked_by = $2 WHERE sn = $1")
            .bind(sn.as_str())
            .bind(LinkedBy::Code.as_str())
    )?;
    Ok(())
}

/// Whether the owner gives way to whoever has the code, by what the database has of it.
pub(crate) fn gives_way(
    linked_by: Option<&str>,
    linked_at: Option<Millis>,
    now: Millis,
) -> Result<bool> {
    let (Some(by), Some(at)) = (linked_by, linked_at) else {
        return Ok(false);
    };
    let known = LinkedBy::ALL.into_iter().find(|known| known.as_str() == by);
    let known = known.ok_or(Error::Damaged("systems.linked_by"))?;
    Ok(known.gives_way(at, now))
}
