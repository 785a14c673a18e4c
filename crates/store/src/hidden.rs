//! Samples that could not be placed in time: kept, never shown.
use crate::db::Tx;
use crate::report::HiddenSample;
use crate::{Result, Store};
use domain::Serial;
use domain::clock::Millis;

/// A sample without a time is the present household's only if the battery was started in its time, and this start is
/// not older. Of any other nobody knows whose it is, and it is not kept.
pub(crate) async fn keep(
    tx: &mut Tx,
    sn: &Serial,
    samples: &[HiddenSample],
    now: Millis,
) -> Result<()> {
    for sample in samples {
        execute!(
            tx,
            sqlx::query(
                "INSERT INTO hidden_samples (sn, boot, seq, received_at, payload)
                 SELECT s.sn, $2, $3, $4, $5 FROM systems s WHERE s.sn = $1
                     AND (s.history_from = 0 OR EXISTS (SELECT 1 FROM boots b
                         WHERE b.sn = s.sn AND b.boot <= $6 AND b.started_at >= s.history_from))
                 ON CONFLICT (sn, boot, seq) DO NOTHING"
            )
            .bind(sn.as_str())
            .bind(sample.id.kept_boot())
            .bind(i64::from(sample.id.seq))
            .bind(now)
            .bind(&sample.payload)
            .bind(i64::from(sample.id.boot))
        )?;
    }
    Ok(())
}

impl Store {
    /// How many samples of a battery are hidden.
    pub async fn hidden_samples(&self, sn: &Serial) -> Result<i64> {
        Ok(
            on!(self, p => sqlx::query_scalar("SELECT count(*) FROM hidden_samples WHERE sn = $1")
            .bind(sn.as_str()).fetch_one(p).await)?,
        )
    }
}
