//! The newest samples of systems, for the live view.
use crate::Telemetry;
use crate::codec;
use crate::columns::SampleField;
use db::{Error, FromRow, Result};
use domain::clock::Millis;
use domain::{Sample, Serial};
use std::collections::HashMap;

/// The chunks that may hold the newest sample before `$1`.
macro_rules! newest_chunks {
    ($which:expr) => {
        concat!(
            "WITH n AS MATERIALIZED (SELECT s.sn, COALESCE((SELECT max(m.ends_at) FROM sample_chunks m
                 WHERE m.sn = s.sn AND m.ends_at < $1), 0) AS newest FROM systems s WHERE s.sn",
            $which,
            ")
             SELECT c.sn, c.body FROM n JOIN sample_chunks c ON c.sn = n.sn AND c.starts_at < $1 AND c.ends_at >= n.newest"
        )
    };
}

/// A system's last month is never in the sample store, unless later days were erased: then its last sample is unknown.
/// Materialized, because otherwise PostgreSQL looks for the day again in each month's partition.
macro_rules! newest_days {
    ($which:expr) => {
        concat!(
            "WITH n AS MATERIALIZED (SELECT s.sn, (SELECT l.day FROM sealed_days l
                 WHERE l.sn = s.sn AND l.starts_at <= $1 ORDER BY l.day DESC LIMIT 1) AS day FROM systems s WHERE s.sn",
            $which,
            ")
             SELECT d.sn, d.body FROM n JOIN sealed_days d ON d.sn = n.sn AND d.day = n.day AND d.object_id IS NULL"
        )
    };
}

#[derive(Debug, FromRow)]
struct BodyOfSystem {
    sn: String,
    body: Vec<u8>,
}

impl BodyOfSystem {
    fn samples(&self) -> Result<(Serial, Vec<Sample>)> {
        let sn = self
            .sn
            .parse()
            .map_err(|_| Error::Damaged("sample_chunks.sn"))?;
        Ok((sn, codec::decode(&self.body, &SampleField::ALL)?.samples()?))
    }
}

impl Telemetry {
    /// The newest sample of each of these systems, none of them measured after `until`.
    pub async fn latest_samples(
        &self,
        systems: &[Serial],
        until: Millis,
    ) -> Result<Vec<(Serial, Sample)>> {
        // Read once for all of them.
        self.read_logs_of(systems).await?;
        match self.read_latest(systems, until).await {
            // Reads system by system, to return those that are not damaged.
            Err(error) if error.is_damage() => {}
            all => return all,
        }
        let mut latest = Vec::new();
        for sn in systems {
            if let Some(sample) = self.latest_of(sn, until).await? {
                latest.push((sn.clone(), sample));
            }
        }
        Ok(latest)
    }

    /// Two queries, however many systems there are.
    async fn read_latest(
        &self,
        systems: &[Serial],
        until: Millis,
    ) -> Result<Vec<(Serial, Sample)>> {
        let after = until.saturating_add(1);
        let mut latest: HashMap<Serial, Sample> = HashMap::with_capacity(systems.len());
        for sn in systems {
            let unfolded = self.last_unfolded_before(sn, after)?;
            latest.extend(unfolded.map(|sample| (sn.clone(), sample)));
        }
        let chunks: Vec<BodyOfSystem> = rows_of_systems!(self, newest_chunks, 2, systems, after)?;
        for row in &chunks {
            let (sn, samples) = row.samples()?;
            let newest = samples.into_iter().filter(|sample| sample.at <= until);
            let newest = newest.chain(latest.get(&sn).copied());
            latest.extend(newest.max_by_key(Sample::order).map(|sample| (sn, sample)));
        }
        // Those that have not reported since their last day was sealed.
        let mut rest = systems.to_vec();
        rest.retain(|sn| !latest.contains_key(sn));
        let days: Vec<BodyOfSystem> = rows_of_systems!(self, newest_days, 2, &rest, until)?;
        for row in &days {
            let (sn, samples) = row.samples()?;
            let last = samples.into_iter().rfind(|sample| sample.at <= until);
            latest.extend(last.map(|sample| (sn, sample)));
        }
        let found = systems.iter().filter_map(|sn| latest.remove_entry(sn));
        Ok(found.collect())
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
        // Empty: in the sample store, as above.
        let Some(body) = body.filter(|body| !body.is_empty()) else {
            return Ok(None);
        };
        Ok(codec::decode(&body, &SampleField::ALL)?
            .samples()?
            .iter()
            .rfind(|sample| sample.at <= until)
            .copied())
    }
}
