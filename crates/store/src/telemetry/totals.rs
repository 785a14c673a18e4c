//! A day in a few numbers: what each gauge showed and how much energy flowed.
use super::DayTotals;
use super::aggregate::{Aggregate, Gauge};
use super::columns::Columns;
use super::measured::{Measured, Site};
use crate::{Access, Result, Store};
use domain::clock::{DAY, Millis};
use domain::energy::{self, Tally};
use domain::sample::Counter;
use domain::{Serial, SiteDay, Zone};
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) gauges: [Aggregate; Gauge::COUNT],
    /// In the order of [`Counter::ALL`], unplaced included.
    pub(super) energy: [Option<i64>; 5],
    pub(super) unplaced: [Option<i64>; 5],
    /// The oldest reading that the energy was counted from.
    pub(super) since: Millis,
}

impl Totals {
    pub(super) fn of(day: &Measured, phase: u8) -> Self {
        let span = &day.span;
        let columns = Columns::of(&day.samples);
        let mut totals = Self {
            gauges: Default::default(),
            energy: [None; 5],
            unplaced: [None; 5],
            since: span.start,
        };
        for gauge in Gauge::ALL {
            let bucket = &mut totals.gauges[gauge as usize..][..1];
            gauge.fill(&columns, phase, span.start, span.end - span.start, bucket);
        }
        for counter in Counter::ALL {
            let place = counter as usize;
            let flows = day.flows(counter);
            let placed = energy::placed(&flows, &[span.start, span.end]);
            totals.unplaced[place] = energy::unplaced(&flows, span);
            totals.energy[place] = energy::total(&placed, totals.unplaced[place]);
            let first = flows.iter().find(|flow| flow.to >= span.start);
            totals.since = totals.since.min(first.map_or(span.start, |flow| flow.from));
        }
        totals
    }

    pub(super) fn day_totals(&self, day: SiteDay) -> DayTotals {
        DayTotals {
            day,
            energy: self.energy,
            unplaced: self.unplaced.map(Option::unwrap_or_default),
        }
    }
}

impl Store {
    /// The energy of every day of a range, days that are not over included.
    pub async fn daily_totals(
        &self,
        access: &Access,
        days: Range<SiteDay>,
    ) -> Result<Vec<DayTotals>> {
        let site = Site::of(access);
        let found = self.totals_of_days(site, days).await?;
        let totals = found.into_iter().map(|(day, totals)| match totals {
            Some(totals) => totals.day_totals(day),
            None => DayTotals::missing(day),
        });
        Ok(totals.collect())
    }

    pub(super) async fn totals_of_days(
        &self,
        site: Site<'_>,
        days: Range<SiteDay>,
    ) -> Result<Vec<(SiteDay, Option<Totals>)>> {
        let span = site.zone.start_of(days.start)..site.zone.start_of(days.end);
        let rows = self.rows_between(site, span).await?;
        let mut found = Vec::new();
        let mut day = days.start;
        while day < days.end {
            let bounds = site.zone.bounds(day);
            let first = rows.partition_point(|sample| sample.at < bounds.start);
            let has_rows = rows.get(first).is_some_and(|sample| sample.at < bounds.end);
            let totals = if has_rows {
                Some(Totals::of(&self.measured(site, day).await?, site.phase))
            } else {
                None
            };
            found.push((day, totals));
            day = day.next();
        }
        Ok(found)
    }

    /// The day that is going on at `now`, counted so far; the live view goes on from there.
    pub async fn energy_today(&self, sn: &Serial, zone: &Zone, now: Millis) -> Result<Tally> {
        let site = Site {
            sn,
            phase: 1,
            zone,
            history_from: 0,
        };
        let measured = self.measured(site, zone.day_of(now)).await?;
        let mut samples = measured.before;
        let recent = samples.last().map_or(0, |last| last.at) - DAY;
        samples.retain(|sample| sample.at >= recent);
        samples.extend(measured.samples);
        Ok(Tally::of(measured.span, &samples))
    }
}
