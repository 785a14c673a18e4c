//! Whether the server's clock is right, by the clocks of its batteries: endpoints find out, everybody else reads it here.
use crate::{Result, Store};
use domain::clock::{MINUTE, Millis, SECOND};

/// The server's clock may be this far from its batteries': messages travel for seconds.
pub const CLOCK_TOLERANCE: Millis = 60 * SECOND;
/// How long a check says something about now.
const CHECK_LASTS: Millis = 10 * MINUTE;
/// There is one row; several endpoints share it.
const ROW: i64 = 1;

impl Store {
    /// By how much the clock is ahead of the batteries' (negative: behind).
    pub async fn keep_clock_check(&self, ahead: Millis, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        execute!(
            &mut tx,
            sqlx::query(
                "INSERT INTO server_clock (id, ahead, checked_at) VALUES ($1, $2, $3)
                 ON CONFLICT (id) DO UPDATE SET ahead = excluded.ahead, checked_at = excluded.checked_at"
            )
            .bind(ROW)
            .bind(ahead)
            .bind(now)
        )?;
        tx.commit_reports(std::iter::empty()).await
    }

    /// By how much the clock is ahead of the batteries', if that is more than messages travel; `None` when it is right, or when
    /// nobody has found out lately.
    pub async fn clock_error(&self, now: Millis) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT ahead FROM server_clock
             WHERE id = $1 AND checked_at BETWEEN $2 - $3 AND $2 + $3 AND abs(ahead) > $4")
            .bind(ROW).bind(now).bind(CHECK_LASTS).bind(CLOCK_TOLERANCE).fetch_optional(p).await)?)
    }
}
