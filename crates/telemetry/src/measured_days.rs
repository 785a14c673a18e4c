//! Energy per quarter-hour of whole days, for computations that need each quarter.
use crate::Telemetry;
use crate::day_context::{DayWithContext, MeasuredSite};
use crate::quarters::{self, Quarters};
use crate::totals::{Totals, has_day};
use db::Result;
use domain::SiteDay;
use domain::clock::Millis;
use domain::energy;
use domain::sample::Counter;
use domain::savings::MeasuredDay;
use std::collections::BTreeMap;
use std::ops::Range;

impl Telemetry {
    /// Whether anything was measured between the start of the household and `before`. Does not unpack sealed days, so one that
    /// overlaps this time counts.
    pub async fn has_measured_before(
        &self,
        site: MeasuredSite<'_>,
        before: Millis,
    ) -> Result<bool> {
        self.refresh(site.sn).await?;
        let span = site.history_from..before;
        if self.first_unsealed(site.sn, &span).await?.is_some() {
            return Ok(true);
        }
        Ok(on!(self, p => sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM sealed_days WHERE sn = $1 AND ends_at > $2 AND starts_at < $3)")
            .bind(site.sn.as_str()).bind(span.start).bind(span.end).fetch_one(p).await)?)
    }

    /// The energy of each day of a range; days without data are left out. Days that are no longer stored in full have totals
    /// only.
    pub async fn measured_days(
        &self,
        site: MeasuredSite<'_>,
        days: Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, MeasuredDay>> {
        // Totals first: a day that is sealed between the two queries has only quarters, and is computed.
        let totals = self.sealed_totals(site, days.clone()).await?;
        let quarters = self.sealed_quarters(site, &days).await?;
        let whole = |day| has_day(&totals, day) && quarters.contains_key(&day);
        let open = self.days_to_compute(site, &days, whole).await?;
        let sealed = totals
            .iter()
            .map(|(day, totals)| (*day, sealed_day(totals, quarters.get(day))));
        let mut found: BTreeMap<SiteDay, MeasuredDay> = sealed.collect();
        for day in open {
            let measured = self.day_with_context(site, day).await?;
            if !measured.samples.is_empty() {
                found.insert(day, computed_day(&measured));
            }
        }
        Ok(found)
    }
}

fn sealed_day(totals: &Totals, quarters: Option<&Quarters>) -> MeasuredDay {
    match quarters {
        Some(quarters) => MeasuredDay::of(&quarters.energy, totals.unplaced),
        None => MeasuredDay {
            energy: totals.energy,
            parts: None,
        },
    }
}

fn computed_day(measured: &DayWithContext) -> MeasuredDay {
    let edges = quarters::edges(&measured.span);
    let flows = Counter::ALL.map(|counter| measured.flows(counter));
    let placed = flows.each_ref().map(|flows| energy::placed(flows, &edges));
    let unplaced = flows.map(|flows| energy::unplaced(&flows, &measured.span));
    MeasuredDay::of(&placed, unplaced)
}
