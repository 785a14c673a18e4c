//! The quarter-hours of a sealed day: sums, counts and energy. A chart of a month needs no samples.
use crate::aggregate::{Aggregate, Gauge};
use crate::codec::{self, Content, Effort};
use crate::columns::{Columns, MISSING};
use crate::day_context::DayWithContext;
use crate::totals::Totals;
use crate::varint::{self, ByteReader};
use db::Result;
use domain::clock::{MINUTE, Millis};
use domain::energy;
use domain::sample::Counter;
use std::ops::Range;

pub(crate) const QUARTER: Millis = 15 * MINUTE;
const VERSION: u8 = 2;
const DB_COLUMN: &str = "sealed_days.quarters";
/// More than the longest day has.
const MAX_QUARTERS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quarters {
    /// The time of the oldest reading that the energy was computed from.
    pub(crate) counted_from: Millis,
    /// Without extremes, which are seldom needed and would double the size.
    pub(crate) gauges: [Vec<Aggregate>; Gauge::COUNT],
    pub(crate) energy: [Vec<Option<i64>>; 5],
}

/// The starts of a day's quarter-hours, and the end of the last one.
pub(crate) fn edges(day: &Range<Millis>) -> Vec<Millis> {
    let starts = (0..).map(|n| day.start + n * QUARTER);
    let starts = starts.take_while(|start| *start < day.end);
    starts.chain([day.end]).collect()
}

impl Quarters {
    pub(crate) fn of(day: &DayWithContext, columns: &Columns, totals: &Totals, phase: u8) -> Self {
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
            counted_from: start - totals.lead,
            gauges,
            energy: Counter::ALL.map(|counter| energy::placed(&day.flows(counter), &edges)),
        }
    }

    pub(crate) fn encode(&self, start: Millis) -> Result<Vec<u8>> {
        let mut out = vec![VERSION];
        let count = self.energy[0].len();
        varint::put(&mut out, count as u64);
        varint::put_signed(&mut out, start - self.counted_from);
        let mut content = Content::with_capacity(count * 16);
        for gauge in Gauge::ALL {
            let buckets = &self.gauges[gauge as usize];
            let counts: Vec<i64> = buckets.iter().map(|b| i64::from(b.count)).collect();
            let sums = buckets.iter().enumerate();
            let sums: Vec<i64> = sums
                .map(|(place, bucket)| bucket.sum.wrapping_sub(self.expected_sum(gauge, place)))
                .collect();
            codec::encode_column(&mut content, &counts);
            codec::encode_column(&mut content, &sums);
        }
        for (counter, energy) in Counter::ALL.into_iter().zip(&self.energy) {
            let values = energy.iter().enumerate();
            let values: Vec<i64> = values
                .map(|(place, wh)| {
                    wh.map_or(MISSING, |wh| wh - self.expected_energy(counter, place))
                })
                .collect();
            codec::encode_column(&mut content, &values);
        }
        content.compress(&mut out, Effort::Small)?;
        Ok(out)
    }

    /// The house is PV + grid + battery, unless one of them was missing at times. Only the difference is stored.
    fn expected_sum(&self, gauge: Gauge, place: usize) -> i64 {
        if gauge != Gauge::House {
            return 0;
        }
        [Gauge::Pv, Gauge::Grid, Gauge::Battery]
            .into_iter()
            .filter_map(|part| self.gauges[part as usize].get(place))
            .fold(0, |sum, part| sum.wrapping_add(part.sum))
    }

    /// The energy at the quarter's mean power, in Wh. Only the difference is stored.
    fn expected_energy(&self, counter: Counter, place: usize) -> i64 {
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

    pub(crate) fn decode(packed: &[u8], start: Millis) -> Result<Self> {
        let mut reader = ByteReader::new(packed, DB_COLUMN);
        if reader.byte()? != VERSION {
            return Err(reader.damaged());
        }
        let count: usize = reader.number()?;
        if count > MAX_QUARTERS {
            return Err(reader.damaged());
        }
        let counted_from = start.wrapping_sub(reader.signed()?);
        let content = codec::decompress(reader.rest(), count, 2 * Gauge::COUNT + 5)?;
        let mut reader = content.reader(DB_COLUMN);
        let mut quarters = Self {
            counted_from,
            gauges: Default::default(),
            energy: Default::default(),
        };
        for gauge in Gauge::ALL {
            let counts = codec::decode_column(&mut reader, count)?;
            let sums = codec::decode_column(&mut reader, count)?;
            let mut buckets = Vec::with_capacity(count);
            for (place, (number, sum)) in counts.into_iter().zip(sums).enumerate() {
                let sum = sum.wrapping_add(quarters.expected_sum(gauge, place));
                // No day reaches such a sum, and adding several up could overflow.
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
            for (place, value) in codec::decode_column(&mut reader, count)?
                .into_iter()
                .enumerate()
            {
                let known = value != MISSING;
                let wh = value.wrapping_add(quarters.expected_energy(counter, place));
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
