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

/// Each waits for the database most of the time; more would only wait for a connection.
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
    let mut parts = Vec::with_capacity(accesses.len());
    for accesses in accesses.chunks(CHARTS_AT_ONCE) {
        let charts = accesses.iter().map(|access| {
            let (days, resolution) = (query.days.clone(), query.resolution);
            store.chart(access, days, resolution, query.method, query.series)
        });
        let capacities = accesses.iter().map(Access::capacity);
        parts.extend(capacities.zip(try_join_all(charts).await?));
    }
    let reporting = parts.iter().filter(|(_, chart)| has_values(chart)).count();
    Ok(CombinedChart {
        chart: combine(parts, query),
        reporting,
    })
}

fn has_values(chart: &Chart) -> bool {
    let mut lines = chart.lines.iter();
    lines.any(|line| line.values.iter().any(Option::is_some))
}

fn combine(mut parts: Vec<(Option<i64>, Chart)>, query: &ChartQuery<'_>) -> Chart {
    if parts.len() == 1 {
        return parts.remove(0).1;
    }
    let axis = axis(&parts, query);
    let lines = query.series.iter().enumerate().map(|(place, series)| {
        let first = parts.first().and_then(|(_, chart)| chart.lines.get(place));
        let mut sums = vec![Accumulator::new(series.aggregation()); axis.len()];
        for (capacity, chart) in &parts {
            let Some(line) = chart.lines.get(place) else {
                continue;
            };
            let mut at = 0;
            for (n, value) in line.values.iter().enumerate() {
                // Days and months are aligned by index for every system, finer points by timestamp.
                at = match (query.resolution, chart.time.get(n)) {
                    (Resolution::Day | Resolution::Month, _) | (_, None) => n,
                    (_, Some(time)) => at + axis[at..].partition_point(|other| other < time),
                };
                if let (Some(value), Some(sum)) = (value, sums.get_mut(at)) {
                    sum.add(*value, *capacity);
                }
            }
        }
        ChartLine {
            series: *series,
            decimals: first.map_or(0, |line| line.decimals),
            values: sums.into_iter().map(Accumulator::value).collect(),
        }
    });
    Chart {
        lines: lines.collect(),
        time: axis,
    }
}

/// The timestamps of the combined chart. The day of a system in another time zone begins earlier or later.
fn axis(parts: &[(Option<i64>, Chart)], query: &ChartQuery<'_>) -> Vec<Millis> {
    let Some((_, first)) = parts.first() else {
        return Zone::default().points(query.days.clone(), query.resolution);
    };
    let by_place = matches!(query.resolution, Resolution::Day | Resolution::Month);
    if by_place || parts.iter().all(|(_, chart)| chart.time == first.time) {
        return first.time.clone();
    }
    let mut axis: Vec<Millis> = parts
        .iter()
        .flat_map(|(_, chart)| chart.time.iter().copied())
        .collect();
    axis.sort_unstable();
    axis.dedup();
    axis
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
