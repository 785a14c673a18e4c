//! The bad-weather notice: the battery may stay empty for long, and its main switch should stay on.
use crate::forecast::{AHEAD, Forecast};
use crate::{Battery, HOURS, Mode, QUARTERS_A_DAY};
use domain::clock::{DAY, Millis};

/// So many quarter-hours at the floor within two days.
const LONG_EMPTY: usize = 12 * 4;
/// Both days bring less than this part of a usual one.
const DARK: f64 = 0.25;
/// So near the floor it is at it, in parts of the capacity.
const NEAR: f64 = 0.01;
/// So many issues in a row have to see it differently before it is taken back.
const DISAGREE: u8 = 2;

/// Whether one issue of the forecasts sees bad weather: with as little sun as one day in ten brings the battery is at its floor for
/// twelve hours or more, and neither day is expected to bring a quarter of what the last 30 days did. `usual` is the median of their
/// energies, in kWh.
pub fn is_bad(forecast: &Forecast, battery: &Battery, stored: f64, usual: f64) -> bool {
    if forecast.pv.len() < AHEAD || forecast.load.len() < AHEAD {
        return false;
    }
    let dark = forecast.pv.chunks(QUARTERS_A_DAY).take(2).all(|day| {
        let kwh: f64 = day.iter().map(|band| band.p50 / 1000.0 * HOURS).sum();
        kwh < DARK * usual
    });
    let nets = forecast.load.iter().zip(&forecast.pv);
    let nets = nets.map(|(load, pv)| (load.p50 - pv.p10) / 1000.0 * HOURS);
    dark && at_floor(battery, charges(battery, stored, nets)) >= LONG_EMPTY
}

fn charges(
    battery: &Battery,
    stored: f64,
    nets: impl Iterator<Item = f64>,
) -> impl Iterator<Item = f64> {
    nets.scan(stored, |stored, net| {
        *stored = battery
            .step(*stored, Mode::SelfUse, net, HOURS, None)
            .stored;
        Some(*stored)
    })
}

/// How many quarter-hours end with the battery at its floor.
fn at_floor(battery: &Battery, charges: impl Iterator<Item = f64>) -> usize {
    let near = battery.floor + NEAR * battery.capacity;
    charges.filter(|stored| *stored <= near).count()
}

/// The notice of one system, and how often it was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    raised: Option<Raised>,
    pub hits: u32,
    pub false_alarms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Raised {
    at: Millis,
    disagreed: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Raised,
    Cleared,
}

impl Notice {
    /// As it was kept: since when it is up, how many issues in a row have seen it differently, and how often it was right.
    pub fn restore(raised: Option<(Millis, u8)>, hits: u32, false_alarms: u32) -> Self {
        Self {
            raised: raised.map(|(at, disagreed)| Raised { at, disagreed }),
            hits,
            false_alarms,
        }
    }

    /// Since when it is up, and how many issues in a row have seen it differently.
    pub fn raised(&self) -> Option<(Millis, u8)> {
        self.raised.map(|raised| (raised.at, raised.disagreed))
    }

    pub fn is_raised(&self) -> bool {
        self.raised.is_some()
    }

    /// When the two days are over for which it was raised, and it can be judged.
    pub fn over_at(&self) -> Option<Millis> {
        self.raised.map(|raised| raised.at + 2 * DAY)
    }

    /// After another issue of the forecasts.
    pub fn next(&mut self, at: Millis, bad: bool) -> Option<Change> {
        match (&mut self.raised, bad) {
            (None, true) => {
                self.raised = Some(Raised { at, disagreed: 0 });
                Some(Change::Raised)
            }
            (None, false) => None,
            (Some(raised), true) => {
                raised.disagreed = 0;
                None
            }
            (Some(raised), false) => {
                raised.disagreed += 1;
                if raised.disagreed < DISAGREE {
                    return None;
                }
                // It warned of what then was not to come.
                self.raised = None;
                self.false_alarms += 1;
                Some(Change::Cleared)
            }
        }
    }

