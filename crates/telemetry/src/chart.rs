//! Charts: series over days, aggregated per point.
use crate::Telemetry;
use crate::aggregate::{Aggregate, Gauge};
use crate::columns::{Columns, SampleField};
use crate::day_context::{DayWithContext, MeasuredSite};
use crate::quarters::{QUARTER, Quarters};
use crate::totals::Totals;
use crate::{Chart, ChartLine};
use db::Result;
use domain::clock::{HOUR, MINUTE, Millis};
use domain::energy;
use domain::sample::Counter;
use domain::series::{Method, Resolution};
use domain::{Sample, Serial, Series, SiteDay};
use std::collections::BTreeMap;
use std::ops::Range;

/// The points of one line, before they become values.
enum Points {
    Gauge(Gauge, Vec<Aggregate>),
    Energy(Counter, Vec<Option<i64>>),
    /// A forecast, which has no measurements: [`None`] everywhere.
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
    fn fill(&mut self, points_of_day: Range<usize>, step: Millis, day: &ChartDay, phase: u8) {
        match self {
            Self::Gauge(gauge, points) => {
                let points = &mut points[points_of_day];
                match day {
                    ChartDay {
                        columns: Some(columns),
                        ..
                    } => gauge.fill(columns, phase, day.span.start, step, points),
                    ChartDay {
                        quarters: Some(quarters),
                        ..
                    } => {
                        let buckets = quarters.gauges[*gauge as usize].iter();
                        for (index, quarter) in with_step_index(buckets, step, points.len()) {
                            points[index].merge(quarter);
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
                    for (index, quarter) in with_step_index(quarters, step, points.len()) {
                        points[index] = energy::total(&[points[index]], *quarter);
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

/// The data of one day, as far as its points need them.
#[derive(Default)]
struct ChartDay {
    span: Range<Millis>,
    quarters: Option<Quarters>,
    columns: Option<Columns>,
    measured: Option<DayWithContext>,
}

/// Which parts of sealed days have to be read.
struct ReadPlan {
    /// For sums and energy per quarter-hour or coarser.
    quarters: bool,
    /// Columns, for extremes and everything finer.
    fields: Vec<SampleField>,
    /// Energy needs the readings around a day that is computed.
    context: bool,
    /// Energy finer than quarter-hours is not stored with sealed days: all are computed.
    compute_all: bool,
}

impl ReadPlan {
    fn of(resolution: Resolution, method: Method, series: &[Series], phase: u8) -> Self {
        let coarse = resolution >= Resolution::Quarter;
        let summed = coarse && matches!(method, Method::Mean | Method::Sum);
        let gauges = || series.iter().filter_map(|series| Gauge::of(*series));
        let energy = series.iter().any(|series| series.counter().is_some());
        let fields = gauges().flat_map(|gauge| gauge.fields(phase));
        Self {
            quarters: coarse && (energy || (summed && gauges().next().is_some())),
            fields: if summed { Vec::new() } else { fields.collect() },
            context: energy,
            compute_all: energy && !coarse,
        }
    }
}

/// Pairs each quarter-hour with the index of the longer step that it belongs to.
fn with_step_index<T>(
    quarters: impl Iterator<Item = T>,
    step: Millis,
    steps: usize,
) -> impl Iterator<Item = (usize, T)> {
    let each = usize::try_from(step / QUARTER).unwrap_or(1).max(1);
    quarters
        .enumerate()
        .map(move |(index, quarter)| (index / each, quarter))
        .take_while(move |(index, _)| *index < steps)
}

/// Decimal places of the stored values.
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

impl Telemetry {
    /// Series over `days`. Power, SoC and voltage are aggregated by `method`; the house's power is computed per sample first.
    /// Energy is always summed.
    pub async fn chart(
        &self,
        site: MeasuredSite<'_>,
        days: Range<SiteDay>,
        resolution: Resolution,
        method: Method,
        series: &[Series],
    ) -> Result<Chart> {
        let time = site.zone.points(days.clone(), resolution);
        let mut lines: Vec<Points> = series
            .iter()
            .map(|series| Points::new(*series, time.len()))
            .collect();
        let nothing = lines.iter().all(|line| matches!(line, Points::Nothing));
        match step(resolution) {
            _ if nothing => {}
            Some(step) => {
                let plan = ReadPlan::of(resolution, method, series, site.phase);
                for (_, day) in self.chart_days(site, &days, &plan).await? {
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
        let lines = series.iter().zip(lines).map(|(series, points)| ChartLine {
            series: *series,
            decimals: decimals(*series),
            values: points.values(method, time.len()),
        });
        let lines = lines.collect();
        Ok(Chart { time, lines })
    }

    /// The data of each day; days without any are left out.
    async fn chart_days(
        &self,
        site: MeasuredSite<'_>,
        days: &Range<SiteDay>,
        plan: &ReadPlan,
    ) -> Result<BTreeMap<SiteDay, ChartDay>> {
        let mut found = self.sealed_chart_days(site, days, plan).await?;
        for day in self
            .days_to_compute(site, days, |day| found.contains_key(&day))
            .await?
        {
            // If the day was sealed since the first read, its samples are found there.
            let span = site.zone.bounds(day);
            let (columns, measured) = if plan.context {
                let measured = self.day_with_context(site, day).await?;
                (Columns::of(&measured.samples), Some(measured))
            } else {
                let samples = self.samples_between(site, span.clone()).await?;
                (Columns::of(&samples), None)
            };
            if columns.times.is_empty() {
                continue;
            }
            let day_found = ChartDay {
                span,
                quarters: None,
                columns: Some(columns),
                measured,
            };
            found.insert(day, day_found);
        }
        Ok(found)
    }

    /// Sealed days that are still valid, unpacked as far as the plan needs.
    async fn sealed_chart_days(
        &self,
        site: MeasuredSite<'_>,
        days: &Range<SiteDay>,
        plan: &ReadPlan,
    ) -> Result<BTreeMap<SiteDay, ChartDay>> {
        let mut found: BTreeMap<SiteDay, ChartDay> = BTreeMap::new();
        if plan.compute_all {
            return Ok(found);
        }
        let empty = |day| ChartDay {
            span: site.zone.bounds(day),
            ..ChartDay::default()
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
        // Compute a day that lacks one part: it was sealed between the two queries, or only one part is valid.
        found.retain(|_, day| {
            day.quarters.is_some() == plan.quarters
                && day.columns.is_some() != plan.fields.is_empty()
        });
        Ok(found)
    }

    /// Every sample of a system that is not sealed, in order.
    pub async fn unsealed_samples(&self, sn: &Serial) -> Result<Vec<Sample>> {
        self.refresh(sn).await?;
        self.unsealed_between(sn, &(Millis::MIN..Millis::MAX)).await
    }

    /// Every sample of a day, in order.
    pub async fn day_samples(&self, site: MeasuredSite<'_>, day: SiteDay) -> Result<Vec<Sample>> {
        self.refresh(site.sn).await?;
        self.samples_between(site, site.zone.bounds(day)).await
    }
}
