//! A naive telemetry store: a list of samples, scanned from end to end for every number.
use domain::clock::{HOUR, MINUTE, Millis};
use domain::energy::{CONTEXT_WINDOW, EnergyFlow, Reading, flows};
use domain::sample::Counter;
use domain::savings::{EnergyBalance, MeasuredDay};
use domain::series::{Method, Resolution};
use domain::{Sample, Series, SiteDay, Zone};
use std::ops::Range;
use telemetry::{Chart, ChartLine, DayTotals};

pub(crate) struct Model {
    pub(crate) samples: Vec<Sample>,
    pub(crate) zone: Zone,
    pub(crate) phase: usize,
    pub(crate) history_from: Millis,
}

impl Model {
    pub(crate) fn new(zone: &str) -> Self {
        Self {
            samples: Vec::new(),
            zone: zone.parse().unwrap(),
            phase: 1,
            history_from: 0,
        }
    }

    /// Returns whether it was new.
    pub(crate) fn append(&mut self, sample: Sample) -> bool {
        let new = self.samples.iter().all(|known| known.id != sample.id);
        if new {
            self.samples.push(sample);
        }
        new
    }

    fn between(&self, span: Range<Millis>) -> Vec<Sample> {
        let shown = |sample: &&Sample| span.contains(&sample.at) && sample.at >= self.history_from;
        let mut found: Vec<Sample> = self.samples.iter().filter(shown).copied().collect();
        found.sort_by_key(Sample::order);
        found
    }

    pub(crate) fn day_samples(&self, day: SiteDay) -> Vec<Sample> {
        self.between(self.zone.bounds(day))
    }

    /// Energy flows in and around a day, from the last day with data before it to half an hour after it.
    fn flows(&self, day: SiteDay, counter: Counter) -> Vec<EnergyFlow> {
        let bounds = self.zone.bounds(day);
        let reading = |sample: &Sample| Reading::of(sample, counter);
        let earlier = self.between(0..bounds.start);
        let earlier_day = earlier.last().map(|last| self.zone.day_of(last.at));
        let before = earlier_day.map_or(Vec::new(), |day| self.day_samples(day));
        let before: Vec<Reading> = before.iter().filter_map(reading).collect();
        let last = before.last().map_or(0, |last| last.at);
        let mut all: Vec<Reading> = before
            .into_iter()
            .filter(|reading| reading.at >= last - CONTEXT_WINDOW)
            .collect();
        let rest = self.between(bounds.start..bounds.end + CONTEXT_WINDOW);
        all.extend(rest.iter().filter_map(reading));
        flows(&all)
    }

    /// How much the counter gained until a moment, over the flows whose time is known.
    fn gained(flows: &[EnergyFlow], at: Millis) -> i64 {
        let placed = flows
            .iter()
            .filter(|flow| flow.to - flow.from <= 15 * MINUTE);
        let part = |flow: &EnergyFlow| match at {
            at if at <= flow.from => 0,
            at if at >= flow.to => flow.wh,
            at => (flow.wh * (at - flow.from)).div_euclid(flow.to - flow.from),
        };
        placed.map(part).sum()
    }

    fn placed(flows: &[EnergyFlow], bucket: &Range<Millis>) -> Option<i64> {
        let touches = |flow: &&EnergyFlow| {
            let still = flow.from == flow.to && bucket.contains(&flow.from);
            flow.to - flow.from <= 15 * MINUTE
                && (still || (flow.from < bucket.end && flow.to > bucket.start))
        };
        let measured = flows.iter().any(|flow| touches(&flow));
        measured.then(|| Self::gained(flows, bucket.end) - Self::gained(flows, bucket.start))
    }

    pub(crate) fn day_totals(&self, day: SiteDay) -> DayTotals {
        let bounds = self.zone.bounds(day);
        let mut totals = DayTotals {
            day,
            energy: [None; 5],
            unplaced: [0; 5],
        };
        if self.day_samples(day).is_empty() {
            return totals;
        }
        for counter in Counter::ALL {
            let flows = self.flows(day, counter);
            let gaps: Vec<i64> = flows
                .iter()
                .filter(|flow| flow.to - flow.from > 15 * MINUTE && bounds.contains(&flow.to))
                .map(|flow| flow.wh)
                .collect();
            let unplaced: i64 = gaps.iter().sum();
            let placed = Self::placed(&flows, &bounds);
            let known = placed.is_some() || !gaps.is_empty();
            totals.energy[counter as usize] = known.then(|| placed.unwrap_or_default() + unplaced);
            totals.unplaced[counter as usize] = unplaced;
        }
        totals
    }

