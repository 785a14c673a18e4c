//! What was measured in a day, with as much of the time around it as its energy needs.
use super::row::Row;
use crate::{Result, Store};
use domain::clock::Millis;
use domain::energy::{self, CONTEXT, Flow, Reading};
use domain::sample::Counter;
use domain::{Sample, Serial, SiteDay, Zone};
use std::ops::Range;

/// A system whose days are read, and from when on they may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub(super) sn: &'a Serial,
    pub(super) phase: u8,
    pub(super) zone: &'a Zone,
    pub(super) history_from: Millis,
}

/// All samples in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) span: Range<Millis>,
    /// The last day before that has samples, however long ago.
    pub(super) before: Vec<Sample>,
    pub(super) samples: Vec<Sample>,
    /// The half hour after.
    pub(super) after: Vec<Sample>,
}

impl Measured {
    /// What flowed in the day and over its borders.
    pub(super) fn flows(&self, counter: Counter) -> Vec<Flow> {
        let mut readings: Vec<Reading> = energy::readings(&self.before, counter).collect();
        if let Some(last) = readings.last() {
            let from = last.at - CONTEXT;
            readings.retain(|reading| reading.at >= from);
        }
        readings.extend(energy::readings(&self.samples, counter));
        readings.extend(energy::readings(&self.after, counter));
        energy::flows(&readings)
    }
}

impl Store {
    /// A day with what is around it.
    pub(super) async fn measured(&self, site: Site<'_>, day: SiteDay) -> Result<Measured> {
        let span = site.zone.bounds(day);
        let mut samples = self
            .samples_between(site, span.start..span.end + CONTEXT)
            .await?;
        let after = samples.split_off(samples.partition_point(|sample| sample.at < span.end));
        let before = match self.last_before(site, span.start).await? {
            Some(day) => {
                let earlier = site.zone.bounds(day);
                self.samples_between(site, earlier.start..earlier.end.min(span.start))
                    .await?
            }
            None => Vec::new(),
        };
        Ok(Measured {
            span,
            before,
            samples,
            after,
        })
    }

    /// Samples of a stretch of time, in order.
    pub(super) async fn samples_between(
        &self,
        site: Site<'_>,
        span: Range<Millis>,
    ) -> Result<Vec<Sample>> {
        // Rows first: what is sealed meanwhile is then found twice instead of not at all.
        let mut samples = self.rows_between(site, &span).await?;
        let sealed = self.sealed_between(site, &span).await?;
        if !sealed.is_empty() {
            samples.extend(sealed);
            samples.sort_unstable_by_key(Sample::order);
            samples.dedup_by_key(|sample| sample.order());
        }
        Ok(samples)
    }

    async fn rows_between(&self, site: Site<'_>, span: &Range<Millis>) -> Result<Vec<Sample>> {
        let rows: Vec<Row> = on!(self, p => sqlx::query_as(
            "SELECT ts, boot, seq, body FROM samples WHERE sn = $1 AND ts >= $2 AND ts < $3 ORDER BY ts, boot, seq")
            .bind(site.sn.as_str()).bind(span.start.max(site.history_from)).bind(span.end).fetch_all(p).await)?;
        rows.iter().map(Row::sample).collect()
    }

    /// The last day before a moment in which something was measured.
    async fn last_before(&self, site: Site<'_>, moment: Millis) -> Result<Option<SiteDay>> {
        let row: Option<Millis> = on!(self, p => sqlx::query_scalar(
            "SELECT max(ts) FROM samples WHERE sn = $1 AND ts < $2")
            .bind(site.sn.as_str()).bind(moment).fetch_one(p).await)?;
        let row = row.filter(|at| *at >= site.history_from);
        let row = row.map(|at| site.zone.day_of(at));
        let sealed = self.sealed_before(site, moment).await?;
        Ok(row.max(sealed))
    }
}
