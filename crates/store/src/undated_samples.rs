//! Samples whose time is unknown: stored, never shown.
use crate::{Result, Store};
use db::Tx;
use domain::Serial;
use domain::clock::Millis;
use domain::sample::MessageId;

/// A sample whose time is unknown: stored, never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndatedSample {
    pub id: MessageId,
    /// What the battery sent, as JSON.
    pub payload: String,
}

/// A sample without a time belongs to the present household only if its boot, or a later one, started in that household's time.
/// Otherwise its household is unknown, and it is dropped.
pub(crate) async fn insert(
    tx: &mut Tx,
    sn: &Serial,
    samples: &[UndatedSample],
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
            .bind(sample.id.stored_boot())
            .bind(i64::from(sample.id.seq))
            .bind(now)
            .bind(&sample.payload)
            .bind(i64::from(sample.id.boot))
        )?;
    }
    Ok(())
}

impl Store {
    /// How many undated samples a battery has.
    pub async fn undated_sample_count(&self, sn: &Serial) -> Result<i64> {
        Ok(
            on!(self, p => sqlx::query_scalar("SELECT count(*) FROM hidden_samples WHERE sn = $1")
            .bind(sn.as_str()).fetch_one(p).await)?,
        )
    }
}
