//! From counter readings to energy. Differences telescope exactly: whatever the buckets, their sum is the same to the Wh.
use crate::clock::{MINUTE, Millis};
use crate::sample::{Counter, Sample};
use std::ops::Range;

/// Readings further apart do not show when the energy between them flowed.
pub const MAX_PLACEABLE_GAP: Millis = 15 * MINUTE;
/// How long a counter may show wrong readings and still be trusted when it returns to its old level.
pub const MAX_GLITCH: Millis = 15 * MINUTE;
/// How much time before and after a period must be known to compute the period's energy.
pub const CONTEXT_WINDOW: Millis = 30 * MINUTE;

/// One reading of one counter, in Wh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub at: Millis,
    pub wh: i64,
    /// Which unit's counter it is: counters of different units are unrelated.
    pub unit: u8,
}

impl Reading {
    pub fn of(sample: &Sample, counter: Counter) -> Option<Self> {
        Some(Self {
            at: sample.at,
            wh: sample.counter(counter)?,
            unit: sample.id.unit,
        })
    }

    /// Whether `next` is a plausible later reading of the same counter: not lower, and no more than 100 kW allow.
    /// One Wh more is the counter's rounding.
    fn leads_to(self, next: Self) -> bool {
        let rise = next.wh.saturating_sub(self.wh);
        rise >= 0 && (rise - 1).saturating_mul(36) <= next.at - self.at
    }
}

/// Energy between two readings that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnergyFlow {
    pub from: Millis,
    pub to: Millis,
    pub wh: i64,
}

impl EnergyFlow {
    pub fn is_placed(&self) -> bool {
        self.to - self.from <= MAX_PLACEABLE_GAP
    }

    /// What had flowed by `at`, assuming constant power.
    fn until(&self, at: Millis) -> i64 {
        if at <= self.from {
            0
        } else if at >= self.to {
            self.wh
        } else {
            self.wh * (at - self.from) / (self.to - self.from)
        }
    }
}

/// The readings of one counter; `samples` are in order.
pub fn readings(samples: &[Sample], counter: Counter) -> impl Iterator<Item = Reading> {
    samples
        .iter()
        .filter_map(move |sample| Reading::of(sample, counter))
}

/// The flows between readings in order of time. Nothing is counted between readings of different units.
pub fn flows(readings: &[Reading]) -> Vec<EnergyFlow> {
    let mut flows = Vec::with_capacity(readings.len());
    for readings in readings.chunk_by(|one, next| one.unit == next.unit) {
        flows_of_unit(readings, &mut flows);
    }
    flows
}

/// A jump (a fall, or a rise beyond 100 kW) adds nothing. If the counter is back within [`MAX_GLITCH`], the readings between
/// were a glitch. Otherwise it was reset and continues from the new level.
fn flows_of_unit(readings: &[Reading], flows: &mut Vec<EnergyFlow>) {
    let mut index = trusted_start(readings);
    while let Some(&last) = readings.get(index) {
        let Some(&next) = readings.get(index + 1) else {
            break;
        };
        index = if last.leads_to(next) {
            index + 1
        } else {
            let back = readings[index + 2..]
                .iter()
                .take_while(|reading| reading.at <= next.at + MAX_GLITCH)
                .position(|reading| last.leads_to(*reading));
            match back {
                Some(after) => index + 2 + after,
                None => {
                    index += 1;
                    continue;
                }
            }
        };
        flows.push(EnergyFlow {
            from: last.at,
            to: readings[index].at,
            wh: readings[index].wh - last.wh,
        });
    }
}

/// The index to start at: the first reading of the level that most of the first 15 minutes agree with. The result then does not
/// depend on a glitch at the very start.
fn trusted_start(readings: &[Reading]) -> usize {
    let Some(first) = readings.first() else {
        return 0;
    };
    let window = readings.partition_point(|reading| reading.at <= first.at + MAX_GLITCH);
    let window = &readings[..window];
    if window.windows(2).all(|pair| pair[0].leads_to(pair[1])) {
        return 0;
    }
    let agreeing = |index: usize| {
        let candidate = window[index];
        let later = &window[index + 1..];
        later
            .iter()
            .filter(|next| candidate.leads_to(**next))
            .count()
    };
    // Reversed, because `max_by_key` returns the last of equals and the earliest is wanted.
    (0..window.len())
        .rev()
        .max_by_key(|index| agreeing(*index))
        .unwrap_or(0)
}

