//! Charts: series over days, each point made of what was measured in its time.
use super::aggregate::{Aggregate, Gauge};
use super::columns::Columns;
use super::measured::{Measured, Site};
use super::totals::Totals;
use super::{Chart, Line};
use crate::{Access, Result, Store};
use domain::clock::{HOUR, MINUTE, Millis};
use domain::energy;
use domain::sample::Counter;
use domain::series::{Method, Resolution};
use domain::{Sample, Series, SiteDay};
use std::ops::Range;

/// What one line of a chart is made of, point by point.
enum Points {
    Gauge(Gauge, Vec<Aggregate>),
    Energy(Counter, Vec<Option<i64>>),
    /// Nothing is known of it yet.
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
    fn fill(
        &mut self,
        points_of_day: Range<usize>,
        step: Millis,
        day: &Measured,
        columns: &Columns,
        phase: u8,
    ) {
        let start = day.span.start;
        match self {
            Self::Gauge(gauge, points) => {
                gauge.fill(columns, phase, start, step, &mut points[points_of_day]);
            }
            Self::Energy(counter, points) => {
                let mut edges: Vec<Millis> = (0..)
                    .map(|n| start + n * step)
                    .take(points_of_day.len())
                    .collect();
                edges.push(day.span.end);
                let placed = energy::placed(&day.flows(*counter), &edges);
                points[points_of_day].copy_from_slice(&placed);
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
        match step(resolution) {
            Some(step) => {
                let mut day = days.start;
                let mut done = 0;
                while day < days.end {
                    let bounds = site.zone.bounds(day);
                    let count = time[done..].partition_point(|at| *at < bounds.end);
                    let measured = self.measured(site, day).await?;
                    let columns = Columns::of(&measured.samples);
                    for line in &mut lines {
                        line.fill(done..done + count, step, &measured, &columns, site.phase);
                    }
                    done += count;
                    day = day.next();
                }
            }
            None => {
                for (day, totals) in self.totals_of_days(site, days).await? {
                    let start = site.zone.start_of(day);
                    let point = time.partition_point(|at| *at <= start).saturating_sub(1);
                    for (line, totals) in lines.iter_mut().zip(std::iter::repeat(totals.as_ref())) {
                        if let Some(totals) = totals {
                            line.add_day(point, totals);
                        }
                    }
                }
            }
        }
        let lines = series.iter().zip(lines).map(|(series, points)| Line {
            series: *series,
            decimals: decimals(*series),
            values: points.values(method, time.len()),
        });
        let lines = lines.collect();
        Ok(Chart { time, lines })
    }

    /// Every sample of a day, in order, as it was measured.
    pub async fn day_samples(&self, access: &Access, day: SiteDay) -> Result<Vec<Sample>> {
        let site = Site::of(access);
        self.samples_between(site, site.zone.bounds(day)).await
    }
}
