//! The samples of a day, with as many samples around it as its energy needs.
use crate::Telemetry;
use crate::row::Row;
use db::Result;
use domain::clock::Millis;
use domain::energy::{self, CONTEXT_WINDOW, EnergyFlow, Reading};
use domain::sample::Counter;
use domain::{Sample, Serial, SiteDay, Zone};
use std::ops::Range;

/// A system whose days are read. Samples before `history_from` belong to a former household.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredSite<'a> {
    pub sn: &'a Serial,
    /// The phase that the unit is connected to, 1 to 3.
    pub phase: u8,
    pub zone: &'a Zone,
    pub history_from: Millis,
}

/// All lists are in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DayWithContext {
    pub(crate) span: Range<Millis>,
    /// Samples of the last day before with any, however long ago.
    pub(crate) before: Vec<Sample>,
    pub(crate) samples: Vec<Sample>,
    /// Samples of the half hour after.
    pub(crate) after: Vec<Sample>,
}

impl DayWithContext {
    /// Energy flows in the day and across its borders.
    pub(crate) fn flows(&self, counter: Counter) -> Vec<EnergyFlow> {
        let mut readings: Vec<Reading> = energy::readings(&self.before, counter).collect();
        if let Some(last) = readings.last() {
            let from = last.at - CONTEXT_WINDOW;
            readings.retain(|reading| reading.at >= from);
        }
        readings.extend(energy::readings(&self.samples, counter));
        readings.extend(energy::readings(&self.after, counter));
        energy::flows(&readings)
    }
}

impl Telemetry {
    pub(crate) async fn day_with_context(
        &self,
        site: MeasuredSite<'_>,
        day: SiteDay,
    ) -> Result<DayWithContext> {
        let span = site.zone.bounds(day);
        let mut samples = self
            .samples_between(site, span.start..span.end + CONTEXT_WINDOW)
            .await?;
        let after = samples.split_off(samples.partition_point(|sample| sample.at < span.end));
        let before = match self.last_day_before(site, span.start).await? {
            Some(day) => {
                let earlier = site.zone.bounds(day);
                self.samples_between(site, earlier.start..earlier.end.min(span.start))
                    .await?
            }
            None => Vec::new(),
        };
        Ok(DayWithContext {
            span,
            before,
            samples,
            after,
        })
    }

    /// Samples of a time span, in order.
    pub(crate) async fn samples_between(
        &self,
        site: MeasuredSite<'_>,
        span: Range<Millis>,
    ) -> Result<Vec<Sample>> {
        // Rows first: a sample that is sealed between the two queries is then found twice instead of not at all.
        let mut samples = self.rows_between(site, &span).await?;
        let sealed = self.sealed_samples_between(site, &span).await?;
        if !sealed.is_empty() {
            samples.extend(sealed);
            samples.sort_unstable_by_key(Sample::order);
            samples.dedup_by_key(|sample| sample.order());
        }
        Ok(samples)
    }

    async fn rows_between(
        &self,
        site: MeasuredSite<'_>,
        span: &Range<Millis>,
    ) -> Result<Vec<Sample>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT ts, boot, seq, body FROM samples WHERE sn = $1 AND ts >= $2 AND ts < $3 ORDER BY ts, boot, seq")
            .bind(site.sn.as_str()).bind(span.start.max(site.history_from)).bind(span.end).fetch_all(p).await)?;
        rows.iter().map(Row::sample).collect()
    }

    /// The last day before a moment in which something was measured.
    async fn last_day_before(
        &self,
        site: MeasuredSite<'_>,
        moment: Millis,
    ) -> Result<Option<SiteDay>> {
        let row: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT max(ts) FROM samples WHERE sn = $1 AND ts < $2")
            .bind(site.sn.as_str()).bind(moment).fetch_one(p).await)?;
        let row = row.filter(|at| *at >= site.history_from);
        let row = row.map(|at| site.zone.day_of(at));
        let sealed = self.last_sealed_day_before(site, moment).await?;
        Ok(row.max(sealed))
    }
}
