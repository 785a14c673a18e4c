//! The measurements of a site by quarter-hours, as far back as forecasts need them.
use crate::{QUARTER, QUARTERS_A_DAY};
use domain::Zone;
use domain::clock::Millis;

/// One site, in W. `load` and `pv` end now; `weather` also covers the future.
#[derive(Clone, Debug)]
pub struct History {
    pub start: Millis,
    pub load: Vec<Option<f64>>,
    pub pv: Vec<Option<f64>>,
    /// The yield of a plant of any fixed size according to the weather forecast, as last issued before each quarter-hour.
    pub weather: Vec<Option<f64>>,
    /// The site's UTC offset in quarter-hours; covers the past and two more days.
    offset: Vec<i8>,
}

/// The past as known at one moment: it contains nothing newer.
#[derive(Clone, Copy, Debug)]
pub struct KnownHistory<'a> {
    pub load: &'a [Option<f64>],
    pub pv: &'a [Option<f64>],
    pub weather: &'a [Option<f64>],
    offset: &'a [i8],
    start: Millis,
}

impl History {
    pub fn new(start: Millis, zone: &Zone, load: Vec<Option<f64>>, pv: Vec<Option<f64>>) -> Self {
        let long = load.len() + super::FORECAST_QUARTERS + 1;
        let offset = (0..long).map(|n| {
            let minutes = zone.offset_minutes(start + n as Millis * QUARTER);
            i8::try_from(minutes / 15).unwrap_or(0)
        });
        Self {
            start,
            offset: offset.collect(),
            load,
            pv,
            weather: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_weather(mut self, weather: Vec<Option<f64>>) -> Self {
        self.weather = weather;
        self
    }

    /// What was known after the first `now` quarter-hours.
    pub fn until(&self, now: usize) -> KnownHistory<'_> {
        let now = now.min(self.load.len()).min(self.pv.len());
        let weather_end = self.weather.len().min(now + super::FORECAST_QUARTERS);
        KnownHistory {
            load: &self.load[..now],
            pv: &self.pv[..now],
            weather: &self.weather[..weather_end],
            offset: &self.offset,
            start: self.start,
        }
    }
}

impl<'a> KnownHistory<'a> {
    /// The first quarter-hour that is not measured yet.
    pub fn now(&self) -> usize {
        self.load.len()
    }

    pub fn time(&self, quarter: usize) -> Millis {
        self.start + quarter as Millis * QUARTER
    }

    /// What was known earlier.
    pub(crate) fn until(&self, now: usize) -> Self {
        let now = now.min(self.load.len());
        Self {
            load: &self.load[..now],
            pv: &self.pv[..now],
            weather: &self.weather[..self.weather.len().min(now + super::FORECAST_QUARTERS)],
            ..*self
        }
    }

    /// The same local time some days earlier. Habits follow local time, also when daylight saving time begins or ends.
    pub(crate) fn days_before(&self, quarter: usize, days: usize) -> Option<usize> {
        let back = quarter.checked_sub(days * QUARTERS_A_DAY)?;
        let shift = self.offset_at(quarter) - self.offset_at(back);
        back.checked_add_signed(shift)
    }

    fn offset_at(&self, quarter: usize) -> isize {
        let last = self.offset.last();
        self.offset
            .get(quarter)
            .or(last)
            .map_or(0, |offset| isize::from(*offset))
    }

    /// The quarter-hour of the site's day.
    pub(crate) fn quarter_of_day(&self, quarter: usize) -> usize {
        let utc = self.time(quarter).div_euclid(QUARTER) as isize;
        (utc + self.offset_at(quarter)).rem_euclid(QUARTERS_A_DAY as isize) as usize
    }

    /// Saturday or Sunday.
    pub(crate) fn is_weekend(&self, quarter: usize) -> bool {
        let utc = self.time(quarter).div_euclid(QUARTER) as isize;
        let day = (utc + self.offset_at(quarter)).div_euclid(QUARTERS_A_DAY as isize);
        // 1970-01-01 was a Thursday.
        matches!((day + 3).rem_euclid(7), 5 | 6)
    }
}

/// The mean of the known values.
pub(crate) fn mean(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values.into_iter().flatten() {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-03-30 00:00 UTC: the clocks go forward on the next day at 01:00 UTC.
    const BEFORE_SUMMER: Millis = 1_711_756_800_000;

    fn history(days: usize) -> History {
        let known = vec![Some(1.0); days * QUARTERS_A_DAY];
        History::new(BEFORE_SUMMER, &Zone::default(), known.clone(), known)
    }

    #[test]
    fn the_same_time_of_another_day_is_that_of_the_sites_clock() {
        let history = history(4);
        let past = history.until(4 * 96);
        // 12:00 UTC is 13:00 in winter and 14:00 in summer.
        assert_eq!(past.quarter_of_day(48), 52);
        assert_eq!(past.quarter_of_day(2 * 96 + 48), 56);
        let before = past.days_before(2 * 96 + 48, 2).unwrap();
        assert_eq!(past.quarter_of_day(before), 56);
        assert_eq!(before, 52);
        assert_eq!(past.days_before(10, 1), None);
    }

    #[test]
    fn nothing_younger_than_its_moment_is_in_the_past() {
        let history = history(4).with_weather(vec![Some(1.0); 6 * 96]);
        let past = history.until(96);
        assert_eq!(
            (past.now(), past.pv.len(), past.weather.len()),
            (96, 96, 96 + super::super::FORECAST_QUARTERS)
        );
        assert_eq!(past.until(200).now(), 96);
    }

    #[test]
    fn saturday_and_sunday_are_a_weekend_on_the_sites_clock() {
        let history = history(3);
        let past = history.until(3 * 96);
        // A Saturday, which began an hour before midnight UTC; the Monday begins at 22:00 UTC on Sunday.
        assert!(past.is_weekend(0) && past.is_weekend(96));
        assert!(past.is_weekend(96 + 87) && !past.is_weekend(96 + 88));
    }
}