/// The energy of each bucket between consecutive edges; `None` where nothing was measured.
pub fn placed(flows: &[EnergyFlow], edges: &[Millis]) -> Vec<Option<i64>> {
    let mut buckets = vec![None; edges.len().saturating_sub(1)];
    for flow in flows.iter().filter(|flow| flow.is_placed()) {
        let first = edges.partition_point(|edge| *edge <= flow.from);
        for bucket in first.saturating_sub(1)..buckets.len() {
            let (start, end) = (edges[bucket], edges[bucket + 1]);
            // A flow without duration belongs to the bucket that begins at its time.
            if start >= flow.to && !(flow.from == flow.to && start == flow.to) {
                break;
            }
            if end > flow.from {
                let part = flow.until(end) - flow.until(start);
                *buckets[bucket].get_or_insert(0) += part;
            }
        }
    }
    buckets
}

/// The energy of gaps that end within `span`; `None` without such a gap.
pub fn unplaced(flows: &[EnergyFlow], span: &Range<Millis>) -> Option<i64> {
    flows
        .iter()
        .filter(|flow| !flow.is_placed() && span.contains(&flow.to))
        .map(|flow| flow.wh)
        .reduce(|sum, wh| sum + wh)
}

/// Placed plus unplaced energy; `None` only if both are missing.
pub fn total(placed: &[Option<i64>], unplaced: Option<i64>) -> Option<i64> {
    placed
        .iter()
        .copied()
        .chain([unplaced])
        .flatten()
        .reduce(|sum, wh| sum + wh)
}

/// The energy of the current day, updated sample by sample. Late samples are ignored here and left to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayEnergy {
    pub span: Range<Millis>,
    /// In the order of [`Counter::ALL`], including unplaced energy.
    pub energy: [Option<i64>; 5],
    /// The newest trusted reading.
    last: [Option<Reading>; 5],
    /// The first reading after a jump, until [`MAX_GLITCH`] has passed and shows whether it was a glitch or a reset.
    suspect: [Option<Reading>; 5],
}

impl DayEnergy {
    pub fn new(span: Range<Millis>) -> Self {
        Self {
            span,
            energy: [None; 5],
            last: [None; 5],
            suspect: [None; 5],
        }
    }

    /// The day so far. `samples` are in order and include those of the time before the day.
    pub fn of(span: Range<Millis>, samples: &[Sample]) -> Self {
        let mut day = Self::new(span);
        for sample in samples {
            day.add(sample);
        }
        day
    }

    /// Starts another day; counter readings carry over.
    pub fn begin_day(&mut self, span: Range<Millis>) {
        self.span = span;
        self.energy = [None; 5];
    }

    pub fn add(&mut self, sample: &Sample) {
        for counter in Counter::ALL {
            if let Some(reading) = Reading::of(sample, counter) {
                self.read(counter as usize, reading);
            }
        }
    }

    fn read(&mut self, counter: usize, reading: Reading) {
        let Some(last) = self.last[counter] else {
            self.last[counter] = Some(reading);
            return;
        };
        if reading.at < last.at || reading.unit < last.unit {
            return;
        }
        if reading.unit > last.unit {
            self.last[counter] = Some(reading);
            self.suspect[counter] = None;
            return;
        }
        if last.leads_to(reading) {
            self.flow(counter, last, reading);
            return;
        }
        match self.suspect[counter] {
            None => self.suspect[counter] = Some(reading),
            Some(first) if reading.at - first.at > MAX_GLITCH => {
                if first.leads_to(reading) {
                    self.flow(counter, first, reading);
                } else {
                    self.last[counter] = Some(reading);
                    self.suspect[counter] = None;
                }
            }
            Some(_) => {}
        }
    }

