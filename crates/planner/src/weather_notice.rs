//! The bad-weather notice: the battery may stay empty for long, and its main switch should stay on.
use crate::forecast::{FORECAST_QUARTERS, Forecast};
use crate::{BatteryModel, HOURS_PER_QUARTER, Mode, QUARTERS_A_DAY};
use domain::clock::{DAY, Millis};

/// Twelve hours at the floor within two days.
const MIN_EMPTY_QUARTERS: usize = 12 * 4;
/// Both days have to yield less than this share of a usual day.
const DARK_DAY_SHARE: f64 = 0.25;
/// How near the floor counts as at the floor, as a share of the capacity.
const FLOOR_TOLERANCE: f64 = 0.01;
/// How many forecasts in a row have to disagree before the notice is cleared.
const ISSUES_TO_CLEAR: u8 = 2;

/// Whether a forecast predicts bad weather. With P10 sun the battery is at its floor for twelve hours or more, and both days are
/// expected to yield less than a quarter of a usual day. `usual` is the median daily yield of the last 30 days, in kWh.
pub fn is_bad_weather(
    forecast: &Forecast,
    battery: &BatteryModel,
    stored: f64,
    usual: f64,
) -> bool {
    if forecast.pv.len() < FORECAST_QUARTERS || forecast.load.len() < FORECAST_QUARTERS {
        return false;
    }
    let dark = forecast.pv.chunks(QUARTERS_A_DAY).take(2).all(|day| {
        let kwh: f64 = day
            .iter()
            .map(|band| band.p50 / 1000.0 * HOURS_PER_QUARTER)
            .sum();
        kwh < DARK_DAY_SHARE * usual
    });
    let nets = forecast.load.iter().zip(&forecast.pv);
    let nets = nets.map(|(load, pv)| (load.p50 - pv.p10) / 1000.0 * HOURS_PER_QUARTER);
    dark && at_floor(battery, stored_path(battery, stored, nets)) >= MIN_EMPTY_QUARTERS
}

fn stored_path(
    battery: &BatteryModel,
    stored: f64,
    nets: impl Iterator<Item = f64>,
) -> impl Iterator<Item = f64> {
    nets.scan(stored, |stored, net| {
        *stored = battery
            .step(*stored, Mode::SelfUse, net, HOURS_PER_QUARTER, None)
            .stored;
        Some(*stored)
    })
}

/// How many quarter-hours end with the battery at its floor.
fn at_floor(battery: &BatteryModel, stored_path: impl Iterator<Item = f64>) -> usize {
    let near = battery.floor + FLOOR_TOLERANCE * battery.capacity;
    stored_path.filter(|stored| *stored <= near).count()
}

