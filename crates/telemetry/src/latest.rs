//! The newest sample of every system, for the start of the live view.
use crate::Telemetry;
use crate::codec;
use crate::columns::SampleField;
use db::Result;
use domain::clock::Millis;
use domain::{Sample, Serial};

impl Telemetry {
    /// The newest sample of each of these systems, none of them measured after `until`.
    pub async fn latest_samples(
        &self,
        systems: Vec<Serial>,
        until: Millis,
    ) -> Result<Vec<(Serial, Sample)>> {
        // Once for all of them.
        self.read_logs().await?;
        let mut latest = Vec::new();
        for sn in systems {
            if let Some(sample) = self.latest_of(&sn, until).await? {
                latest.push((sn, sample));
            }
        }
        Ok(latest)
    }

    /// The newest sample of one system that was not measured after `until`.
    pub async fn latest_sample(&self, sn: &Serial, until: Millis) -> Result<Option<Sample>> {
        self.refresh(sn).await?;
        self.latest_of(sn, until).await
    }

    async fn latest_of(&self, sn: &Serial, until: Millis) -> Result<Option<Sample>> {
        let after = until.saturating_add(1);
        let unsealed = self.last_unsealed_before(sn, after).await;
        let unsealed = self.db.tolerate(unsealed, "sample_chunks", sn)?;
        if let Some(sample) = unsealed.flatten() {
            return Ok(Some(sample));
        }
        let sealed = self
            .db
            .tolerate(self.last_sealed(sn, until).await, "sealed_days", sn)?;
        Ok(sealed.flatten())
    }

    /// The last sample of a system that has not reported since its last day was sealed.
    async fn last_sealed(&self, sn: &Serial, until: Millis) -> Result<Option<Sample>> {
        let body: Option<Vec<u8>> = on!(self, p => sqlx::query_scalar(
            "SELECT body FROM sealed_days WHERE sn = $1 AND starts_at <= $2 ORDER BY day DESC LIMIT 1")
            .bind(sn.as_str()).bind(until).fetch_optional(p).await)?;
        let Some(body) = body else {
            return Ok(None);
        };
        Ok(codec::decode(&body, &SampleField::ALL)?
            .samples()?
            .iter()
            .rfind(|sample| sample.at <= until)
            .copied())
    }
}
