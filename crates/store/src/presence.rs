//! Whether a battery is online, and since when. A row changes only when the state does.
use crate::{Error, Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;
use domain::sample::MessageId;

/// A process that batteries connect to, from its start to its end. The default is the only process on SQLite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GatewayId(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    pub online: bool,
    /// When the present state began. For an offline battery: its last contact.
    pub since: Millis,
    /// The boot of the device that sent the newest hello.
    pub boot: u32,
    /// The gateway that last had contact with it.
    pub gateway: GatewayId,
}

#[derive(Debug, FromRow)]
struct Row {
    online: bool,
    since: Millis,
    boot: i64,
    gateway: i64,
}

impl Row {
    fn presence(&self) -> Result<Presence> {
        Ok(Presence {
            online: self.online,
            since: self.since,
            boot: u32::try_from(self.boot).map_err(|_| Error::Damaged("presence.boot"))?,
            gateway: GatewayId(self.gateway),
        })
    }
}

/// Records a hello and returns the new state; `None` if a newer hello was recorded before.
pub(crate) async fn record_hello(
    tx: &mut Tx,
    sn: &Serial,
    id: MessageId,
    gateway: GatewayId,
    now: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "INSERT INTO presence (sn, online, since, boot, seq, gateway, hello_at) VALUES ($1, $2, $3, $4, $5, $6, $3)
         ON CONFLICT (sn) DO UPDATE SET online = excluded.online, boot = excluded.boot, seq = excluded.seq,
             gateway = excluded.gateway, hello_at = excluded.hello_at, since = CASE WHEN presence.online THEN presence.since ELSE excluded.since END
         WHERE (presence.boot, presence.seq) < (excluded.boot, excluded.seq)
         RETURNING online, since, boot, gateway")
        .bind(sn.as_str()).bind(true).bind(now).bind(i64::from(id.boot)).bind(i64::from(id.seq)).bind(gateway.0)
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

/// Marks the battery as online at this gateway and returns the new state.
pub(crate) async fn mark_online(
    tx: &mut Tx,
    sn: &Serial,
    gateway: GatewayId,
    now: Millis,
) -> Result<Presence> {
    let row: Row = within!(tx, c => sqlx::query_as(
        "INSERT INTO presence (sn, online, since, boot, seq, gateway) VALUES ($1, $2, $3, 0, 0, $4)
         ON CONFLICT (sn) DO UPDATE SET online = excluded.online, gateway = excluded.gateway,
             since = CASE WHEN presence.online THEN presence.since ELSE excluded.since END
         RETURNING online, since, boot, gateway")
        .bind(sn.as_str()).bind(true).bind(now).bind(gateway.0).fetch_one(c).await)?;
    row.presence()
}

/// The battery lost its connection to this gateway; its last contact was at `since`. Returns the new state. `None` if nothing
/// changed: the last will belongs to an earlier boot of the device, or the battery has moved to another gateway, or it was
/// offline already.
pub(crate) async fn mark_offline(
    tx: &mut Tx,
    sn: &Serial,
    boot: u32,
    gateway: GatewayId,
    since: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE presence SET online = $2, since = $3 WHERE sn = $1 AND online AND boot <= $4 AND gateway = $5
         RETURNING online, since, boot, gateway")
        .bind(sn.as_str()).bind(false).bind(since).bind(i64::from(boot)).bind(gateway.0)
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

macro_rules! select_presences {
    ($which:expr) => {
        concat!(
            "SELECT sn, online, since, boot, gateway FROM presence WHERE sn",
            $which
        )
    };
}

#[derive(Debug, FromRow)]
struct SerialPresenceRow {
    sn: String,
    online: bool,
    since: Millis,
    boot: i64,
    gateway: i64,
}

#[derive(Debug, FromRow)]
struct Heartbeats {
    gateway: i64,
    heartbeats: Option<i64>,
}

impl Store {
    /// The presence of these batteries, if they ever connected.
    pub async fn presences_of(&self, systems: &[Serial]) -> Result<Vec<(Serial, Presence)>> {
        match self.read_presences(systems).await {
            // Reads system by system, to return those that are not damaged.
            Err(error) if error.is_damage() => {}
            all => return all,
        }
        let mut found = Vec::new();
        for sn in systems {
            let read = self.read_presences(std::slice::from_ref(sn)).await;
            found.extend(
                self.db
                    .tolerate(read, "presence", sn)?
                    .into_iter()
                    .flatten(),
            );
        }
        Ok(found)
    }

    async fn read_presences(&self, systems: &[Serial]) -> Result<Vec<(Serial, Presence)>> {
        let rows: Vec<SerialPresenceRow> = rows_of_systems!(self, select_presences, 1, systems)?;
        rows.into_iter()
            .map(|row| {
                let sn = row.sn.parse().map_err(|_| Error::Damaged("presence.sn"))?;
                let row = Row {
                    online: row.online,
                    since: row.since,
                    boot: row.boot,
                    gateway: row.gateway,
                };
                Ok((sn, row.presence()?))
            })
            .collect()
    }

    pub async fn presence(&self, sn: &Serial) -> Result<Option<Presence>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT online, since, boot, gateway FROM presence WHERE sn = $1")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        row.map(|row| row.presence()).transpose()
    }

    /// Marks batteries of this gateway as offline because they fell silent, each with its last contact. Returns the present state
    /// of each. Batteries that have moved to another gateway keep their state.
    pub async fn mark_silent(
        &self,
        gateway: GatewayId,
        silent: &[(Serial, Millis)],
    ) -> Result<Vec<(Serial, Presence)>> {
        // All writers use the same order, so two of them never deadlock.
        let mut silent: Vec<&(Serial, Millis)> = silent.iter().collect();
        silent.sort_unstable();
        let mut tx = self.db.begin().await?;
        let mut found = Vec::with_capacity(silent.len());
        for (sn, last_contact) in silent {
            let mut row: Option<Row> = within!(&mut tx, c => sqlx::query_as(
                "UPDATE presence SET online = $3, since = $4 WHERE sn = $1 AND gateway = $2 AND online
                 RETURNING online, since, boot, gateway")
                .bind(sn.as_str()).bind(gateway.0).bind(false).bind(*last_contact).fetch_optional(c).await)?;
            if row.is_none() {
                row = within!(&mut tx, c => sqlx::query_as(
                    "SELECT online, since, boot, gateway FROM presence WHERE sn = $1")
                    .bind(sn.as_str()).fetch_optional(c).await)?;
            }
            if let Some(row) = row {
                found.push((sn.clone(), row.presence()?));
            }
        }
        tx.commit_invalidating(std::iter::empty()).await?;
        Ok(found)
    }

    /// The batteries that are online at this gateway.
    pub async fn online_at(&self, gateway: GatewayId) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT sn FROM presence WHERE gateway = $1 AND online ORDER BY sn")
            .bind(gateway.0).fetch_all(p).await)?;
        let serial = |sn: String| sn.parse().map_err(|_| Error::Damaged("presence.sn"));
        serials.into_iter().map(serial).collect()
    }

    pub async fn count_online(&self) -> Result<i64> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT COUNT(*) FROM presence WHERE online").fetch_one(p).await)?)
    }

    /// Every gateway with online batteries and its heartbeat count; `None` if it never had a heartbeat. Each process asks every
    /// few seconds, so it looks up the next gateway in the index instead of reading every battery (`DISTINCT`).
    pub async fn gateway_heartbeats(&self) -> Result<Vec<(GatewayId, Option<i64>)>> {
        let rows: Vec<Heartbeats> = on!(self, p => sqlx::query_as(
            "WITH RECURSIVE found (gateway) AS (
                 SELECT MIN(gateway) FROM presence WHERE online
                 UNION ALL SELECT (SELECT MIN(p.gateway) FROM presence p WHERE p.online AND p.gateway > found.gateway)
                     FROM found WHERE found.gateway IS NOT NULL)
             SELECT found.gateway, g.heartbeats FROM found LEFT JOIN gateways g ON g.id = found.gateway
             WHERE found.gateway IS NOT NULL")
            .fetch_all(p).await)?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|row| (GatewayId(row.gateway), row.heartbeats))
            .collect())
    }
}
