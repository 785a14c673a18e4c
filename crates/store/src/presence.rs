//! Whether a battery is reachable and since when; a row changes only when the state does.
use crate::db::Tx;
use crate::{Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::sample::MessageId;

/// A process that batteries connect to, from its start to its end. The default is the one process on SQLite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GatewayId(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    pub online: bool,
    /// When the present state began.
    pub since: Millis,
    /// The start of the device that said the newest hello.
    pub boot: u32,
    /// Who heard of it last.
    pub gateway: GatewayId,
}

#[derive(Debug)]
struct Row {
    online: bool,
    since: Millis,
    boot: i64,
    gateway: i64,
}
row!(Row {
    online,
    since,
    boot,
    gateway
});

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

/// Takes a hello unless a newer one was there before (`None`), and says the state now.
pub(crate) async fn hello(
    tx: &mut Tx,
    sn: &Serial,
    id: MessageId,
    gateway: GatewayId,
    now: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "INSERT INTO presence (sn, online, since, boot, seq, gateway) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (sn) DO UPDATE SET online = excluded.online, boot = excluded.boot, seq = excluded.seq,
             gateway = excluded.gateway, since = CASE WHEN presence.online THEN presence.since ELSE excluded.since END
         WHERE (presence.boot, presence.seq) < (excluded.boot, excluded.seq)
         RETURNING online, since, boot, gateway")
        .bind(sn.as_str()).bind(true).bind(now).bind(i64::from(id.boot)).bind(i64::from(id.seq)).bind(gateway.0)
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

/// The battery is there, at this gateway; says the state now.
pub(crate) async fn online(
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

/// The battery left this gateway without a word; says the new state. A will that an earlier start of the device left says
/// nothing about this one, and neither does one from a gateway that it has left for another.
pub(crate) async fn left(
    tx: &mut Tx,
    sn: &Serial,
    boot: u32,
    gateway: GatewayId,
    now: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE presence SET online = $2, since = $3 WHERE sn = $1 AND online AND boot <= $4 AND gateway = $5
         RETURNING online, since, boot, gateway")
        .bind(sn.as_str()).bind(false).bind(now).bind(i64::from(boot)).bind(gateway.0)
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

#[derive(Debug)]
struct Named {
    sn: String,
    online: bool,
    since: Millis,
    boot: i64,
    gateway: i64,
}
row!(Named {
    sn,
    online,
    since,
    boot,
    gateway
});

#[derive(Debug)]
struct Heartbeats {
    gateway: i64,
    heartbeats: Option<i64>,
}
row!(Heartbeats {
    gateway,
    heartbeats
});

impl Store {
    /// Where each battery stands that ever connected.
    pub async fn presences(&self) -> Result<Vec<(Serial, Presence)>> {
        match self.all_presences().await {
            // Those that can be read, one by one.
            Err(error) if error.is_damage() => {}
            all => return all,
        }
        let mut found = Vec::new();
        for sn in self.serials().await? {
            let presence = self.tolerate(self.presence(&sn).await, "presence", &sn)?;
            found.extend(presence.flatten().map(|presence| (sn, presence)));
        }
        Ok(found)
    }

    async fn all_presences(&self) -> Result<Vec<(Serial, Presence)>> {
        let rows: Vec<Named> = on!(self, p => sqlx::query_as("SELECT sn, online, since, boot, gateway FROM presence")
            .fetch_all(p).await)?;
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

    /// These batteries of this gateway have fallen silent. Says the state of each now: those that are at another one stay as
    /// they are.
    pub async fn mark_silent(
        &self,
        gateway: GatewayId,
        silent: &[Serial],
        now: Millis,
    ) -> Result<Vec<(Serial, Presence)>> {
        // One order for everybody, so that two writers never wait for each other.
        let mut serials: Vec<&Serial> = silent.iter().collect();
        serials.sort_unstable();
        let mut tx = self.begin().await?;
        let mut found = Vec::with_capacity(serials.len());
        for sn in serials {
            let mut row: Option<Row> = within!(&mut tx, c => sqlx::query_as(
                "UPDATE presence SET online = $3, since = $4 WHERE sn = $1 AND gateway = $2 AND online
                 RETURNING online, since, boot, gateway")
                .bind(sn.as_str()).bind(gateway.0).bind(false).bind(now).fetch_optional(c).await)?;
            if row.is_none() {
                row = within!(&mut tx, c => sqlx::query_as(
                    "SELECT online, since, boot, gateway FROM presence WHERE sn = $1")
                    .bind(sn.as_str()).fetch_optional(c).await)?;
            }
            if let Some(row) = row {
                found.push((sn.clone(), row.presence()?));
            }
        }
        tx.commit_reports(std::iter::empty()).await?;
        Ok(found)
    }

    /// The batteries that count as online at this gateway.
    pub async fn online_at(&self, gateway: GatewayId) -> Result<Vec<Serial>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar(
            "SELECT sn FROM presence WHERE gateway = $1 AND online ORDER BY sn")
            .bind(gateway.0).fetch_all(p).await)?;
        let serial = |sn: String| sn.parse().map_err(|_| Error::Damaged("presence.sn"));
        serials.into_iter().map(serial).collect()
    }

    /// Every gateway that batteries count as online at, with the count of its heartbeats; `None` for one that never had any.
    pub async fn gateway_heartbeats(&self) -> Result<Vec<(GatewayId, Option<i64>)>> {
        let rows: Vec<Heartbeats> = on!(self, p => sqlx::query_as(
            "SELECT DISTINCT p.gateway, g.heartbeats FROM presence p LEFT JOIN gateways g ON g.id = p.gateway WHERE p.online")
            .fetch_all(p).await)?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|row| (GatewayId(row.gateway), row.heartbeats))
            .collect())
    }
}
