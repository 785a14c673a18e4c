//! Batteries that sent more than their quota: gateways write them, the operator reads them.
use crate::{Error, Result, Store};
use db::FromRow;
use domain::Serial;
use domain::clock::{DAY, Millis};
use strum::{EnumString, IntoStaticStr};

/// How long a battery stays in the operator's list after it was throttled for the last time.
const LISTED_FOR: Millis = 7 * DAY;

/// Messages that share a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case")]
pub enum MessageKind {
    /// Live samples.
    Live,
    /// Back-fill.
    History,
    /// Hello, events, settings, answers, firmware, rejects, subscriptions.
    Other,
}

impl MessageKind {
    pub const ALL: [Self; 3] = [Self::Live, Self::History, Self::Other];

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// A battery that was throttled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrottledDevice {
    pub sn: Serial,
    /// The kind of messages that exceeded the quota.
    pub kind: MessageKind,
    pub since: Millis,
    /// The last time it was throttled, to the minute.
    pub at: Millis,
}

#[derive(Debug, FromRow)]
struct Row {
    sn: String,
    kind: String,
    since: Millis,
    at: Millis,
}

impl Row {
    fn device(self) -> Result<ThrottledDevice> {
        let damaged = Error::Damaged;
        Ok(ThrottledDevice {
            sn: self
                .sn
                .parse()
                .map_err(|_| damaged("throttled_devices.sn"))?,
            kind: self
                .kind
                .parse()
                .map_err(|_| damaged("throttled_devices.kind"))?,
            since: self.since,
            at: self.at,
        })
    }
}

impl Store {
    pub async fn record_throttled(&self, device: &ThrottledDevice) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO throttled_devices (sn, kind, since, at) VALUES ($1, $2, $3, $4) ON CONFLICT (sn) DO UPDATE
                 SET kind = excluded.kind, since = excluded.since, at = excluded.at"
            )
            .bind(device.sn.as_str())
            .bind(device.kind.as_str())
            .bind(device.since)
            .bind(device.at)
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// Batteries that were throttled recently, by serial number.
    pub async fn throttled_devices(&self) -> Result<Vec<ThrottledDevice>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT sn, kind, since, at FROM throttled_devices ORDER BY sn").fetch_all(p).await)?;
        rows.into_iter().map(Row::device).collect()
    }

    pub async fn purge_throttled_devices(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM throttled_devices WHERE at < $1").bind(now - LISTED_FOR))?;
        Ok(())
    }
}
