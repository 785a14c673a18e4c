//! Days in quarter-hours of energy, for what has to be reckoned piece by piece.
use super::measured::{Measured, Site};
use super::quarters::{self, Quarters};
use super::totals::{Totals, has_day};
use crate::{Access, Result, Store};
use domain::SiteDay;
use domain::clock::Millis;
use domain::energy;
use domain::sample::Counter;
use domain::savings::MeasuredDay;
use std::collections::BTreeMap;
use std::ops::Range;

impl Store {
    /// Whether anything was measured in the household's time before then: without reading any of it, so that a sealed
    /// day counts as a whole.
    pub async fn has_measured_before(&self, access: &Access, before: Millis) -> Result<bool> {
        let found: Option<i64> = on!(self, p => sqlx::query_scalar(
            "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM samples WHERE sn = $1 AND ts >= $2 AND ts < $3)
                 OR EXISTS (SELECT 1 FROM sealed_days WHERE sn = $1 AND ends_at > $2 AND starts_at < $3)")
            .bind(access.sn().as_str()).bind(access.history_from()).bind(before).fetch_optional(p).await)?;
        Ok(found.is_some())
    }

    /// What was measured on each day of a range; days without data are left out. Of days that are no longer kept in
    /// full, the totals are left.
    pub async fn measured_days(
        &self,
        access: &Access,
        days: Range<SiteDay>,
    ) -> Result<BTreeMap<SiteDay, MeasuredDay>> {
        let site = Site::of(access);
        // Totals first: of a day that is sealed in between only the quarters are found, and it is computed.
        let totals = self.sealed_totals(site, days.clone()).await?;
        let quarters = self.sealed_quarters(site, &days).await?;
        let whole = |day| has_day(&totals, day) && quarters.contains_key(&day);
        let open = self.open_days(site, &days, whole).await?;
        let sealed = totals
            .iter()
            .map(|(day, totals)| (*day, sealed_day(totals, quarters.get(day))));
        let mut found: BTreeMap<SiteDay, MeasuredDay> = sealed.collect();
        for day in open {
            let measured = self.measured(site, day).await?;
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

fn computed_day(measured: &Measured) -> MeasuredDay {
    let edges = quarters::edges(&measured.span);
    let flows = Counter::ALL.map(|counter| measured.flows(counter));
    let placed = flows.each_ref().map(|flows| energy::placed(flows, &edges));
    let unplaced = flows.map(|flows| energy::unplaced(&flows, &measured.span));
    MeasuredDay::of(&placed, unplaced)
}
