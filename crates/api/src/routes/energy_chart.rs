//! The small charts: energy in whole Wh per day, month or year, with totals.
use crate::Portal;
use crate::caller_systems::{Selection, Systems};
use crate::error::{Error, Problem, Refusal, Result};
use crate::form::{Query, ticked};
use crate::parameter::{PeriodText, Switch, SystemsOrAll};
use crate::period::{Period, RowStep};
use axum::Json;
use axum::extract::State;
use domain::sample::Counter;
use domain::{Series, SiteDay};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use telemetry::DayTotals;
use utoipa::{IntoParams, ToSchema};

#[derive(Deserialize, IntoParams)]
pub(crate) struct EnergyQuery {
    /// One serial number, several separated by commas, or -1 (default) for all systems combined.
    #[serde(default)]
    #[param(value_type = SystemsOrAll)]
    sn: String,
    /// Include grid energy: import (m2) and feed-in (m2N). If no energy is selected, all are included.
    #[serde(default)]
    #[param(value_type = Switch)]
    m2: String,
    /// Include PV energy.
    #[serde(default)]
    #[param(value_type = Switch)]
    m4: String,
    /// Include battery energy: discharge (m5) and charge (m5N).
    #[serde(default)]
    #[param(value_type = Switch)]
    m5: String,
    /// `week_`, `month_`, `year_` or `total_` followed by `YYYY-MM-DD`, or a range `YYYY-MM-DD_YYYY-MM-DD`. Default: the last
    /// seven days.
    #[serde(default)]
    #[param(value_type = PeriodText)]
    days: String,
}

/// Energies of one system, or of several combined, in Wh. Null where nothing was measured; negative where the code has an N.
#[derive(Debug, Serialize, ToSchema)]
#[allow(non_snake_case, reason = "the names of the fields")]
pub(crate) struct EnergyChart {
    sn: String,
    rows: Vec<EnergyRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    total_m2: Option<Energy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    total_m2N: Option<Energy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    total_m4: Option<Energy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    total_m5: Option<Energy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    total_m5N: Option<Energy>,
}

/// The energies of a day, a month or a year. Energies that were not selected are left out.
#[derive(Debug, Serialize, ToSchema)]
#[allow(non_snake_case, reason = "the names of the fields")]
pub(crate) struct EnergyRow {
    /// The day, `YYYY-MM-DD`; only in rows per day.
    #[serde(skip_serializing_if = "Option::is_none")]
    de_time: Option<String>,
    /// The month, `YYYY-MM`; only in rows per month.
    #[serde(skip_serializing_if = "Option::is_none")]
    me_time: Option<String>,
    /// The year; only in rows per year.
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i16>,
    /// Import in Wh.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    m2: Option<Energy>,
    /// Feed-in in Wh, negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    m2N: Option<Energy>,
    /// PV energy in Wh.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    m4: Option<Energy>,
    /// Discharged energy in Wh.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    m5: Option<Energy>,
    /// Charged energy in Wh, negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i64>)]
    m5N: Option<Energy>,
    /// By code: the part of each energy, in Wh, that was counted across a gap in the data and has no known time within the day.
    unplaced: BTreeMap<&'static str, i64>,
}

/// Whole Wh, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Energy(Option<i64>);

/// Get energy charts of one or more systems.
#[utoipa::path(get, path = "/api/auth/energy_chart/", tag = "charts", params(EnergyQuery),
    responses((status = 200, body = [EnergyChart]), (status = 400, body = Problem),
        (status = 404, body = Refusal)))]
pub(crate) async fn energy_chart(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<EnergyQuery>,
) -> Result<Json<Vec<EnergyChart>>> {
    let mut charts = Vec::new();
    let series = query.series();
    for choice in choices(&systems, &query.sn)? {
        let period = Period::parse(&query.days, &choice.zone(), portal.now())
            .map_err(|message| Error::field("days", message))?;
        let mut days = BTreeMap::new();
        for access in choice.accesses() {
            let totals = portal
                .store
                .telemetry
                .daily_totals(access.site(), period.days.clone())
                .await?;
            // Days without a measurement still get a row, but a total does not start with them.
            for day in totals
                .iter()
                .filter(|day| day.energy.iter().any(Option::is_some))
            {
                days.entry(day.day).or_insert_with(Sums::default).add(day);
            }
        }
        charts.push(chart(choice.sn(), &period, &days, &series));
    }
    Ok(Json(charts))
}

