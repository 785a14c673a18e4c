//! Whether a battery is reachable and since when; a row changes only when the state does.
use crate::db::Tx;
use crate::{Error, Result, Store};
use domain::Serial;
use domain::clock::Millis;
use domain::sample::MessageId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    pub online: bool,
    /// When the present state began.
    pub since: Millis,
    /// The start of the device that said the newest hello.
    pub boot: u32,
}

#[derive(Debug)]
struct Row {
    online: bool,
    since: Millis,
    boot: i64,
}
row!(Row {
    online,
    since,
    boot
});

impl Row {
    fn presence(&self) -> Result<Presence> {
        Ok(Presence {
            online: self.online,
            since: self.since,
            boot: u32::try_from(self.boot).map_err(|_| Error::Damaged("presence.boot"))?,
        })
    }
}

/// Takes a hello unless a newer one was there before (`None`), and says the state now.
pub(crate) async fn hello(
    tx: &mut Tx,
    sn: &Serial,
    id: MessageId,
    now: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "INSERT INTO presence (sn, online, since, boot, seq) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (sn) DO UPDATE SET online = excluded.online, boot = excluded.boot, seq = excluded.seq,
             since = CASE WHEN presence.online THEN presence.since ELSE excluded.since END
         WHERE (presence.boot, presence.seq) < (excluded.boot, excluded.seq)
         RETURNING online, since, boot")
        .bind(sn.as_str()).bind(true).bind(now).bind(i64::from(id.boot)).bind(i64::from(id.seq))
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

/// The battery is there; says the new state if it was not before.
pub(crate) async fn online(tx: &mut Tx, sn: &Serial, now: Millis) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "INSERT INTO presence (sn, online, since, boot, seq) VALUES ($1, $2, $3, 0, 0)
         ON CONFLICT (sn) DO UPDATE SET online = excluded.online, since = excluded.since
         WHERE NOT presence.online
         RETURNING online, since, boot")
        .bind(sn.as_str()).bind(true).bind(now).fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

/// The battery is gone; a will that an earlier start of the device left says nothing about this one.
pub(crate) async fn offline(
    tx: &mut Tx,
    sn: &Serial,
    boot: Option<u32>,
    now: Millis,
) -> Result<Option<Presence>> {
    let row: Option<Row> = within!(tx, c => sqlx::query_as(
        "UPDATE presence SET online = $2, since = $3 WHERE sn = $1 AND online AND boot <= $4
         RETURNING online, since, boot")
        .bind(sn.as_str()).bind(false).bind(now).bind(boot.map_or(i64::MAX, i64::from))
        .fetch_optional(c).await)?;
    row.map(|row| row.presence()).transpose()
}

#[derive(Debug)]
struct Named {
    sn: String,
    online: bool,
    since: Millis,
    boot: i64,
}
row!(Named {
    sn,
    online,
    since,
    boot
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
        let rows: Vec<Named> = on!(self, p => sqlx::query_as("SELECT sn, online, since, boot FROM presence")
            .fetch_all(p).await)?;
        rows.into_iter()
            .map(|row| {
                let sn = row.sn.parse().map_err(|_| Error::Damaged("presence.sn"))?;
                let row = Row {
                    online: row.online,
                    since: row.since,
                    boot: row.boot,
                };
                Ok((sn, row.presence()?))
            })
            .collect()
    }

    pub async fn presence(&self, sn: &Serial) -> Result<Option<Presence>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT online, since, boot FROM presence WHERE sn = $1")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        row.map(|row| row.presence()).transpose()
    }
}