    /// Two days after it was raised: whether the battery was at its floor for as long as it said, by what it measured at the end of each
    /// quarter-hour, in kWh.
    pub fn judge(&mut self, battery: &Battery, measured: &[f64]) -> Option<Change> {
        self.raised.take()?;
        if at_floor(battery, measured.iter().copied()) >= LONG_EMPTY {
            self.hits += 1;
        } else {
            self.false_alarms += 1;
        }
        Some(Change::Cleared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Band;
    use crate::battery::tests::ten_kwh;

    /// Two days with a bell of sun between 8 and 16 o'clock, in kWh a day, and a house of 400 W.
    fn forecast(p10: f64, p50: f64) -> Forecast {
        let pv = (0..AHEAD).map(|quarter| {
            let hours = (quarter % QUARTERS_A_DAY) as f64 / 4.0;
            let bell = (1.0 - ((hours - 12.0) / 4.0).powi(2)).max(0.0) * 1000.0 / 5.33;
            Band {
                p10: p10 * bell,
                p50: p50 * bell,
                p90: 2.0 * p50 * bell,
                mean: p50 * bell,
            }
        });
        Forecast {
            issued: 0,
            load: vec![Band::certain(400.0); AHEAD],
            pv: pv.collect(),
        }
    }

    #[test]
    fn it_needs_an_empty_battery_and_two_dark_days() {
        let battery = ten_kwh();
        assert!(is_bad(&forecast(0.5, 2.0), &battery, 3.0, 12.0));
        // A usual day is not much brighter here: nothing special.
        assert!(!is_bad(&forecast(0.5, 2.0), &battery, 3.0, 7.0));
        // Dark, but the sun of a bad day still keeps it off its floor.
        assert!(!is_bad(&forecast(9.0, 9.5), &battery, 9.0, 40.0));
        // Full and a house that uses little.
        let mut little = forecast(0.5, 2.0);
        little.load = vec![Band::certain(150.0); AHEAD];
        assert!(!is_bad(&little, &battery, 10.0, 12.0));
        let short = Forecast {
            load: Vec::new(),
            ..forecast(0.5, 2.0)
        };
        assert!(!is_bad(&short, &battery, 3.0, 12.0));
    }

    #[test]
    fn one_bright_day_is_enough_to_be_silent() {
        let mut brighter = forecast(0.5, 2.0);
        for band in &mut brighter.pv[QUARTERS_A_DAY..] {
            band.p50 *= 2.0;
        }
        assert!(!is_bad(&brighter, &ten_kwh(), 3.0, 12.0));
    }

    #[test]
    fn two_issues_in_a_row_take_it_back() {
        let mut notice = Notice::default();
        assert_eq!(notice.next(0, false), None);
        assert_eq!(notice.next(1, true), Some(Change::Raised));
        assert_eq!(notice.next(2, true), None);
        assert_eq!(notice.next(3, false), None);
        assert_eq!(notice.next(4, true), None);
        assert_eq!(notice.next(5, false), None);
        assert!(notice.is_raised());
        assert_eq!(notice.next(6, false), Some(Change::Cleared));
        assert!(!notice.is_raised());
        assert_eq!((notice.hits, notice.false_alarms), (0, 1));
    }

    #[test]
    fn after_two_days_it_was_right_or_not() {
        let battery = ten_kwh();
        let mut notice = Notice::default();
        assert_eq!(notice.judge(&battery, &[0.5; 192]), None);
        notice.next(0, true);
        assert_eq!(notice.over_at(), Some(2 * DAY));
        let mut measured = vec![5.0; 144];
        measured.extend([0.55; 48]);
        assert_eq!(notice.judge(&battery, &measured), Some(Change::Cleared));
        notice.next(0, true);
        notice.judge(&battery, &measured[..190]);
        assert_eq!((notice.hits, notice.false_alarms), (1, 1));
    }
}
