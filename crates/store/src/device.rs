//! Devices on the device link: their starts and the facts that they report about themselves.
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::clock::{DAY, Millis};
use domain::hello::PartVersions;
use domain::{Hello, Serial, Zone};

/// How many starts of a device are remembered, here and by its connection. A battery may send back-fill from a few starts ago.
pub const BOOTS_REMEMBERED: usize = 8;
/// How often the phase of a system with a history may change, and how often an ignored change is logged.
const PHASE_CHANGE_INTERVAL: Millis = DAY;

/// What a system reports about itself, and its site's time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemFacts {
    pub site_id: i64,
    pub phase: u8,
    /// Index among the successive units of the site; 0 until the first exchange.
    pub unit: u8,
    pub zone: Zone,
    /// Usable capacity in Wh.
    pub capacity: Option<i64>,
    /// Rated charge power in W.
    pub charge_max: Option<i64>,
    /// Rated discharge power in W.
    pub discharge_max: Option<i64>,
    pub hardware: Option<String>,
    pub versions: PartVersions,
    /// The unit installs updates only with its main switch off.
    pub update_needs_off: bool,
}

macro_rules! select_facts {
    ($which:expr) => {
        concat!(
            "SELECT sn, site_id, phase, unit, time_zone, capacity, charge_max, discharge_max, hardware, master_version,
                 gateway_version, slave_version, update_needs_off FROM systems WHERE sn",
            $which
        )
    };
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    site_id: i64,
    phase: i64,
    unit: i64,
    time_zone: String,
    capacity: Option<i64>,
    charge_max: Option<i64>,
    discharge_max: Option<i64>,
    hardware: Option<String>,
    master_version: Option<String>,
    gateway_version: Option<String>,
    slave_version: Option<String>,
    update_needs_off: bool,
}

impl Row {
    fn facts(self) -> Result<(Serial, SystemFacts)> {
        let facts = SystemFacts {
            site_id: self.site_id,
            phase: u8::try_from(self.phase).map_err(|_| Error::Damaged("systems.phase"))?,
            unit: u8::try_from(self.unit).map_err(|_| Error::Damaged("systems.unit"))?,
            zone: self
                .time_zone
                .parse()
                .map_err(|_| Error::Damaged("systems.time_zone"))?,
            capacity: self.capacity,
            charge_max: self.charge_max,
            discharge_max: self.discharge_max,
            hardware: self.hardware,
            versions: PartVersions {
                master: self.master_version,
                gateway: self.gateway_version,
                slave: self.slave_version,
            },
            update_needs_off: self.update_needs_off,
        };
        let sn = self.sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
        Ok((sn, facts))
    }
}

/// Saves the facts of a hello. Returns the present facts, or `None` if nothing has changed. A single statement unless the phase
/// differs, because hundreds of hellos may share a commit that others wait for.
pub(crate) async fn save_facts(
    tx: &mut Tx,
    sn: &Serial,
    hello: &Hello,
) -> Result<Option<SystemFacts>> {
    // Past days must not shift: the reported zone is used only before the first sample, and only while no account has set the
    // zone.
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE systems SET hardware = $3, capacity = $4, charge_max = $5, discharge_max = $6,
             master_version = $7, gateway_version = $8, slave_version = $9, update_needs_off = $11,
             time_zone = CASE WHEN time_zone <> $10 AND NOT zone_said AND NOT measured THEN $10 ELSE time_zone END
         WHERE sn = $1 AND (phase <> $2 OR hardware IS DISTINCT FROM $3 OR capacity IS DISTINCT FROM $4
             OR charge_max IS DISTINCT FROM $5 OR discharge_max IS DISTINCT FROM $6
             OR master_version IS DISTINCT FROM $7 OR gateway_version IS DISTINCT FROM $8
             OR slave_version IS DISTINCT FROM $9 OR update_needs_off <> $11 OR (time_zone <> $10 AND NOT zone_said))
         RETURNING sn, site_id, phase, unit, time_zone, capacity, charge_max, discharge_max, hardware,
             master_version, gateway_version, slave_version, update_needs_off")
        .bind(sn.as_str())
        .bind(i64::from(hello.phase))
        .bind(&hello.hardware)
        .bind(hello.capacity)
        .bind(hello.charge_max)
        .bind(hello.discharge_max)
        .bind(hello.versions.master.as_deref())
        .bind(hello.versions.gateway.as_deref())
        .bind(hello.versions.slave.as_deref())
        .bind(hello.zone.name())
        .bind(hello.update_needs_off)
        .fetch_optional(c).await)?;
    let Some(row) = row else { return Ok(None) };
    let (_, mut facts) = row.facts()?;
    if facts.phase != hello.phase && change_phase(tx, sn, facts.phase, hello.phase).await? {
        facts.phase = hello.phase;
    }
    Ok(Some(facts))
}

