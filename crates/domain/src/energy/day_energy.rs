//! The energy of the current day in memory: the same result as from all readings at once, sample by sample.
use super::{EnergyFlow, MAX_GLITCH, Reading};
use crate::clock::Millis;
use crate::sample::{Counter, Sample};
use std::ops::Range;

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

    pub(super) fn read(&mut self, counter: usize, reading: Reading) {
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