/// The notice of one system, and how often notices were right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoticeTracker {
    raised: Option<RaisedNotice>,
    pub hits: u32,
    pub false_alarms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RaisedNotice {
    at: Millis,
    disagreed: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeChange {
    Raised,
    Cleared,
}

impl NoticeTracker {
    /// From stored values: when it was raised, how many forecasts in a row have disagreed, and how often notices were right.
    pub fn restore(raised: Option<(Millis, u8)>, hits: u32, false_alarms: u32) -> Self {
        Self {
            raised: raised.map(|(at, disagreed)| RaisedNotice { at, disagreed }),
            hits,
            false_alarms,
        }
    }

    /// When it was raised, and how many forecasts in a row have disagreed.
    pub fn raised(&self) -> Option<(Millis, u8)> {
        self.raised.map(|raised| (raised.at, raised.disagreed))
    }

    pub fn is_raised(&self) -> bool {
        self.raised.is_some()
    }

    /// The end of the two days for which it was raised; then it can be evaluated.
    pub fn over_at(&self) -> Option<Millis> {
        self.raised.map(|raised| raised.at + 2 * DAY)
    }

    /// Called after each new forecast.
    pub fn update(&mut self, at: Millis, bad: bool) -> Option<NoticeChange> {
        match (&mut self.raised, bad) {
            (None, true) => {
                self.raised = Some(RaisedNotice { at, disagreed: 0 });
                Some(NoticeChange::Raised)
            }
            (None, false) => None,
            (Some(raised), true) => {
                raised.disagreed = 0;
                None
            }
            (Some(raised), false) => {
                raised.disagreed += 1;
                if raised.disagreed < ISSUES_TO_CLEAR {
                    return None;
                }
                // The predicted bad weather is no longer expected.
                self.raised = None;
                self.false_alarms += 1;
                Some(NoticeChange::Cleared)
            }
        }
    }

    /// Called two days after it was raised: was the battery at its floor for as long as predicted? `measured` is the stored
    /// energy at the end of each quarter-hour, in kWh.
    pub fn evaluate(&mut self, battery: &BatteryModel, measured: &[f64]) -> Option<NoticeChange> {
        self.raised.take()?;
        if at_floor(battery, measured.iter().copied()) >= MIN_EMPTY_QUARTERS {
            self.hits += 1;
        } else {
            self.false_alarms += 1;
        }
        Some(NoticeChange::Cleared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Band;
    use crate::battery::tests::ten_kwh;

    /// Two days with a bell curve of sun between 8 and 16 o'clock, in kWh per day, and a load of 400 W.
    fn forecast(p10: f64, p50: f64) -> Forecast {
        let pv = (0..FORECAST_QUARTERS).map(|quarter| {
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
            load: vec![Band::certain(400.0); FORECAST_QUARTERS],
            pv: pv.collect(),
        }
    }

    #[test]
    fn it_needs_an_empty_battery_and_two_dark_days() {
        let battery = ten_kwh();
        assert!(is_bad_weather(&forecast(0.5, 2.0), &battery, 3.0, 12.0));
        // Usual days are not much brighter here.
        assert!(!is_bad_weather(&forecast(0.5, 2.0), &battery, 3.0, 7.0));
        // Dark compared with usual days, but even P10 sun keeps the battery above its floor.
        assert!(!is_bad_weather(&forecast(9.0, 9.5), &battery, 9.0, 40.0));
        // A full battery and a low load.
        let mut little = forecast(0.5, 2.0);
        little.load = vec![Band::certain(150.0); FORECAST_QUARTERS];
        assert!(!is_bad_weather(&little, &battery, 10.0, 12.0));
        let short = Forecast {
            load: Vec::new(),
            ..forecast(0.5, 2.0)
        };
        assert!(!is_bad_weather(&short, &battery, 3.0, 12.0));
    }

    #[test]
    fn one_bright_day_is_enough_to_be_silent() {
        let mut brighter = forecast(0.5, 2.0);
        for band in &mut brighter.pv[QUARTERS_A_DAY..] {
            band.p50 *= 2.0;
        }
        assert!(!is_bad_weather(&brighter, &ten_kwh(), 3.0, 12.0));
    }

    #[test]
    fn two_issues_in_a_row_take_it_back() {
        let mut notice = NoticeTracker::default();
        assert_eq!(notice.update(0, false), None);
        assert_eq!(notice.update(1, true), Some(NoticeChange::Raised));
        assert_eq!(notice.update(2, true), None);
        assert_eq!(notice.update(3, false), None);
        assert_eq!(notice.update(4, true), None);
        assert_eq!(notice.update(5, false), None);
        assert!(notice.is_raised());
        assert_eq!(notice.update(6, false), Some(NoticeChange::Cleared));
        assert!(!notice.is_raised());
        assert_eq!((notice.hits, notice.false_alarms), (0, 1));
    }

    #[test]
    fn after_two_days_it_was_right_or_not() {
        let battery = ten_kwh();
        let mut notice = NoticeTracker::default();
        assert_eq!(notice.evaluate(&battery, &[0.5; 192]), None);
        notice.update(0, true);
        assert_eq!(notice.over_at(), Some(2 * DAY));
        let mut measured = vec![5.0; 144];
        measured.extend([0.55; 48]);
        assert_eq!(
            notice.evaluate(&battery, &measured),
            Some(NoticeChange::Cleared)
        );
        notice.update(0, true);
        notice.evaluate(&battery, &measured[..190]);
        assert_eq!((notice.hits, notice.false_alarms), (1, 1));
    }
}