    fn flow(&mut self, counter: usize, from: Reading, to: Reading) {
        self.last[counter] = Some(to);
        self.suspect[counter] = None;
        let flow = EnergyFlow {
            from: from.at,
            to: to.at,
            wh: to.wh - from.wh,
        };
        let counts = if flow.is_placed() {
            flow.to > self.span.start && flow.from < self.span.end
        } else {
            self.span.contains(&flow.to)
        };
        if counts {
            let part = if flow.is_placed() {
                flow.until(self.span.end) - flow.until(self.span.start)
            } else {
                flow.wh
            };
            *self.energy[counter].get_or_insert(0) += part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::HOUR;
    use proptest::prelude::*;

    fn readings(list: &[(i64, i64)]) -> Vec<Reading> {
        let reading = |(minute, wh): &(i64, i64)| Reading {
            at: minute * MINUTE,
            wh: *wh,
            unit: 0,
        };
        list.iter().map(reading).collect()
    }

    /// All energy between two minutes.
    fn between(list: &[(i64, i64)], from: i64, to: i64) -> Option<i64> {
        let flows = flows(&readings(list));
        let span = from * MINUTE..to * MINUTE;
        let placed = placed(&flows, &[span.start, span.end]);
        total(&placed, unplaced(&flows, &span))
    }

    #[test]
    fn energy_is_shared_between_buckets_by_time() {
        let flows = flows(&readings(&[(0, 100), (10, 130)]));
        let edges = [-5, 0, 3, 5, 20].map(|minute| minute * MINUTE);
        assert_eq!(placed(&flows, &edges), [None, Some(9), Some(6), Some(15)]);
    }

    #[test]
    fn a_measured_nothing_is_zero_and_not_missing() {
        assert_eq!(between(&[(0, 7), (10, 7)], 0, 10), Some(0));
        assert_eq!(between(&[(0, 7)], 0, 10), None);
        assert_eq!(between(&[(0, 7), (10, 7)], 10, 20), None);
    }

    #[test]
    fn a_gap_is_unplaced_where_it_ends() {
        let list = [(0, 0), (10, 5), (26, 100), (27, 101)];
        let flows = flows(&readings(&list));
        assert_eq!(unplaced(&flows, &(0..20 * MINUTE)), None);
        assert_eq!(unplaced(&flows, &(20 * MINUTE..HOUR)), Some(95));
        let edges = [0, 20 * MINUTE, HOUR];
        assert_eq!(placed(&flows, &edges), [Some(5), Some(1)]);
    }

    #[test]
    fn a_dip_is_ignored_and_its_energy_is_not_lost() {
        let dip = [(0, 1000), (1, 1010), (2, 3), (3, 1030), (4, 1040)];
        assert_eq!(between(&dip, 0, 10), Some(40));
        let spike = [(0, 1000), (1, 1010), (2, 9_000_000), (3, 1030), (4, 1040)];
        assert_eq!(between(&spike, 0, 10), Some(40));
    }

    #[test]
    fn after_a_reset_counting_goes_on_from_the_new_level() {
        let reset = [(0, 1000), (1, 1010), (2, 0), (3, 20), (30, 50), (31, 60)];
        assert_eq!(between(&reset, 0, 60), Some(10 + 20 + 30 + 10));
    }

    #[test]
    fn a_glitch_that_comes_first_is_not_believed() {
        let list = [(0, 5), (1, 90_000), (2, 90_010), (3, 6), (4, 90_030)];
        assert_eq!(between(&list, 0, 10), Some(30));
    }

    #[test]
    fn no_counter_runs_faster_than_100_kw() {
        assert_eq!(between(&[(0, 0), (60, 100_001)], 0, 100), Some(100_001));
        assert_eq!(between(&[(0, 0), (60, 100_002)], 0, 100), None);
    }

    #[test]
    fn the_live_tally_counts_what_the_store_counts() {
        let list = [(-2, 90), (2, 130), (3, 0), (4, 150), (30, 400), (31, 410)];
        let span = 0..HOUR;
        let mut tally = DayEnergy::new(span.clone());
        for reading in readings(&list) {
            tally.read(0, reading);
        }
        assert_eq!(tally.energy[0], between(&list, 0, 60));
        tally.begin_day(HOUR..2 * HOUR);
        tally.read(
            0,
            Reading {
                at: 61 * MINUTE,
                wh: 500,
                unit: 0,
            },
        );
        assert_eq!(tally.energy[0], Some(90));
    }

    #[test]
    fn an_exchanged_unit_adds_neither_the_gap_nor_a_jump() {
        // The new unit's counter is slightly above the old one's, which no rule about jumps would detect.
        let old = [(0, 1000), (5, 1050), (10, 1100)];
        let new = [(12, 1150), (17, 1170)];
        let after = readings(&new)
            .into_iter()
            .map(|reading| Reading { unit: 1, ..reading });
        let all: Vec<Reading> = readings(&old).into_iter().chain(after).collect();
        let counted: i64 = flows(&all).iter().map(|flow| flow.wh).sum();
        assert_eq!(counted, 100 + 20);
        let mut tally = DayEnergy::new(0..HOUR);
        for reading in all {
            tally.read(0, reading);
        }
        assert_eq!(tally.energy[0], Some(120));
    }

    /// Counter readings with gaps, dips, spikes and resets, in order of time.
    fn stream() -> impl Strategy<Value = Vec<Reading>> {
        let one = (1i64..20 * MINUTE, 0i64..200, 0u8..12, any::<u32>());
        prop::collection::vec(one, 0..120).prop_map(|steps| {
            let (mut at, mut wh) = (0, 1000);
            steps
                .into_iter()
                .map(|(passed, rise, luck, odd)| {
                    at += passed;
                    wh = if luck == 0 {
                        i64::from(odd % 500)
                    } else {
                        wh + rise
                    };
                    let shown = if luck == 1 { i64::from(odd) } else { wh };
                    Reading {
                        at,
                        wh: shown,
                        unit: 0,
                    }
                })
                .collect()
        })
    }

    proptest! {
        #[test]
        fn any_buckets_and_the_unplaced_add_up_to_the_same(
            readings in stream(), mut edges in prop::collection::vec(0i64..40 * HOUR, 2..40)
        ) {
            let flows = flows(&readings);
            edges.extend([0, 41 * HOUR]);
            edges.sort_unstable();
            edges.dedup();
            let buckets = placed(&flows, &edges);
            let whole = placed(&flows, &[0, 41 * HOUR]);
            prop_assert_eq!(total(&buckets, None), total(&whole, None));
            let all: i64 = flows.iter().map(|flow| flow.wh).sum();
            let gaps = unplaced(&flows, &(0..41 * HOUR));
            prop_assert_eq!(total(&buckets, gaps).unwrap_or_default(), all);
        }

        #[test]
        fn each_unit_is_counted_for_itself(old in stream(), new in stream(), pause in 0i64..HOUR) {
            let end = old.last().map_or(0, |last| last.at) + pause;
            let new: Vec<Reading> = new
                .into_iter()
                .map(|reading| Reading { at: reading.at + end, unit: 1, ..reading })
                .collect();
            let apart = [flows(&old), flows(&new)].concat();
            prop_assert_eq!(flows(&[old, new].concat()), apart);
        }

        #[test]
        fn energy_is_never_negative_and_never_a_spike(readings in stream()) {
            for flow in flows(&readings) {
                prop_assert!(flow.wh >= 0 && flow.from <= flow.to);
                prop_assert!((flow.wh - 1) * 36 <= flow.to - flow.from);
            }
        }

        #[test]
        fn a_well_behaved_counter_loses_nothing(
            steps in prop::collection::vec((1i64..20 * MINUTE, 0i64..5), 1..80), shuffle in any::<u64>()
        ) {
            let mut readings = vec![Reading { at: 0, wh: 50, unit: 0 }];
            for (passed, rise) in steps {
                let last = readings[readings.len() - 1];
                let rise = rise.min(passed / 36);
                readings.push(Reading { at: last.at + passed, wh: last.wh + rise, unit: 0 });
            }
            let gained = readings[readings.len() - 1].wh - 50;
            let sorted = flows(&readings);
            prop_assert_eq!(sorted.iter().map(|flow| flow.wh).sum::<i64>(), gained);
            // The order of arrival does not matter after sorting.
            let shift = usize::try_from(shuffle % readings.len() as u64).unwrap();
            readings.rotate_left(shift);
            readings.sort_by_key(|reading| reading.at);
            prop_assert_eq!(flows(&readings), sorted);
        }
    }
}
