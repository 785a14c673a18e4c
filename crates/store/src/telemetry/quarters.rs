//! The quarter-hours of a sealed day: sums, counts and energy, so that a month of them is read without its samples.
use super::aggregate::{Aggregate, Gauge};
use super::codec;
use super::columns::{Columns, MISSING};
use super::measured::Measured;
use super::totals::Totals;
use super::varint::{self, Reader};
use crate::Result;
use domain::clock::{MINUTE, Millis};
use domain::energy;
use domain::sample::Counter;
use std::ops::Range;

pub(super) const QUARTER: Millis = 15 * MINUTE;
const VERSION: u8 = 2;
const WHAT: &str = "sealed_days.quarters";
/// More than the longest day has.
const AT_MOST: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quarters {
    /// The oldest reading that the energy was counted from.
    pub(super) since: Millis,
    /// Without their extremes, which are seldom asked for and would take twice the room.
    pub(super) gauges: [Vec<Aggregate>; Gauge::COUNT],
    pub(super) energy: [Vec<Option<i64>>; 5],
}

/// Where the quarter-hours of a day begin, and where the last one ends.
pub(super) fn edges(day: &Range<Millis>) -> Vec<Millis> {
    let starts = (0..).map(|n| day.start + n * QUARTER);
    let starts = starts.take_while(|start| *start < day.end);
    starts.chain([day.end]).collect()
}

impl Quarters {
    pub(super) fn of(day: &Measured, columns: &Columns, totals: &Totals, phase: u8) -> Self {
        let start = day.span.start;
        let edges = edges(&day.span);
        let count = edges.len() - 1;
        let gauges = Gauge::ALL.map(|gauge| {
            let mut buckets = vec![Aggregate::default(); count];
            gauge.fill(columns, phase, start, QUARTER, &mut buckets);
            for bucket in &mut buckets {
                (bucket.min, bucket.max) = (0, 0);
            }
            buckets
        });
        Self {
            since: start - totals.lead,
            gauges,
            energy: Counter::ALL.map(|counter| energy::placed(&day.flows(counter), &edges)),
        }
    }

    pub(super) fn encode(&self, start: Millis) -> Result<Vec<u8>> {
        let mut out = vec![VERSION];
        let count = self.energy[0].len();
        varint::put(&mut out, count as u64);
        varint::put_signed(&mut out, start - self.since);
        let mut content = Vec::with_capacity(count * 16);
        for gauge in Gauge::ALL {
            let buckets = &self.gauges[gauge as usize];
            let counts: Vec<i64> = buckets.iter().map(|b| i64::from(b.count)).collect();
            let sums = buckets.iter().enumerate();
            let sums: Vec<i64> = sums
                .map(|(place, bucket)| bucket.sum.wrapping_sub(self.expected(gauge, place)))
                .collect();
            codec::put_column(&mut content, &counts);
            codec::put_column(&mut content, &sums);
        }
        for (counter, energy) in Counter::ALL.into_iter().zip(&self.energy) {
            let values = energy.iter().enumerate();
            let values: Vec<i64> = values
                .map(|(place, wh)| wh.map_or(MISSING, |wh| wh - self.flowed(counter, place)))
                .collect();
            codec::put_column(&mut content, &values);
        }
        codec::compress(&mut out, &content)?;
        Ok(out)
    }

    /// The house is PV + grid + battery, unless one of them was missing at times.
    fn expected(&self, gauge: Gauge, place: usize) -> i64 {
        if gauge != Gauge::House {
            return 0;
        }
        [Gauge::Pv, Gauge::Grid, Gauge::Battery]
            .into_iter()
            .filter_map(|part| self.gauges[part as usize].get(place))
            .fold(0, |sum, part| sum.wrapping_add(part.sum))
    }

    /// About what the counter counts at the quarter's mean power, in Wh: only what it misses by is kept.
    fn flowed(&self, counter: Counter, place: usize) -> i64 {
        let (gauge, sign) = match counter {
            Counter::Import => (Gauge::Grid, 1),
            Counter::FeedIn => (Gauge::Grid, -1),
            Counter::Pv => (Gauge::Pv, 1),
            Counter::Charge => (Gauge::Battery, -1),
            Counter::Discharge => (Gauge::Battery, 1),
        };
        let bucket = self.gauges[gauge as usize].get(place);
        let (sum, count) = bucket.map_or((0, 0), |bucket| (bucket.sum, i64::from(bucket.count)));
        const QUARTERS_PER_HOUR: i64 = 4;
        (sign * sum).max(0) / (count * QUARTERS_PER_HOUR).max(1)
    }

    pub(super) fn decode(packed: &[u8], start: Millis) -> Result<Self> {
        let mut reader = Reader::new(packed, WHAT);
        if reader.byte()? != VERSION {
            return Err(reader.damaged());
        }
        let count: usize = reader.number()?;
        if count > AT_MOST {
            return Err(reader.damaged());
        }
        let since = start.wrapping_sub(reader.signed()?);
        let content = codec::decompress(reader.rest(), count, 2 * Gauge::COUNT + 5)?;
        let mut reader = Reader::new(&content, WHAT);
        let mut quarters = Self {
            since,
            gauges: Default::default(),
            energy: Default::default(),
        };
        for gauge in Gauge::ALL {
            let counts = codec::take_column(&mut reader, count)?;
            let sums = codec::take_column(&mut reader, count)?;
            let mut buckets = Vec::with_capacity(count);
            for (place, (number, sum)) in counts.into_iter().zip(sums).enumerate() {
                let sum = sum.wrapping_add(quarters.expected(gauge, place));
                // A sum that no day can reach would overflow when it is added up.
                if sum.unsigned_abs() > 1 << 50 {
                    return Err(reader.damaged());
                }
                buckets.push(Aggregate {
                    sum,
                    count: u32::try_from(number).map_err(|_| reader.damaged())?,
                    min: 0,
                    max: 0,
                });
            }
            quarters.gauges[gauge as usize] = buckets;
        }
        for counter in Counter::ALL {
            let mut energy = Vec::with_capacity(count);
            for (place, value) in codec::take_column(&mut reader, count)?
                .into_iter()
                .enumerate()
            {
                let known = value != MISSING;
                let wh = value.wrapping_add(quarters.flowed(counter, place));
                if known && !(0..1 << 50).contains(&wh) {
                    return Err(reader.damaged());
                }
                energy.push(known.then_some(wh));
            }
            quarters.energy[counter as usize] = energy;
        }
        Ok(quarters)
    }
}
