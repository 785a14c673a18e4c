//! Databases from before the log have a row per sample. These rows become chunks at the first start.
use crate::row::Row;
use crate::{Telemetry, chunks, fold};
use db::{Error, Result};
use domain::{Sample, Serial};

/// Rows per transaction.
const MAX_ROWS: i64 = 20_000;
/// Every row was admitted when it was written: none is late now.
const NOTHING_IS_LATE: i64 = i64::MIN / 2;

impl Telemetry {
    /// Converts the rows of an earlier release. Can be interrupted at any point and repeated.
    pub async fn convert_old_rows(&self) -> Result<()> {
        execute!(on self, sqlx::query("DELETE FROM samples WHERE sn NOT IN (SELECT sn FROM systems)"))?;
        let mut converted = 0;
        let mut told = 0;
        while let Some(sn) = self.next_system_with_old_rows().await? {
            converted += self.convert_some(&sn).await?;
            if converted / 1_000_000 > told {
                told = converted / 1_000_000;
                tracing::info!(
                    converted,
                    "old_samples_converting: an earlier release stored them"
                );
            }
        }
        if converted > 0 {
            tracing::info!(converted, "old_samples_converted");
        }
        Ok(())
    }

    async fn next_system_with_old_rows(&self) -> Result<Option<Serial>> {
        let sn: Option<String> = on!(self, p => sqlx::query_scalar(
            "SELECT sn FROM samples ORDER BY sn LIMIT 1").fetch_optional(p).await)?;
        let sn = sn.map(|sn| sn.parse()).transpose();
        sn.map_err(|_| Error::Damaged("samples.sn"))
    }

    /// Returns how many rows were converted.
    async fn convert_some(&self, sn: &Serial) -> Result<usize> {
        let mut tx = self.db.begin().await?;
        chunks::lock_systems(&mut tx, &[sn]).await?;
        let rows: Vec<Row> = within!(&mut tx, c => sqlx::query_as(
            "SELECT ts, boot, seq, body FROM samples WHERE sn = $1 ORDER BY ts, boot, seq LIMIT $2")
            .bind(sn.as_str()).bind(MAX_ROWS).fetch_all(c).await)?;
        let samples: Vec<Sample> = rows.iter().map(Row::sample).collect::<Result<_>>()?;
        let Some(last) = samples.last() else {
            return Ok(0);
        };
        fold::store(&mut tx, sn, &samples, NOTHING_IS_LATE).await?;
        execute!(
            &mut tx,
            sqlx::query("DELETE FROM samples WHERE sn = $1 AND (ts, boot, seq) <= ($2, $3, $4)")
                .bind(sn.as_str())
                .bind(last.at)
                .bind(last.id.stored_boot())
                .bind(i64::from(last.id.seq))
        )?;
        tx.commit().await?;
        Ok(samples.len())
    }
}
