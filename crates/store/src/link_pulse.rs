//! Whether batteries can reach us: the endpoint says so every now and then, so that nobody counts as offline who only could not.
use crate::presence::GatewayId;
use crate::{Result, Store};
use domain::clock::{DAY, Millis, SECOND};

/// An endpoint that has said nothing for so long was away.
const BREAK: Millis = 90 * SECOND;
/// There is one row; several endpoints share it.
const ROW: i64 = 1;
/// A gateway without a heartbeat for so long is forgotten: its batteries have counted as offline long since.
const GATEWAYS_KEPT: Millis = DAY;

impl Store {
    /// A gateway's endpoint listens: its heartbeat.
    pub async fn pulse(&self, gateway: GatewayId, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
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
            .bind(BREAK)
        )?;
        tx.commit_reports(std::iter::empty()).await
    }

    /// Since when batteries can reach us without a break; `None` while they cannot.
    pub async fn reachable_since(&self, now: Millis) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT since FROM link_pulse WHERE id = $1 AND at >= $2 - $3")
            .bind(ROW).bind(now).bind(BREAK).fetch_optional(p).await)?)
    }

    pub async fn purge_gateways(&self, now: Millis) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM gateways WHERE heartbeat_at < $1")
            .bind(now - GATEWAYS_KEPT))?;
        Ok(())
    }
}
