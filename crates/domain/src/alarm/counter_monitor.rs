//! Compares counters with powers: energy that flows must be counted.
use crate::Sample;
use crate::clock::{MINUTE, Millis};
use crate::sample::Counter;

/// Less power than this may be noise.
pub const MIN_FLOW_W: i32 = 100;
/// A counter has stopped if it does not move while at least [`MIN_FLOW_W`] flows for this long: it missed 50 Wh or more.
pub const COUNTER_STOPPED_AFTER: Millis = 30 * MINUTE;
/// Samples further apart do not show what flowed between them.
const MAX_SAMPLE_GAP: Millis = 3 * MINUTE;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CounterState {
    reading: Option<i64>,
    /// How long energy has flowed since the reading last changed.
    flowed_for: Millis,
    /// The reading has changed at least once.
    moved: bool,
}

/// The five counters of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CounterMonitor {
    last: Option<Sample>,
    counters: [CounterState; 5],
}

impl CounterMonitor {
    /// Adds a sample; ignores it unless it is newer than the last one.
    pub(super) fn add(&mut self, sample: &Sample) {
        let step = match &self.last {
            Some(last) if last.order() >= sample.order() => return,
            Some(last) => sample.at - last.at,
            None => 0,
        };
        let step = if step > MAX_SAMPLE_GAP { 0 } else { step };
        for counter in Counter::ALL {
            let before = self.last.as_ref().is_some_and(|last| flows(counter, last));
            let state = &mut self.counters[counter as usize];
            let Some(reading) = sample.counter(counter) else {
                // A meter that does not answer has no reading; `MeterError` covers that.
                *state = CounterState::default();
                continue;
            };
            match state.reading.replace(reading) {
                Some(known) if known == reading => {
                    if before && flows(counter, sample) {
                        state.flowed_for += step;
                    }
                }
                known => {
                    state.flowed_for = 0;
                    state.moved |= known.is_some();
                }
            }
        }
        self.last = Some(*sample);
    }

    /// The first counter that has stopped.
    pub(super) fn stopped(&self) -> Option<Counter> {
        let has_stopped =
            |counter: &Counter| self.state_of(*counter).flowed_for >= COUNTER_STOPPED_AFTER;
        Counter::ALL.into_iter().find(has_stopped)
    }

    /// Whether this counter was seen to move and has not stopped since.
    pub(super) fn counts(&self, counter: Counter) -> bool {
        let state = self.state_of(counter);
        state.moved && state.flowed_for < COUNTER_STOPPED_AFTER
    }

    fn state_of(&self, counter: Counter) -> &CounterState {
        &self.counters[counter as usize]
    }
}

/// Whether energy flows that this counter should count.
fn flows(counter: Counter, sample: &Sample) -> bool {
    let power = match counter {
        Counter::Import => sample.grid_power,
        Counter::FeedIn => sample.grid_power.map(|power| -power),
        Counter::Pv => sample.pv_power,
        Counter::Charge => sample.battery_power.map(|power| -power),
        Counter::Discharge => sample.battery_power,
    };
    power.is_some_and(|power| power >= MIN_FLOW_W)
}
