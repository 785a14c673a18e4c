//! Charts: series over days, each point made of what was measured in its time.
use super::aggregate::{Aggregate, Gauge};
use super::columns::{Columns, Field};
use super::measured::{Measured, Site};
use super::quarters::{QUARTER, Quarters};
use super::totals::Totals;
use super::{Chart, Line};
use crate::{Access, Result, Store};
use domain::clock::{HOUR, MINUTE, Millis};
use domain::energy;
use domain::sample::Counter;
use domain::series::{Method, Resolution};
use domain::{Sample, Series, SiteDay};
use std::collections::BTreeMap;
use std::ops::Range;

/// What one line of a chart is made of, point by point.
enum Points {
    Gauge(Gauge, Vec<Aggregate>),
    Energy(Counter, Vec<Option<i64>>),
    /// It was not measured: a forecast.
    Nothing,
}

impl Points {
    fn new(series: Series, count: usize) -> Self {
        match (Gauge::of(series), series.counter()) {
            (Some(gauge), _) => Self::Gauge(gauge, vec![Aggregate::default(); count]),
            (_, Some(counter)) => Self::Energy(counter, vec![None; count]),
            _ => Self::Nothing,
        }
    }

    /// Adds a whole day to one point.
    fn add_day(&mut self, point: usize, day: &Totals) {
        match self {
            Self::Gauge(gauge, points) => points[point].merge(&day.gauges[*gauge as usize]),
            Self::Energy(counter, points) => {
                points[point] = energy::total(&[points[point]], day.energy[*counter as usize]);
            }
            Self::Nothing => {}
        }
    }

    /// Fills the points of a day, `step` milliseconds each.
    fn fill(&mut self, points_of_day: Range<usize>, step: Millis, day: &Day, phase: u8) {
        match self {
            Self::Gauge(gauge, points) => {
                let points = &mut points[points_of_day];
                match day {
                    Day {
                        columns: Some(columns),
                        ..
                    } => gauge.fill(columns, phase, day.span.start, step, points),
                    Day {
                        quarters: Some(quarters),
                        ..
                    } => {
                        let buckets = quarters.gauges[*gauge as usize].iter();
                        for (place, quarter) in in_steps(buckets, step, points.len()) {
                            points[place].merge(quarter);
                        }
                    }
                    _ => {}
                }
            }
            Self::Energy(counter, points) => {
                let points = &mut points[points_of_day];
                if let Some(measured) = &day.measured {
                    let start = day.span.start;
                    let edges = (0..).map(|n| start + n * step).take(points.len());
                    let edges: Vec<Millis> = edges.chain([day.span.end]).collect();
                    points.copy_from_slice(&energy::placed(&measured.flows(*counter), &edges));
                } else if let Some(quarters) = &day.quarters {
                    let quarters = quarters.energy[*counter as usize].iter();
                    for (place, quarter) in in_steps(quarters, step, points.len()) {
                        points[place] = energy::total(&[points[place]], *quarter);
                    }
                }
            }
            Self::Nothing => {}
        }
    }

    fn values(self, method: Method, count: usize) -> Vec<Option<i64>> {
        match self {
            Self::Gauge(_, points) => points.iter().map(|point| point.value(method)).collect(),
            Self::Energy(_, points) => points,
            Self::Nothing => vec![None; count],
        }
    }
}

/// What is known of one day, whatever its points need.
#[derive(Default)]
struct Day {
    span: Range<Millis>,
    quarters: Option<Quarters>,
    columns: Option<Columns>,
    measured: Option<Measured>,
}

/// Where to look for the points of a day that is sealed.
struct Plan {
    /// Sums and energy of quarter-hours and more.
    quarters: bool,
    /// Extremes, and everything finer.
    fields: Vec<Field>,
    /// Energy finer than quarter-hours needs the readings around the day.
    measured: bool,
}

impl Plan {
    fn of(resolution: Resolution, method: Method, series: &[Series], phase: u8) -> Self {
        let coarse = resolution >= Resolution::Quarter;
        let summed = coarse && matches!(method, Method::Mean | Method::Sum);
        let gauges = || series.iter().filter_map(|series| Gauge::of(*series));
        let energy = series.iter().any(|series| series.counter().is_some());
        let fields = gauges().flat_map(|gauge| gauge.fields(phase));
        Self {
            quarters: coarse && (energy || (summed && gauges().next().is_some())),
            fields: if summed { Vec::new() } else { fields.collect() },
            measured: energy && !coarse,
        }
    }
}

/// Quarter-hours with the place of the longer step that they belong to.
fn in_steps<T>(
    quarters: impl Iterator<Item = T>,
    step: Millis,
    steps: usize,
) -> impl Iterator<Item = (usize, T)> {
    let each = usize::try_from(step / QUARTER).unwrap_or(1).max(1);
    quarters
        .enumerate()
        .map(move |(place, quarter)| (place / each, quarter))
        .take_while(move |(place, _)| *place < steps)
}