    pub(crate) fn measured_day(&self, day: SiteDay) -> Option<MeasuredDay> {
        if self.day_samples(day).is_empty() {
            return None;
        }
        let quarters = |counter: Counter| {
            let series = Series::ALL
                .into_iter()
                .find(|series| series.counter() == Some(counter));
            let day = day..day.next();
            let chart = self.chart(day, Resolution::Quarter, Method::Sum, series.as_slice());
            chart.lines[0].values.clone()
        };
        let totals = self.day_totals(day);
        let quarters = Counter::ALL.map(quarters);
        let part =
            |n: usize| EnergyBalance::of(Counter::ALL.map(|counter| quarters[counter as usize][n]));
        let mut parts: Vec<EnergyBalance> = (0..quarters[0].len()).map(part).collect();
        parts.push(EnergyBalance::of(totals.unplaced.map(Some)));
        Some(MeasuredDay {
            energy: totals.energy,
            parts: Some(parts),
        })
    }

    fn gauge(&self, sample: &Sample, series: Series) -> Option<i64> {
        let value = match series {
            Series::GridPower => sample.grid_power,
            Series::BatteryPower => sample.battery_power,
            Series::Soc => sample.soc,
            Series::PvPower => sample.pv_power,
            Series::GridVoltage => sample.voltage[self.phase - 1],
            Series::House => sample.house_power(),
            _ => None,
        };
        value.map(i64::from)
    }

    pub(crate) fn chart(
        &self,
        days: Range<SiteDay>,
        resolution: Resolution,
        method: Method,
        series: &[Series],
    ) -> Chart {
        let time = self.zone.points(days.clone(), resolution);
        let end = self.zone.start_of(days.end);
        let buckets: Vec<Range<Millis>> = time
            .iter()
            .map(|start| {
                let day = self.zone.day_of(*start);
                let natural = match resolution {
                    Resolution::Minute => (start + MINUTE).min(self.zone.bounds(day).end),
                    Resolution::Quarter => (start + 15 * MINUTE).min(self.zone.bounds(day).end),
                    Resolution::Hour => (start + HOUR).min(self.zone.bounds(day).end),
                    Resolution::Day => self.zone.bounds(day).end,
                    Resolution::Month => self.zone.start_of(day.next_month()),
                };
                *start..natural.min(end)
            })
            .collect();
        let line = |series: Series| ChartLine {
            series,
            decimals: match series {
                Series::Soc | Series::GridVoltage => 1,
                _ => 0,
            },
            values: match series.counter() {
                Some(counter) => self.energy(&buckets, resolution, counter),
                None => buckets
                    .iter()
                    .map(|bucket| self.point(bucket, method, series))
                    .collect(),
            },
        };
        let lines = series.iter().map(|series| line(*series)).collect();
        Chart { time, lines }
    }

    fn point(&self, bucket: &Range<Millis>, method: Method, series: Series) -> Option<i64> {
        let samples = self.between(bucket.clone());
        let values: Vec<i64> = samples
            .iter()
            .filter_map(|sample| self.gauge(sample, series))
            .collect();
        let sum: i64 = values.iter().sum();
        match method {
            _ if values.is_empty() => None,
            Method::Sum => Some(sum),
            Method::Min => values.into_iter().min(),
            Method::Max => values.into_iter().max(),
            Method::Mean => Some((sum as f64 / values.len() as f64).round() as i64),
        }
    }

    fn energy(
        &self,
        buckets: &[Range<Millis>],
        resolution: Resolution,
        counter: Counter,
    ) -> Vec<Option<i64>> {
        let whole_days = matches!(resolution, Resolution::Day | Resolution::Month);
        let mut of_day: Option<(SiteDay, bool, Vec<EnergyFlow>)> = None;
        let mut values = Vec::new();
        for bucket in buckets {
            let mut day = self.zone.day_of(bucket.start);
            if whole_days {
                let mut sum = None;
                while self.zone.start_of(day) < bucket.end {
                    if let Some(wh) = self.day_totals(day).energy[counter as usize] {
                        *sum.get_or_insert(0) += wh;
                    }
                    day = day.next();
                }
                values.push(sum);
                continue;
            }
            if of_day.as_ref().is_none_or(|known| known.0 != day) {
                let empty = self.day_samples(day).is_empty();
                of_day = Some((day, empty, self.flows(day, counter)));
            }
            values.push(match &of_day {
                Some((_, false, flows)) => Self::placed(flows, bucket),
                _ => None,
            });
        }
        values
    }
}
