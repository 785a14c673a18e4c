//! Totals of a day: an aggregate per gauge, and the energy per counter.
use crate::DayTotals;
use crate::Telemetry;
use crate::aggregate::{Aggregate, Gauge};
use crate::columns::Columns;
use crate::day_context::{DayWithContext, MeasuredSite};
use crate::varint::{self, ByteReader};
use db::Result;
use domain::clock::{DAY, MAX_CLOCK_SKEW, Millis};
use domain::energy::{self, DayEnergy};
use domain::sample::Counter;
use domain::{Serial, SiteDay, Zone};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) gauges: [Aggregate; Gauge::COUNT],
    /// In the order of [`Counter::ALL`]; includes `unplaced`.
    pub(crate) energy: [Option<i64>; 5],
    pub(crate) unplaced: [Option<i64>; 5],
    /// How long before the start of the day the oldest reading is that the energy was computed from.
    pub(crate) lead: Millis,
}

impl Totals {
    pub(crate) fn of(day: &DayWithContext, columns: &Columns, phase: u8) -> Self {
        let span = &day.span;
        let mut totals = Self {
            gauges: Default::default(),
            energy: [None; 5],
            unplaced: [None; 5],
            lead: 0,
        };
        for gauge in Gauge::ALL {
            let bucket = &mut totals.gauges[gauge as usize..][..1];
            gauge.fill(columns, phase, span.start, span.end - span.start, bucket);
        }
        for counter in Counter::ALL {
            let index = counter as usize;
            let flows = day.flows(counter);
            let placed = energy::placed(&flows, &[span.start, span.end]);
            totals.unplaced[index] = energy::unplaced(&flows, span);
            totals.energy[index] = energy::total(&placed, totals.unplaced[index]);
            let first = flows.iter().find(|flow| flow.to >= span.start);
            let lead = first.map_or(0, |flow| span.start - flow.from);
            totals.lead = totals.lead.max(lead);
        }
        totals
    }

    /// A few dozen bytes.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        for gauge in &self.gauges {
            varint::put(out, u64::from(gauge.count));
            if gauge.count > 0 {
                varint::put_signed(out, gauge.sum);
                varint::put_signed(out, gauge.min);
                varint::put_signed(out, gauge.max);
            }
        }
        for wh in self.energy.iter().chain(&self.unplaced) {
            // Energy is never negative, so −1 means `None`.
            varint::put_signed(out, wh.unwrap_or(-1));
        }
        varint::put_signed(out, self.lead);
    }

    pub(crate) fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let mut totals = Self {
            gauges: Default::default(),
            energy: [None; 5],
            unplaced: [None; 5],
            lead: 0,
        };
        for gauge in &mut totals.gauges {
            gauge.count = reader.number()?;
            if gauge.count > 0 {
                gauge.sum = reader.signed()?;
                gauge.min = reader.signed()?;
                gauge.max = reader.signed()?;
            }
        }
        let energy = totals.energy.iter_mut().chain(&mut totals.unplaced);
        for wh in energy {
            *wh = Some(reader.signed()?).filter(|wh| *wh >= 0);
        }
        totals.lead = reader.signed()?;
        let sane = |value: i64| value.unsigned_abs() < 1 << 50;
        let gauges = totals.gauges.iter();
        let energy = totals.energy.iter().chain(&totals.unplaced).flatten();
        let sums = gauges.map(|gauge| &gauge.sum).chain(energy);
        let all_sane = sums.chain([&totals.lead]).all(|value| sane(*value));
        all_sane.then_some(totals).ok_or_else(|| reader.damaged())
    }

    pub(crate) fn day_totals(&self, day: SiteDay) -> DayTotals {
        DayTotals {
            day,
            energy: self.energy,
            unplaced: self.unplaced.map(Option::unwrap_or_default),
        }
    }
}

/// `days` must be in order.
pub(crate) fn has_day(days: &[(SiteDay, Totals)], day: SiteDay) -> bool {
    days.binary_search_by_key(&day, |(known, _)| *known).is_ok()
}

impl Telemetry {
    /// The energy of every day of a range, including days that are not over.
    pub async fn daily_totals(
        &self,
        site: MeasuredSite<'_>,
        days: Range<SiteDay>,
    ) -> Result<Vec<DayTotals>> {
        let mut found = self
            .totals_of_days(site, days.clone())
            .await?
            .into_iter()
            .peekable();
        let totals =
            SiteDay::each(days).map(|day| match found.next_if(|(known, _)| *known == day) {
                Some((_, totals)) => totals.day_totals(day),
                None => DayTotals::missing(day),
            });
        Ok(totals.collect())
    }

    /// The totals of each day of a range, in order; days without data are left out.
    pub(crate) async fn totals_of_days(
        &self,
        site: MeasuredSite<'_>,
        days: Range<SiteDay>,
    ) -> Result<Vec<(SiteDay, Totals)>> {
        let mut found = self.sealed_totals(site, days.clone()).await?;
        let open = self
            .days_to_compute(site, &days, |day| has_day(&found, day))
            .await?;
        for day in &open {
            // If the day was sealed since the first read, its samples are found there.
            let measured = self.day_with_context(site, *day).await?;
            if !measured.samples.is_empty() {
                let columns = Columns::of(&measured.samples);
                found.push((*day, Totals::of(&measured, &columns, site.phase)));
            }
        }
        if !open.is_empty() {
            found.sort_unstable_by_key(|(day, _)| *day);
        }
        Ok(found)
    }

    /// The energy of the current day until `now`. The live view continues from there.
    pub async fn energy_today(&self, sn: &Serial, zone: &Zone, now: Millis) -> Result<DayEnergy> {
        let site = MeasuredSite {
            sn,
            phase: 1,
            zone,
            history_from: 0,
        };
        self.refresh(sn).await?;
        let measured = self.day_with_context(site, zone.day_of(now)).await?;
        let mut samples = measured.before;
        let recent = samples.last().map_or(0, |last| last.at) - DAY;
        samples.retain(|sample| sample.at >= recent);
        samples.extend(measured.samples);
        // Drop samples that were stamped while our clock was ahead: present counters could not continue from them.
        samples.retain(|sample| sample.at <= now + MAX_CLOCK_SKEW);
        Ok(DayEnergy::of(measured.span, &samples))
    }
}