/// Digits behind the point of what is kept.
fn decimals(series: Series) -> u8 {
    match series {
        Series::Soc | Series::GridVoltage => 1,
        _ => 0,
    }
}

fn step(resolution: Resolution) -> Option<Millis> {
    match resolution {
        Resolution::Minute => Some(MINUTE),
        Resolution::Quarter => Some(15 * MINUTE),
        Resolution::Hour => Some(HOUR),
        Resolution::Day | Resolution::Month => None,
    }
}

impl Store {
    /// Series over the days from `days.start` to the one before `days.end`. Powers, SOC and voltage follow the method,
    /// the house is computed per sample first; energy is always the sum.
    pub async fn chart(
        &self,
        access: &Access,
        days: Range<SiteDay>,
        resolution: Resolution,
        method: Method,
        series: &[Series],
    ) -> Result<Chart> {
        let site = Site::of(access);
        let time = site.zone.points(days.clone(), resolution);
        let mut lines: Vec<Points> = series
            .iter()
            .map(|series| Points::new(*series, time.len()))
            .collect();
        let nothing = lines.iter().all(|line| matches!(line, Points::Nothing));
        match step(resolution) {
            _ if nothing => {}
            Some(step) => {
                let plan = Plan::of(resolution, method, series, site.phase);
                for (_, day) in self.days_of_chart(site, &days, &plan).await? {
                    let first = time.partition_point(|at| *at < day.span.start);
                    let count = time[first..].partition_point(|at| *at < day.span.end);
                    for line in &mut lines {
                        line.fill(first..first + count, step, &day, site.phase);
                    }
                }
            }
            None => {
                let totals = self.totals_of_days(site, days.clone()).await?;
                let mut points = SiteDay::points(days, resolution).enumerate().peekable();
                let mut point = 0;
                for (day, totals) in &totals {
                    while let Some((next, _)) = points.next_if(|(_, first)| first <= day) {
                        point = next;
                    }
                    for line in &mut lines {
                        line.add_day(point, totals);
                    }
                }
            }
        }
        let lines = series.iter().zip(lines).map(|(series, points)| Line {
            series: *series,
            decimals: decimals(*series),
            values: points.values(method, time.len()),
        });
        let mut lines: Vec<Line> = lines.collect();
        if step(resolution).is_some() && series.iter().any(|series| series.is_forecast()) {
            let said = self.forecast_lines(access, &time, series).await?;
            for (line, said) in lines.iter_mut().zip(said) {
                if line.series.is_forecast() {
                    line.values = said;
                }
            }
        }
        Ok(Chart { time, lines })
    }

    /// What the points of each day are made of; days without data are left out.
    async fn days_of_chart(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
        plan: &Plan,
    ) -> Result<BTreeMap<SiteDay, Day>> {
        let mut found = self.sealed_chart(site, days, plan).await?;
        for day in self
            .open_days(site, days, |day| found.contains_key(&day))
            .await?
        {
            // It may have been sealed since it was looked for.
            let again = self.sealed_chart(site, &(day..day.next()), plan).await?;
            if !again.is_empty() {
                found.extend(again);
                continue;
            }
            let measured = self.measured(site, day).await?;
            let day_found = Day {
                span: measured.span.clone(),
                quarters: None,
                columns: Some(Columns::of(&measured.samples)),
                measured: Some(measured),
            };
            found.insert(day, day_found);
        }
        Ok(found)
    }

    /// The sealed days of a chart that still hold, unpacked as far as the plan needs.
    async fn sealed_chart(
        &self,
        site: Site<'_>,
        days: &Range<SiteDay>,
        plan: &Plan,
    ) -> Result<BTreeMap<SiteDay, Day>> {
        let mut found: BTreeMap<SiteDay, Day> = BTreeMap::new();
        if plan.measured {
            return Ok(found);
        }
        let empty = |day| Day {
            span: site.zone.bounds(day),
            ..Day::default()
        };
        if plan.quarters {
            for (day, quarters) in self.sealed_quarters(site, days).await? {
                found.entry(day).or_insert_with(|| empty(day)).quarters = Some(quarters);
            }
        }
        if !plan.fields.is_empty() {
            for (day, columns) in self.sealed_columns(site, days, &plan.fields).await? {
                found.entry(day).or_insert_with(|| empty(day)).columns = Some(columns);
            }
        }
        // Sealed between two looks, or known in one part only: it is computed instead.
        found.retain(|_, day| {
            day.quarters.is_some() == plan.quarters
                && day.columns.is_some() != plan.fields.is_empty()
        });
        Ok(found)
    }

    /// Every sample of a day, in order, as it was measured.
    pub async fn day_samples(&self, access: &Access, day: SiteDay) -> Result<Vec<Sample>> {
        let site = Site::of(access);
        self.samples_between(site, site.zone.bounds(day)).await
    }
}
