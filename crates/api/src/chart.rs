//! The charts of several systems as one.
use domain::Zone;
use domain::clock::Millis;
use domain::series::{Method, Resolution};
use domain::together::Sum;
use domain::{Series, SiteDay};
use std::ops::Range;
use store::telemetry::{Chart, Line};
use store::{Access, Store};

/// What a chart shows.
#[derive(Clone, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) days: Range<SiteDay>,
    pub(crate) resolution: Resolution,
    pub(crate) method: Method,
    pub(crate) series: &'a [Series],
}

/// A chart, and how many of its systems had something to show.
pub(crate) struct Combined {
    pub(crate) chart: Chart,
    pub(crate) reporting: usize,
}

/// Reads the chart of each system, by its own days, and makes one of them.
pub(crate) async fn read(
    store: &Store,
    accesses: &[Access],
    shown: &Shown<'_>,
) -> store::Result<Combined> {
    let mut parts = Vec::with_capacity(accesses.len());
    for access in accesses {
        let chart = store
            .chart(
                access,
                shown.days.clone(),
                shown.resolution,
                shown.method,
                shown.series,
            )
            .await?;
        parts.push((access.capacity(), chart));
    }
    let reporting = parts
        .iter()
        .filter(|(_, chart)| says_something(chart))
        .count();
    Ok(Combined {
        chart: together(parts, shown),
        reporting,
    })
}

fn says_something(chart: &Chart) -> bool {
    let mut lines = chart.lines.iter();
    lines.any(|line| line.values.iter().any(Option::is_some))
}

fn together(mut parts: Vec<(Option<i64>, Chart)>, shown: &Shown<'_>) -> Chart {
    if parts.len() == 1 {
        return parts.remove(0).1;
    }
    let axis = axis(&parts, shown);
    let lines = shown.series.iter().enumerate().map(|(place, series)| {
        let first = parts.first().and_then(|(_, chart)| chart.lines.get(place));
        let mut sums = vec![Sum::new(series.together()); axis.len()];
        for (capacity, chart) in &parts {
            let Some(line) = chart.lines.get(place) else {
                continue;
            };
            let mut at = 0;
            for (n, value) in line.values.iter().enumerate() {
                // Days and months stand at the same place for every system, shorter points at the same moment.
                at = match (shown.resolution, chart.time.get(n)) {
                    (Resolution::Day | Resolution::Month, _) | (_, None) => n,
                    (_, Some(time)) => at + axis[at..].partition_point(|other| other < time),
                };
                if let (Some(value), Some(sum)) = (value, sums.get_mut(at)) {
                    sum.take(*value, *capacity);
                }
            }
        }
        Line {
            series: *series,
            decimals: first.map_or(0, |line| line.decimals),
            values: sums.into_iter().map(Sum::value).collect(),
        }
    });
    Chart {
        lines: lines.collect(),
        time: axis,
    }
}

/// The moments of the common chart. Systems in other time zones begin their day earlier or later.
fn axis(parts: &[(Option<i64>, Chart)], shown: &Shown<'_>) -> Vec<Millis> {
    let Some((_, first)) = parts.first() else {
        return Zone::default().points(shown.days.clone(), shown.resolution);
    };
    let by_place = matches!(shown.resolution, Resolution::Day | Resolution::Month);
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

    fn shown(resolution: Resolution) -> Shown<'static> {
        let day: SiteDay = "2026-06-01".parse().unwrap();
        Shown {
            days: day..day.next(),
            resolution,
            method: Method::Mean,
            series: &SERIES,
        }
    }

    fn chart(start: Millis, values: &[Option<i64>]) -> Chart {
        let line = |series: &Series| Line {
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
        let all = together(parts, &shown(Resolution::Hour));
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
        let all = together(parts.clone(), &shown(Resolution::Hour));
        assert_eq!(all.time, [0, HOUR, 2 * HOUR]);
        assert_eq!(all.lines[0].values, [Some(10), Some(21), Some(2)]);
        // A day is each site's own day.
        let all = together(parts, &shown(Resolution::Day));
        assert_eq!(all.time, [HOUR, 2 * HOUR]);
        assert_eq!(all.lines[0].values, [Some(11), Some(22)]);
    }

    #[test]
    fn no_systems_at_all_have_an_empty_day() {
        let all = together(Vec::new(), &shown(Resolution::Quarter));
        assert_eq!(all.time.len(), 96);
        assert!(all.lines.iter().all(|line| line.values == [None; 96]));
    }
}
