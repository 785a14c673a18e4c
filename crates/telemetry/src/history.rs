//! Writes finished days directly as sealed days, for a system that starts with a history.
use crate::Telemetry;
use crate::day_context::{DayWithContext, MeasuredSite};
use crate::seal::SealedDay;
use crate::{late_samples, message_ranges, sample_retention, sealed_months};
use db::{Error, Result};
use domain::clock::Millis;
use domain::energy::CONTEXT_WINDOW;
use domain::sample::MessageId;
use domain::{Sample, Serial, Zone};

/// Days per transaction: one disk sync per month.
const DAYS_PER_TRANSACTION: usize = 31;

impl Telemetry {
    /// Writes finished days as sealed ones, for a system without telemetry. The days and the samples of each must be in order. A
    /// day that is not due for sealing at `now` becomes chunks.
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
        let site = MeasuredSite {
            sn,
            phase: u8::try_from(phase).map_err(|_| Error::Damaged("systems.phase"))?,
            zone,
            history_from: 0,
        };
        let mut days = days.filter(|samples| !samples.is_empty()).peekable();
        let mut before = Vec::new();
        loop {
            let mut batch = Vec::with_capacity(DAYS_PER_TRANSACTION);
            let mut recent = Vec::new();
            while batch.len() < DAYS_PER_TRANSACTION
                && let Some(samples) = days.next()
            {
                let span = zone.bounds(zone.day_of(samples[0].at));
                if span.end + super::SEAL_AFTER > now {
                    recent.extend(samples);
                    continue;
                }
                let next = days.peek().into_iter().flatten();
                let after = next.take_while(|sample| sample.at < span.end + CONTEXT_WINDOW);
                let after = after.copied().collect();
                let measured = DayWithContext {
                    before,
                    after,
                    span,
                    samples,
                };
                before = measured.samples.clone();
                batch.push(measured);
            }
            let last = batch.is_empty();
            if !last {
                self.write_sealed_days(site, batch).await?;
            }
            if !recent.is_empty() {
                self.append_samples(sn, &recent, now).await?;
            }
            if last {
                return Ok(());
            }
        }
    }

    async fn write_sealed_days(
        &self,
        site: MeasuredSite<'_>,
        days: Vec<DayWithContext>,
    ) -> Result<()> {
        let (phase, zone) = (site.phase, site.zone.clone());
        let work = move || {
            let ids: Vec<MessageId> = days
                .iter()
                .flat_map(|day| day.samples.iter().map(|sample| sample.id))
                .collect();
            let sealed: Result<Vec<SealedDay>> = days
                .iter()
                .map(|day| SealedDay::of(zone.day_of(day.span.start), day, phase))
                .collect();
            Ok::<_, Error>((ids, sealed?))
        };
        let done = tokio::task::spawn_blocking(work).await;
        let (ids, sealed) =
            done.map_err(|_| Error::Damaged("the thread that seals a day panicked"))??;
        for day in &sealed {
            self.make_month_of(day.day).await?;
        }
        let mut tx = self.db.begin().await?;
        late_samples::bump_version(&mut tx, site.sn).await?;
        let first_kept = sample_retention::hold(&mut tx).await?;
        execute!(
            &mut tx,
            sqlx::query("UPDATE sealing SET site = $2 WHERE sn = $1")
                .bind(site.sn.as_str())
                .bind(site.layout_key())
        )?;
        let mut totals = Vec::with_capacity(sealed.len());
        for day in sealed {
            let known: Option<i64> = within!(&mut tx, c => sqlx::query_scalar(
                "SELECT day FROM sealed_days WHERE sn = $1 AND day = $2")
                .bind(site.sn.as_str()).bind(day.day.number()).fetch_optional(c).await)?;
            if known.is_some() {
                return Err(Error::Conflict);
            }
            if first_kept.keeps(day.day) {
                day.write(&mut tx, site.sn).await?;
            }
            totals.push((day.day, Some(day.totals)));
        }
        sealed_months::write_totals(&mut tx, site.sn, &site.layout_key(), &totals).await?;
        message_ranges::record(&mut tx, site.sn, ids.into_iter()).await?;
        tx.commit().await
    }
}
