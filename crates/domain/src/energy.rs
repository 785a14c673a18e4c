//! From counter readings to energy. Differences telescope exactly: whatever the buckets, their sum is the same to the Wh.
mod day_energy;

pub use day_energy::DayEnergy;

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

#[cfg(test)]
mod tests;
