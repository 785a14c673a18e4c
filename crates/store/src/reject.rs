//! Messages that could not be used, stored with the reason for later analysis.
use crate::{Result, Store};
use db::{FromRow, Tx};
use domain::Serial;
use domain::clock::Millis;

/// How many are kept per battery; older ones are deleted.
const MAX_REJECTS_PER_SYSTEM: i64 = 100;
const MAX_PAYLOAD: usize = 4 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Reject {
    pub received_at: Millis,
    pub topic: String,
    pub reason: String,
    pub payload: Vec<u8>,
}

pub(crate) async fn insert(
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
        .bind(MAX_REJECTS_PER_SYSTEM)
    )?;
    Ok(())
}

impl Store {
    /// The rejects of one battery, newest first.
    pub async fn rejects(&self, sn: &Serial) -> Result<Vec<Reject>> {
        Ok(on!(self, p => sqlx::query_as(
            "SELECT received_at, topic, reason, payload FROM rejects WHERE sn = $1 ORDER BY id DESC")
            .bind(sn.as_str()).fetch_all(p).await)?)
    }
}