/// Saves another phase, at most once a day, and returns whether it did. With another phase the whole history is sealed again, and
/// a battery that alternates would keep all others waiting for that. A new system has no history and may be corrected at once.
async fn change_phase(tx: &mut Tx, sn: &Serial, from: u8, to: u8) -> Result<bool> {
    let changed = execute!(
        &mut *tx,
        sqlx::query(
            "UPDATE systems SET phase = $2, phase_changed_at = p.hello_at FROM presence p
             WHERE systems.sn = $1 AND p.sn = $1 AND (p.hello_at - systems.phase_changed_at >= $3
                 OR NOT EXISTS (SELECT 1 FROM sealed_months m WHERE m.sn = $1))"
        )
        .bind(sn.as_str())
        .bind(i64::from(to))
        .bind(PHASE_CHANGE_INTERVAL)
    )?;
    if changed == 1 {
        return Ok(true);
    }
    let newly_ignored = execute!(
        tx,
        sqlx::query(
            "UPDATE systems SET phase_ignored_at = p.hello_at FROM presence p
             WHERE systems.sn = $1 AND p.sn = $1 AND p.hello_at - systems.phase_ignored_at >= $2"
        )
        .bind(sn.as_str())
        .bind(PHASE_CHANGE_INTERVAL)
    )?;
    if newly_ignored == 1 {
        tracing::warn!(%sn, from, to, "phase_change_ignored: its phase has changed within a day already; a hello after that day counts");
    }
    Ok(false)
}

/// Saves the time of a start of the device, so that a repeated message gets the same time after the server restarts.
pub(crate) async fn save_boot(
    tx: &mut Tx,
    sn: &Serial,
    boot: u32,
    started_at: Millis,
) -> Result<()> {
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO boots (sn, boot, started_at) VALUES ($1, $2, $3) ON CONFLICT (sn, boot) DO UPDATE
             SET started_at = excluded.started_at WHERE boots.started_at <> excluded.started_at"
        )
        .bind(sn.as_str())
        .bind(i64::from(boot))
        .bind(started_at)
    )?;
    Ok(())
}

impl Store {
    /// Deletes old starts, except the newest `BOOTS_REMEMBERED` of each device.
    pub async fn purge_boots(&self) -> Result<()> {
        execute!(on self, sqlx::query(
            "DELETE FROM boots WHERE $1 <= (SELECT COUNT(*) FROM boots newer
                 WHERE newer.sn = boots.sn AND newer.boot > boots.boot)")
            .bind(BOOTS_REMEMBERED as i64))?;
        Ok(())
    }

    pub async fn facts(&self, sn: &Serial) -> Result<Option<SystemFacts>> {
        let mut found = self.facts_of(std::slice::from_ref(sn)).await?;
        Ok(found.pop().map(|(_, facts)| facts))
    }

    pub async fn facts_of(&self, systems: &[Serial]) -> Result<Vec<(Serial, SystemFacts)>> {
        let rows: Vec<Row> = rows_of_systems!(self, select_facts, 1, systems)?;
        rows.into_iter().map(Row::facts).collect()
    }
}
