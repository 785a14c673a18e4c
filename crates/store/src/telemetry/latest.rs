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
            let sn: Serial = sn.parse().map_err(|_| Error::Damaged("systems.sn"))?;
            if let Some(sample) = self.latest_sample(&sn).await? {
                latest.push((sn, sample));
            }
        }
        Ok(latest)
    }

    /// The newest sample of one system.
    pub async fn latest_sample(&self, sn: &Serial) -> Result<Option<Sample>> {
        let row: Option<Row> = on!(self, p => sqlx::query_as(
            "SELECT ts, boot, seq, body FROM samples WHERE sn = $1 ORDER BY ts DESC, boot DESC, seq DESC LIMIT 1")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        match row {
            Some(row) => row.sample().map(Some),
            None => self.last_sealed(sn).await,
        }
    }

    /// The last sample of a system that has not reported since its last day was sealed.
    async fn last_sealed(&self, sn: &Serial) -> Result<Option<Sample>> {
        let body: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT body FROM sealed_days WHERE sn = $1 ORDER BY day DESC LIMIT 1")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        let Some(body) = body else {
            return Ok(None);
        };
        Ok(codec::decode(&body, &Field::ALL)?
            .samples()?
            .last()
            .copied())
    }
}
