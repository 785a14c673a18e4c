//! Messages that nobody could use, kept with the reason so that they can be looked into.
use crate::db::Tx;
use crate::{Result, Store};
use domain::Serial;
use domain::clock::Millis;

/// How many of each battery are kept, the newest.
const KEPT: i64 = 100;
const MAX_PAYLOAD: usize = 4 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    pub received_at: Millis,
    pub topic: String,
    pub reason: String,
    pub payload: Vec<u8>,
}
row!(Reject {
    received_at,
    topic,
    reason,
    payload
});

pub(crate) async fn keep(
    tx: &mut Tx,
    sn: &Serial,
    topic: &str,
    reason: &str,
    payload: &[u8],
    now: Millis,
) -> Result<()> {
    let start = &payload[..payload.len().min(MAX_PAYLOAD)];
    execute!(
        tx,
        sqlx::query(
            "INSERT INTO rejects (sn, received_at, topic, reason, payload) VALUES ($1, $2, $3, $4, $5)"
        )
        .bind(sn.as_str())
        .bind(now)
        .bind(topic)
        .bind(reason)
        .bind(start)
    )?;
    execute!(
        tx,
        sqlx::query(
            "DELETE FROM rejects WHERE sn = $1 AND id <=
                 (SELECT id FROM rejects WHERE sn = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)"
        )
        .bind(sn.as_str())
        .bind(KEPT)
    )?;
    Ok(())
}

impl Store {
    /// What was rejected of one battery, newest first.
    pub async fn rejects(&self, sn: &Serial) -> Result<Vec<Reject>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT received_at, topic, reason, payload FROM rejects WHERE sn = $1 ORDER BY id DESC")
            .bind(sn.as_str()).fetch_all(p).await)?)
    }
}
