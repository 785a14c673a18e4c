//! The samples of a day, with as many samples around it as its energy needs.
use crate::Telemetry;
use crate::log_format::PackedSample;
use db::Result;
use domain::clock::Millis;
use domain::energy::{self, CONTEXT_WINDOW, EnergyFlow, Reading};
use domain::sample::{Counter, MessageId};
use domain::{Sample, Serial, SiteDay, Zone};
use std::collections::HashSet;
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

/// Splits samples in order at a moment; `samples` keeps what is before it.
fn split_off_from(samples: &mut Vec<Sample>, moment: Millis) -> Vec<Sample> {
    samples.split_off(samples.partition_point(|sample| sample.at < moment))
}

impl Telemetry {
    pub(crate) async fn day_with_context(
        &self,
        site: MeasuredSite<'_>,
        day: SiteDay,
    ) -> Result<DayWithContext> {
        let span = site.zone.bounds(day);
        // Mostly the last day with samples is the one before, and both are read at once.
        let both = site.zone.start_of(day.plus(-1))..span.end + CONTEXT_WINDOW;
        let mut before = self.samples_between(site, both).await?;
        let mut samples = split_off_from(&mut before, span.start);
        let after = split_off_from(&mut samples, span.end);
        if before.is_empty()
            && let Some(day) = self.last_day_before(site, span.start).await?
        {
            let earlier = site.zone.bounds(day);
            let earlier = earlier.start..earlier.end.min(span.start);
            before = self.samples_between(site, earlier).await?;
        }
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
        // In this order: a sample that is folded or sealed between two of them is then found twice instead of not at all.
        let since = span.start.max(site.history_from)..span.end;
        let mut samples = self.unsealed_between(site.sn, &since).await?;
        let sealed = self.sealed_samples_between(site, &span).await?;
        if !sealed.is_empty() {
            let known: HashSet<MessageId> = sealed.iter().map(|sample| sample.id).collect();
            samples.retain(|sample| !known.contains(&sample.id));
            samples.extend(sealed);
            samples.sort_unstable_by_key(Sample::order);
            samples.dedup_by_key(|sample| sample.order());
        }
        Ok(samples)
    }

    /// Samples of a time span that are in the logs or in chunks, in order. The caller has called [`Telemetry::refresh`].
    pub(crate) async fn unsealed_between(
        &self,
        sn: &Serial,
        span: &Range<Millis>,
    ) -> Result<Vec<Sample>> {
        let mut unfolded = self.state().tail.samples(sn, span)?;
        let mut samples = self.chunk_samples(sn, span).await?;
        if !unfolded.is_empty() {
            // The same message may be in several logs, or folded in the meantime, possibly with another time. The first one
            // counts.
            let mut seen: HashSet<MessageId> = samples.iter().map(|sample| sample.id).collect();
            unfolded.retain(|sample| seen.insert(sample.id));
            samples.extend(unfolded);
            samples.sort_unstable_by_key(Sample::order);
        }
        Ok(samples)
    }

    /// The last day before a moment in which something was measured.
    async fn last_day_before(
        &self,
        site: MeasuredSite<'_>,
        moment: Millis,
    ) -> Result<Option<SiteDay>> {
        let unsealed = self.last_unsealed_before(site.sn, moment).await?;
        let unsealed = unsealed.map(|sample| sample.at);
        let unsealed = unsealed.filter(|at| *at >= site.history_from);
        let unsealed = unsealed.map(|at| site.zone.day_of(at));
        let sealed = self.last_sealed_day_before(site, moment).await?;
        Ok(unsealed.max(sealed))
    }

    /// The last sample before a moment that is in the logs or in chunks.
    pub(crate) async fn last_unsealed_before(
        &self,
        sn: &Serial,
        moment: Millis,
    ) -> Result<Option<Sample>> {
        let unfolded = self.last_unfolded_before(sn, moment)?;
        let folded = self.last_in_chunks_before(sn, moment).await?;
        Ok([unfolded, folded]
            .into_iter()
            .flatten()
            .max_by_key(Sample::order))
    }

    /// The last sample before a moment that is in the logs.
    pub(crate) fn last_unfolded_before(
        &self,
        sn: &Serial,
        moment: Millis,
    ) -> Result<Option<Sample>> {
        let state = self.state();
        let samples = state.tail.entries(sn).iter().map(|one| &one.sample);
        let before = samples.filter(|sample| sample.at < moment);
        let last = before.max_by_key(|sample| (sample.at, sample.id));
        last.map(PackedSample::unpack).transpose()
    }

    /// The time of the first sample of a time span that is in the logs or in chunks.
    pub(crate) async fn first_unsealed(
        &self,
        sn: &Serial,
        span: &Range<Millis>,
    ) -> Result<Option<Millis>> {
        let unfolded = {
            let state = self.state();
            let moments = state.tail.entries(sn).iter().map(|one| one.sample.at);
            moments.filter(|at| span.contains(at)).min()
        };
        let folded = self.first_in_chunks(sn, span).await?;
        Ok([unfolded, folded].into_iter().flatten().min())
    }
}
