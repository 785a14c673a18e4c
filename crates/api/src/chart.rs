//! Combines the charts of several systems into one.
use domain::Zone;
use domain::aggregate::Accumulator;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use domain::{Series, SiteDay};
use futures_util::future::try_join_all;
use std::ops::Range;
use store::{Access, Store};
use telemetry::{Chart, ChartLine};

/// What the chart shows.
#[derive(Clone, Debug)]
pub(crate) struct ChartQuery<'a> {
    pub(crate) days: Range<SiteDay>,
    pub(crate) resolution: Resolution,
    pub(crate) method: Method,
    pub(crate) series: &'a [Series],
}

/// Each read waits for the database most of the time. More would only wait for a connection.
const CHARTS_AT_ONCE: usize = 4;

/// A chart, and how many of its systems had data.
pub(crate) struct CombinedChart {
    pub(crate) chart: Chart,
    pub(crate) reporting: usize,
}

/// Reads the chart of each system by its own local days and combines them.
pub(crate) async fn read(
    store: &Store,
    accesses: &[Access],
    query: &ChartQuery<'_>,
) -> store::Result<CombinedChart> {
    let mut sum = ChartSum::new(query, accesses.len());
    for accesses in accesses.chunks(CHARTS_AT_ONCE) {
        let charts = accesses.iter().map(|access| {
            let (days, resolution) = (query.days.clone(), query.resolution);
            store.chart(access, days, resolution, query.method, query.series)
        });
        let capacities = accesses.iter().map(Access::capacity);
        for (capacity, chart) in capacities.zip(try_join_all(charts).await?) {
            sum.add(capacity, chart);
        }
    }
    Ok(sum.combined())
}

fn has_values(chart: &Chart) -> bool {
    let mut lines = chart.lines.iter();
    lines.any(|line| line.values.iter().any(Option::is_some))
}

/// The charts of several systems, added up one after the other: only the sum is in memory.
struct ChartSum<'q> {
    query: &'q ChartQuery<'q>,
    /// When each point begins; empty before the first chart. The day of a system in another time zone begins earlier or later.
    time: Vec<Millis>,
    decimals: Vec<u8>,
    /// By series.
    sums: Vec<Vec<Accumulator>>,
    reporting: usize,
    /// The chart of the only system, which needs no sum.
    single: Option<Chart>,
    is_single: bool,
}

impl<'q> ChartSum<'q> {
    fn new(query: &'q ChartQuery<'q>, systems: usize) -> Self {
        let time = match systems {
            0 => Zone::default().points(query.days.clone(), query.resolution),
            _ => Vec::new(),
        };
        let mut sum = Self {
            query,
            time: Vec::new(),
            decimals: vec![0; query.series.len()],
            sums: vec![Vec::new(); query.series.len()],
            reporting: 0,
            single: None,
            is_single: systems == 1,
        };
        sum.widen(&time);
        sum
    }

    fn add(&mut self, capacity: Option<i64>, chart: Chart) {
        self.reporting += usize::from(has_values(&chart));
        if self.is_single {
            self.single = Some(chart);
            return;
        }
        if self.time.is_empty() {
            self.decimals = chart.lines.iter().map(|line| line.decimals).collect();
        }
        // Days and months are aligned by index for every system, finer points by timestamp.
        let by_index = matches!(self.query.resolution, Resolution::Day | Resolution::Month);
        if self.time.is_empty() || !by_index && self.time != chart.time {
            self.widen(&chart.time);
        }
        for (sums, line) in self.sums.iter_mut().zip(&chart.lines) {
            let mut at = 0;
            for (n, value) in line.values.iter().enumerate() {
                at = match chart.time.get(n) {
                    Some(time) if !by_index => {
                        at + self.time[at..].partition_point(|other| other < time)
                    }
                    _ => n,
                };
                if let (Some(value), Some(sum)) = (value, sums.get_mut(at)) {
                    sum.add(*value, capacity);
                }
            }
        }
    }

    /// Adds these points to the axis.
    fn widen(&mut self, more: &[Millis]) {
        let mut time = [self.time.as_slice(), more].concat();
        time.sort_unstable();
        time.dedup();
        for (series, sums) in self.query.series.iter().zip(&mut self.sums) {
            let before = std::mem::take(sums);
            *sums = vec![Accumulator::new(series.aggregation()); time.len()];
            for (at, sum) in self.time.iter().zip(before) {
                let at = time.partition_point(|other| other < at);
                sums[at] = sum;
            }
        }
        self.time = time;
    }

    fn combined(self) -> CombinedChart {
        let lines = self.query.series.iter().zip(self.decimals).zip(self.sums);
        let lines = lines.map(|((series, decimals), sums)| ChartLine {
            series: *series,
            decimals,
            values: sums.into_iter().map(Accumulator::value).collect(),
        });
        let chart = self.single.unwrap_or_else(|| Chart {
            lines: lines.collect(),
            time: self.time,
        });
        CombinedChart {
            chart,
            reporting: self.reporting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::clock::HOUR;

    const SERIES: [Series; 3] = [Series::GridPower, Series::Soc, Series::GridVoltage];

    fn query(resolution: Resolution) -> ChartQuery<'static> {
        let day: SiteDay = "2026-06-01".parse().unwrap();
        ChartQuery {
            days: day..day.next(),
            resolution,
            method: Method::Mean,
            series: &SERIES,
        }
    }

    fn chart(start: Millis, values: &[Option<i64>]) -> Chart {
        let line = |series: &Series| ChartLine {
            series: *series,
            decimals: 1,
            values: values.to_vec(),
        };
        Chart {
            time: (0..values.len() as i64).map(|n| start + n * HOUR).collect(),
            lines: SERIES.iter().map(line).collect(),
        }
    }

    fn combine(parts: Vec<(Option<i64>, Chart)>, query: &ChartQuery<'_>) -> Chart {
        let mut sum = ChartSum::new(query, parts.len());
        for (capacity, chart) in parts {
            sum.add(capacity, chart);
        }
        sum.combined().chart
    }

    #[test]
    fn a_system_that_does_not_report_takes_no_part() {
        let parts = vec![
            (Some(5_000), chart(0, &[Some(100), None, None])),
            (Some(15_000), chart(0, &[Some(300), Some(300), None])),
        ];
        let all = combine(parts, &query(Resolution::Hour));
        assert_eq!(all.lines[0].values, [Some(400), Some(300), None]);
        assert_eq!(all.lines[1].values, [Some(250), Some(300), None]);
        assert_eq!(all.lines[2].values, [Some(200), Some(300), None]);
    }

    #[test]
    fn systems_in_two_time_zones_meet_at_the_same_moment() {
        let parts = vec![
            (None, chart(HOUR, &[Some(1), Some(2)])),
            (None, chart(0, &[Some(10), Some(20)])),
        ];
        let all = combine(parts.clone(), &query(Resolution::Hour));
        assert_eq!(all.time, [0, HOUR, 2 * HOUR]);
        assert_eq!(all.lines[0].values, [Some(10), Some(21), Some(2)]);
        // Each site's own local day counts.
        let all = combine(parts, &query(Resolution::Day));
        assert_eq!(all.time, [HOUR, 2 * HOUR]);
        assert_eq!(all.lines[0].values, [Some(11), Some(22)]);
    }

    #[test]
    fn no_systems_at_all_have_an_empty_day() {
        let all = combine(Vec::new(), &query(Resolution::Quarter));
        assert_eq!(all.time.len(), 96);
        assert!(all.lines.iter().all(|line| line.values == [None; 96]));
    }
}
