//! The newest sample of every system, for the live view's start.
use super::row::Row;
use crate::{Error, Result, Store};
use domain::{Sample, Serial};

impl Store {
    pub async fn latest_samples(&self) -> Result<Vec<(Serial, Sample)>> {
        let serials: Vec<String> = on!(self, p => sqlx::query_scalar("SELECT sn FROM systems ORDER BY sn").fetch_all(p).await)?;
        let mut latest = Vec::new();
        for sn in serials {
            let row: Option<Row> = on!(self, p => sqlx::query_as(
                "SELECT ts, boot, seq, body FROM samples WHERE sn = $1 ORDER BY ts DESC, boot DESC, seq DESC LIMIT 1")
                .bind(&sn).fetch_optional(p).await)?;
            if let Some(row) = row {
                let sn = sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
                latest.push((sn, row.sample()?));
            }
        }
        Ok(latest)
    }
}
