//! From counter readings to energy. Differences telescope to the Wh: whatever the grid of buckets, their sum is the same.
use crate::clock::{MINUTE, Millis};
use crate::sample::{Counter, Sample};
use std::ops::Range;

/// Readings further apart do not say when the energy between them flowed.
pub const PLACEABLE: Millis = 15 * MINUTE;
/// How long a counter may read nonsense and still be believed when it comes back.
pub const GLITCH: Millis = 15 * MINUTE;
/// What must be known before and after a stretch of time to tell its energy.
pub const CONTEXT: Millis = 30 * MINUTE;

/// One reading of one counter, in Wh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub at: Millis,
    pub wh: i64,
}

impl Reading {
    /// Whether a counter that stood here may stand at `next` later: not lower, and no faster than 100 kW.
    /// One Wh more is the counter's own rounding.
    fn leads_to(self, next: Self) -> bool {
        let rise = next.wh.saturating_sub(self.wh);
        rise >= 0 && (rise - 1).saturating_mul(36) <= next.at - self.at
    }
}

/// What flowed between two readings that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    pub from: Millis,
    pub to: Millis,
    pub wh: i64,
}

impl Flow {
    pub fn is_placed(&self) -> bool {
        self.to - self.from <= PLACEABLE
    }

    /// What had flowed by `at`, taken as even over the stretch.
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

/// The readings of one counter among samples that are in order.
pub fn readings(samples: &[Sample], counter: Counter) -> impl Iterator<Item = Reading> {
    samples.iter().filter_map(move |sample| {
        let wh = sample.counter(counter)?;
        Some(Reading { at: sample.at, wh })
    })
}

/// What flowed between readings in order of time. A jump (a fall, or a rise beyond 100 kW) adds nothing: when the
/// counter is back within 15 minutes the readings between were a glitch, else it was reset and goes on from there.
pub fn flows(readings: &[Reading]) -> Vec<Flow> {
    let mut flows = Vec::with_capacity(readings.len());
    let mut place = trusted_start(readings);
    while let Some(&last) = readings.get(place) {
        let Some(&next) = readings.get(place + 1) else {
            break;
        };
        place = if last.leads_to(next) {
            place + 1
        } else {
            let back = readings[place + 2..]
                .iter()
                .take_while(|reading| reading.at <= next.at + GLITCH)
                .position(|reading| last.leads_to(*reading));
            match back {
                Some(after) => place + 2 + after,
                None => {
                    place += 1;
                    continue;
                }
            }
        };
        flows.push(Flow {
            from: last.at,
            to: readings[place].at,
            wh: readings[place].wh - last.wh,
        });
    }
    flows
}

/// Where to begin: the first reading of the level that most of the first 15 minutes agree with, so that the answer does
/// not depend on a glitch that happens to come first.
fn trusted_start(readings: &[Reading]) -> usize {
    let Some(first) = readings.first() else {
        return 0;
    };
    let window = readings.partition_point(|reading| reading.at <= first.at + GLITCH);
    let window = &readings[..window];
    if window.windows(2).all(|pair| pair[0].leads_to(pair[1])) {
        return 0;
    }
    let agreeing = |place: usize| {
        let candidate = window[place];
        let later = &window[place + 1..];
        later
            .iter()
            .filter(|next| candidate.leads_to(**next))
            .count()
    };
    // Of equals the earliest, which `max_by_key` would give last.
    (0..window.len())
        .rev()
        .max_by_key(|place| agreeing(*place))
        .unwrap_or(0)
}

/// The energy of each bucket between neighbouring edges; `None` where nothing was measured.
pub fn placed(flows: &[Flow], edges: &[Millis]) -> Vec<Option<i64>> {
    let mut buckets = vec![None; edges.len().saturating_sub(1)];
    for flow in flows.iter().filter(|flow| flow.is_placed()) {
        let first = edges.partition_point(|edge| *edge <= flow.from);
        for bucket in first.saturating_sub(1)..buckets.len() {
            let (start, end) = (edges[bucket], edges[bucket + 1]);
            // A flow of no duration belongs to the bucket that begins with it.
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

/// What flowed in gaps that end within `span`; `None` without such a gap.
pub fn unplaced(flows: &[Flow], span: &Range<Millis>) -> Option<i64> {
    flows
        .iter()
        .filter(|flow| !flow.is_placed() && span.contains(&flow.to))
        .map(|flow| flow.wh)
        .reduce(|sum, wh| sum + wh)
}

/// Placed and unplaced together: missing only when both are.
pub fn total(placed: &[Option<i64>], unplaced: Option<i64>) -> Option<i64> {
    placed
        .iter()
        .copied()
        .chain([unplaced])
        .flatten()
        .reduce(|sum, wh| sum + wh)
}

/// A day's energy as it grows, one sample after the other. Samples that come late are left to the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pub span: Range<Millis>,
    /// In the order of [`Counter::ALL`], unplaced included.
    pub energy: [Option<i64>; 5],
    /// The newest reading that was believed.
    last: [Option<Reading>; 5],
    /// The first reading of a level that does not follow, until 15 minutes have shown what it was.
    astray: [Option<Reading>; 5],
}

impl Tally {
    pub fn new(span: Range<Millis>) -> Self {
        Self {
            span,
            energy: [None; 5],
            last: [None; 5],
            astray: [None; 5],
        }
    }

    /// The day so far from its samples in order, with those of the time before it.
    pub fn of(span: Range<Millis>, samples: &[Sample]) -> Self {
        let mut tally = Self::new(span);
        for sample in samples {
            tally.add(sample);
        }
        tally
    }

    /// Goes on with another day.
    pub fn turn_to(&mut self, span: Range<Millis>) {
        self.span = span;
        self.energy = [None; 5];
    }

    pub fn add(&mut self, sample: &Sample) {
        for counter in Counter::ALL {
            if let Some(wh) = sample.counter(counter) {
                self.read(counter as usize, Reading { at: sample.at, wh });
            }
        }
    }

    fn read(&mut self, counter: usize, reading: Reading) {
        let Some(last) = self.last[counter] else {
            self.last[counter] = Some(reading);
            return;
        };
        if reading.at < last.at {
            return;
        }
        if last.leads_to(reading) {
            self.flow(counter, last, reading);
            return;
        }
        match self.astray[counter] {
            None => self.astray[counter] = Some(reading),
            Some(first) if reading.at - first.at > GLITCH => {
                if first.leads_to(reading) {
                    self.flow(counter, first, reading);
                } else {
                    self.last[counter] = Some(reading);
                    self.astray[counter] = None;
                }
            }
            Some(_) => {}
        }
    }

    fn flow(&mut self, counter: usize, from: Reading, to: Reading) {
        self.last[counter] = Some(to);
        self.astray[counter] = None;
        let flow = Flow {
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
