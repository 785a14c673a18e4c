//! Whether batteries can reach us: the endpoint says so every now and then, so that nobody counts as offline who only could not.
use crate::{Result, Store};
use domain::clock::{Millis, SECOND};

/// An endpoint that has said nothing for so long was away.
const BREAK: Millis = 90 * SECOND;
/// There is one row; several endpoints share it.
const ROW: i64 = 1;

impl Store {
    /// An endpoint listens.
    pub async fn pulse(&self, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
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
}
