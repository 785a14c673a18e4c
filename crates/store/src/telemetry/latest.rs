//! The newest sample of every system, for the live view's start.
use super::codec;
use super::columns::Field;
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
            let sample = match row {
                Some(row) => Some(row.sample()?),
                None => self.last_sealed(&sn).await?,
            };
            if let Some(sample) = sample {
                let sn = sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
                latest.push((sn, sample));
            }
        }
        Ok(latest)
    }

    /// The last sample of a system that has not reported since its last day was sealed.
    async fn last_sealed(&self, sn: &str) -> Result<Option<Sample>> {
        let body: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT body FROM sealed_days WHERE sn = $1 ORDER BY day DESC LIMIT 1")
            .bind(sn).fetch_optional(p).await)?;
        let Some(body) = body else {
            return Ok(None);
        };
        Ok(codec::decode(&body, &Field::ALL)?
            .samples()?
            .last()
            .copied())
    }
}
