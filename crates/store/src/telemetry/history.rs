//! Finished days written at once, for a system that begins with a past.
use super::measured::{Measured, Site};
use super::seal::Sealed;
use super::{late, messages, month};
use crate::{Error, Result, Store};
use domain::clock::Millis;
use domain::energy::CONTEXT;
use domain::sample::MessageId;
use domain::{Sample, Serial, Zone};

/// Days that share a transaction: one wait for the disk a month.
const TOGETHER: usize = 31;

impl Store {
    /// Writes finished days through the sealing, for a system that has no telemetry yet. The days come in order, each
    /// with its samples in order; one that is not over by `now` becomes rows.
    pub async fn write_history(
        &self,
        sn: &Serial,
        zone: &Zone,
        days: impl Iterator<Item = Vec<Sample>> + Send,
        now: Millis,
    ) -> Result<()> {
        let phase: Option<i64> = on!(self, p => sqlx::query_scalar("SELECT phase FROM systems WHERE sn = $1")
            .bind(sn.as_str()).fetch_optional(p).await)?;
        let phase = phase.ok_or_else(|| Error::UnknownSerial(sn.clone()))?;
        let site = Site {
            sn,
            phase: u8::try_from(phase).map_err(|_| Error::Damaged("systems.phase"))?,
            zone,
            history_from: 0,
        };
        let mut days = days.filter(|samples| !samples.is_empty()).peekable();
        let mut before = Vec::new();
        loop {
            let mut month = Vec::with_capacity(TOGETHER);
            let mut recent = Vec::new();
            while month.len() < TOGETHER
                && let Some(samples) = days.next()
            {
                let span = zone.bounds(zone.day_of(samples[0].at));
                if span.end + super::SEAL_AFTER > now {
                    recent.extend(samples);
                    continue;
                }
                let next = days.peek().into_iter().flatten();
                let after = next.take_while(|sample| sample.at < span.end + CONTEXT);
                let after = after.copied().collect();
                let measured = Measured {
                    before,
                    after,
                    span,
                    samples,
                };
                before = measured.samples.clone();
                month.push(measured);
            }
            let last = month.is_empty();
            if !last {
                self.write_month(site, month).await?;
            }
            if !recent.is_empty() {
                self.append_samples(sn, &recent, now).await?;
            }
            if last {
                return Ok(());
            }
        }
    }

    async fn write_month(&self, site: Site<'_>, days: Vec<Measured>) -> Result<()> {
        let (phase, zone) = (site.phase, site.zone.clone());
        let work = move || {
            let ids: Vec<MessageId> = days
                .iter()
                .flat_map(|day| day.samples.iter().map(|sample| sample.id))
                .collect();
            let sealed: Result<Vec<Sealed>> = days
                .iter()
                .map(|day| Sealed::of(zone.day_of(day.span.start), day, phase))
                .collect();
            Ok::<_, Error>((ids, sealed?))
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (ids, sealed) =
            done.map_err(|_| Error::Damaged("a day stopped the thread that sealed it"))??;
        let mut tx = self.begin().await?;
        late::changed(&mut tx, site.sn).await?;
        execute!(
            &mut tx,
            sqlx::query("UPDATE sealing SET site = $2 WHERE sn = $1")
                .bind(site.sn.as_str())
                .bind(site.name())
        )?;
        let mut totals = Vec::with_capacity(sealed.len());
        for day in sealed {
            let known: Option<i64> = within!(&mut tx, c => sqlx::query_scalar(
                "SELECT day FROM sealed_days WHERE sn = $1 AND day = $2")
                .bind(site.sn.as_str()).bind(day.day.number()).fetch_optional(c).await)?;
            if known.is_some() {
                return Err(Error::Conflict);
            }
            day.write(&mut tx, site.sn).await?;
            totals.push((day.day, Some(day.totals)));
        }
        month::write(&mut tx, site.sn, &site.name(), &totals).await?;
        messages::remember(&mut tx, site.sn, ids.into_iter()).await?;
        tx.commit().await
    }
}
