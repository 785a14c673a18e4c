//! Whether batteries can reach the server. Gateways send heartbeats, so that batteries do not count as offline only because the
//! server itself was unreachable.
use crate::presence::GatewayId;
use crate::{Result, Store};
use domain::clock::{DAY, Millis, SECOND};

/// After a longer gap between heartbeats, the endpoint counts as having been down.
const MAX_HEARTBEAT_GAP: Millis = 90 * SECOND;
/// The only row; all gateways share it.
const ROW: i64 = 1;
/// A gateway without a heartbeat for this long is deleted. By then its batteries have long counted as offline.
const FORGET_GATEWAY_AFTER: Millis = DAY;

impl Store {
    /// Records the heartbeat of a gateway whose endpoint listens.
    pub async fn record_heartbeat(&self, gateway: GatewayId, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO gateways (id, heartbeats, heartbeat_at) VALUES ($1, 1, $2) ON CONFLICT (id) DO UPDATE SET
                     heartbeats = gateways.heartbeats + 1, heartbeat_at = excluded.heartbeat_at"
            )
            .bind(gateway.0)
            .bind(now)
        )?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO link_pulse (id, since, at) VALUES ($1, $2, $2) ON CONFLICT (id) DO UPDATE SET
                     since = CASE WHEN link_pulse.at < $2 - $3 THEN $2 ELSE link_pulse.since END,
                     at = CASE WHEN link_pulse.at > $2 THEN link_pulse.at ELSE $2 END"
            )
            .bind(ROW)
            .bind(now)
            .bind(MAX_HEARTBEAT_GAP)
        )?;
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// Since when batteries have been able to reach the server without interruption; `None` while they cannot.
    pub async fn reachable_since(&self, now: Millis) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT since FROM link_pulse WHERE id = $1 AND at >= $2")
            .bind(ROW).bind(now - MAX_HEARTBEAT_GAP).fetch_optional(p).await)?)
    }

    pub async fn purge_gateways(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM gateways WHERE heartbeat_at < $1")
            .bind(now - FORGET_GATEWAY_AFTER))?;
        Ok(())
    }
}
