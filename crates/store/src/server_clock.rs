//! The error of the server's clock, measured against the clocks of its batteries. Gateways measure it; all other processes read
//! it here.
use crate::{Result, Store};
use domain::clock::{MINUTE, Millis, SECOND};

/// The allowed difference between the server's clock and its batteries': messages take seconds to arrive.
pub const CLOCK_TOLERANCE: Millis = 60 * SECOND;
/// How long a measurement is valid.
const CLOCK_CHECK_VALID_FOR: Millis = 10 * MINUTE;
/// The table has one row, which several gateways share.
const ROW: i64 = 1;

impl Store {
    /// `ahead`: how far the server's clock is ahead of the batteries' (negative: behind).
    pub async fn save_clock_check(&self, ahead: Millis, now: Millis) -> Result<()> {
        let mut tx = self.db.begin().await?;
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
        tx.commit_invalidating(std::iter::empty()).await
    }

    /// How far the server's clock is ahead of the batteries'. `None` when it is within the tolerance, or there is no recent
    /// measurement.
    pub async fn clock_error(&self, now: Millis) -> Result<Option<Millis>> {
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT ahead FROM server_clock
             WHERE id = $1 AND checked_at BETWEEN $2 AND $3 AND abs(ahead) > $4")
            .bind(ROW).bind(now - CLOCK_CHECK_VALID_FOR).bind(now + CLOCK_CHECK_VALID_FOR).bind(CLOCK_TOLERANCE).fetch_optional(p).await)?)
    }
}