/// `sn=a,b` gives one chart each, `sn=-1` one combined chart.
fn choices<'a>(systems: &'a Systems, sn: &str) -> Result<Vec<Selection<'a>>> {
    let mut names: Vec<&str> = sn.split(',').map(str::trim).collect();
    names.dedup();
    if names.len() > systems.allowed.len() + 1 {
        return Err(Error::not_found());
    }
    names
        .into_iter()
        .map(|name| systems.one_or_all(name))
        .collect()
}

impl EnergyQuery {
    fn series(&self) -> Vec<Series> {
        let all = [
            (&self.m2, [Series::Import, Series::FeedIn].as_slice()),
            (&self.m4, &[Series::PvEnergy]),
            (&self.m5, &[Series::Discharge, Series::Charge]),
        ];
        let none = all.iter().all(|(switch, _)| !ticked(switch));
        all.into_iter()
            .filter(|(switch, _)| none || ticked(switch))
            .flat_map(|(_, series)| series.iter().copied())
            .collect()
    }
}

/// Energies summed over some days, in the order of [`Counter::ALL`].
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    energy: [Option<i64>; Counter::ALL.len()],
    unplaced: [i64; Counter::ALL.len()],
}

impl Sums {
    fn add(&mut self, day: &DayTotals) {
        self.merge(&Self {
            energy: day.energy,
            unplaced: day.unplaced,
        });
    }

    fn merge(&mut self, other: &Self) {
        for (sum, value) in self.energy.iter_mut().zip(other.energy) {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or(0) + value);
            }
        }
        for (sum, value) in self.unplaced.iter_mut().zip(other.unplaced) {
            *sum += value;
        }
    }

    /// `None` if the series was not requested.
    fn energy(&self, series: Series, shown: &[Series]) -> Option<Energy> {
        let counter = series.counter().filter(|_| shown.contains(&series))?;
        let sign = if series.shown_negative() { -1 } else { 1 };
        Some(Energy(self.energy[counter as usize].map(|wh| sign * wh)))
    }

    fn unplaced(&self, shown: &[Series]) -> BTreeMap<&'static str, i64> {
        let of = |series: &Series| {
            let sign = if series.shown_negative() { -1 } else { 1 };
            let wh = self.unplaced[series.counter()? as usize];
            Some((series.code(), sign * wh))
        };
        shown.iter().filter_map(of).collect()
    }
}

fn chart(
    sn: &str,
    period: &Period,
    days: &BTreeMap<SiteDay, Sums>,
    shown: &[Series],
) -> EnergyChart {
    let mut sums: BTreeMap<SiteDay, Sums> = BTreeMap::new();
    let mut total = Sums::default();
    for (day, day_sums) in days {
        sums.entry(period.row_of(*day)).or_default().merge(day_sums);
        total.merge(day_sums);
    }
    let rows = period.rows(days.keys().next().copied());
    let row = |day: SiteDay| {
        let sums = sums.get(&day).copied().unwrap_or_default();
        let text = day.to_string();
        EnergyRow {
            de_time: (period.step == RowStep::Day).then(|| text.clone()),
            me_time: (period.step == RowStep::Month).then(|| text[..7].to_owned()),
            year: (period.step == RowStep::Year).then(|| day.year()),
            m2: sums.energy(Series::Import, shown),
            m2N: sums.energy(Series::FeedIn, shown),
            m4: sums.energy(Series::PvEnergy, shown),
            m5: sums.energy(Series::Discharge, shown),
            m5N: sums.energy(Series::Charge, shown),
            unplaced: sums.unplaced(shown),
        }
    };
    EnergyChart {
        sn: sn.to_owned(),
        rows: rows.into_iter().map(row).collect(),
        total_m2: total.energy(Series::Import, shown),
        total_m2N: total.energy(Series::FeedIn, shown),
        total_m4: total.energy(Series::PvEnergy, shown),
        total_m5: total.energy(Series::Discharge, shown),
        total_m5N: total.energy(Series::Charge, shown),
    }
}
