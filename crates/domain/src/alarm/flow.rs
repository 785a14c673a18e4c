//! Counters against powers: energy that flows must be counted.
use crate::Sample;
use crate::clock::{MINUTE, Millis};
use crate::sample::Counter;

/// Less than so many W may be noise.
pub const FLOWING: i32 = 100;
/// A counter that has stood still for so long, while that much flowed, has stopped: it missed 50 Wh at least.
pub const STANDS_FOR: Millis = 30 * MINUTE;
/// Samples further apart say nothing about what flowed between them.
const GAP: Millis = 3 * MINUTE;

/// One counter over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Standing {
    reading: Option<i64>,
    /// How long energy has flowed since the reading moved.
    flowed_for: Millis,
    /// It has been seen to move.
    moved: bool,
}

/// The five counters of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    last: Option<Sample>,
    counters: [Standing; 5],
}

impl Flow {
    /// Takes a sample if it is newer than the last one.
    pub(super) fn take(&mut self, sample: &Sample) {
        let step = match &self.last {
            Some(last) if last.order() >= sample.order() => return,
            Some(last) => sample.at - last.at,
            None => 0,
        };
        let step = if step > GAP { 0 } else { step };
        for counter in Counter::ALL {
            let before = self.last.as_ref().is_some_and(|last| flows(counter, last));
            let standing = &mut self.counters[counter as usize];
            let Some(reading) = sample.counter(counter) else {
                // A meter that is silent counts nothing: that is another matter.
                *standing = Standing::default();
                continue;
            };
            match standing.reading.replace(reading) {
                Some(known) if known == reading => {
                    if before && flows(counter, sample) {
                        standing.flowed_for += step;
                    }
                }
                known => {
                    standing.flowed_for = 0;
                    standing.moved |= known.is_some();
                }
            }
        }
        self.last = Some(*sample);
    }

    /// The first counter that has stopped.
    pub(super) fn stopped(&self) -> Option<Counter> {
        let stands = |counter: &Counter| self.of(*counter).flowed_for >= STANDS_FOR;
        Counter::ALL.into_iter().find(stands)
    }

    /// Whether this counter counts, as far as anybody has seen.
    pub(super) fn counts(&self, counter: Counter) -> bool {
        let standing = self.of(counter);
        standing.moved && standing.flowed_for < STANDS_FOR
    }

    fn of(&self, counter: Counter) -> &Standing {
        &self.counters[counter as usize]
    }
}

/// Whether energy flows that this counter counts.
fn flows(counter: Counter, sample: &Sample) -> bool {
    let power = match counter {
        Counter::Import => sample.grid_power,
        Counter::FeedIn => sample.grid_power.map(|power| -power),
        Counter::Pv => sample.pv_power,
        Counter::Charge => sample.battery_power.map(|power| -power),
        Counter::Discharge => sample.battery_power,
    };
    power.is_some_and(|power| power >= FLOWING)
}
