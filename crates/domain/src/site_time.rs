//! Days, months and years in the local time of a site: a day has 23, 24 or 25 hours.
use crate::clock::{HOUR, MINUTE, Millis};
use crate::series::{Interval, Resolution};
use jiff::civil::Date;
use jiff::fmt::rfc2822::DateTimePrinter;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use std::fmt;
use std::iter::successors;
use std::ops::Range;
use std::str::FromStr;

/// A calendar day in the site's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SiteDay(Date);

impl SiteDay {
    pub fn new(year: i16, month: i8, day: i8) -> Option<Self> {
        Date::new(year, month, day).ok().map(Self)
    }

    pub fn year(self) -> i16 {
        self.0.year()
    }

    pub fn month(self) -> i8 {
        self.0.month()
    }

    pub fn next(self) -> Self {
        Self(self.0.tomorrow().unwrap_or(Date::MAX))
    }

    pub fn plus(self, days: i32) -> Self {
        Self(self.0.saturating_add(days.days()))
    }

    pub fn each(days: Range<Self>) -> impl Iterator<Item = Self> {
        Self::points(days, Resolution::Day)
    }

    /// The first day of each point of a chart with a resolution of days or months.
    pub fn points(days: Range<Self>, resolution: Resolution) -> impl Iterator<Item = Self> {
        let next = move |day: &Self| match resolution {
            Resolution::Month => Some(day.next_month()),
            _ => Some(day.next()),
        };
        successors(Some(days.start), next).take_while(move |day| *day < days.end)
    }

    /// The form in the database: 20261115.
    pub fn number(self) -> i64 {
        i64::from(self.0.year()) * 10_000
            + i64::from(self.0.month()) * 100
            + i64::from(self.0.day())
    }

    pub fn from_number(number: i64) -> Option<Self> {
        let part = |value: i64| i8::try_from(value % 100).ok();
        let year = i16::try_from(number / 10_000).ok()?;
        Self::new(year, part(number / 100)?, part(number)?)
    }

    pub fn month_start(self) -> Self {
        Self(self.0.first_of_month())
    }

    pub fn year_start(self) -> Self {
        Self(self.0.first_of_year())
    }

    /// The Monday of its week.
    pub fn week_start(self) -> Self {
        self.plus(-i32::from(self.0.weekday().to_monday_zero_offset()))
    }

    pub fn next_month(self) -> Self {
        Self(self.month_start().0.saturating_add(1.month()))
    }

    /// The same day of the next year; for 29 February the 28th.
    pub fn next_year(self) -> Self {
        Self(self.0.saturating_add(1.year()))
    }

    /// The day, month or year that holds this day, or the seven days that end with it; the end is exclusive.
    pub fn around(self, interval: Interval) -> Range<Self> {
        match interval {
            Interval::Day => self..self.next(),
            Interval::Week => self.plus(-6)..self.next(),
            Interval::Month => self.month_start()..self.next_month(),
            Interval::Year => self.year_start()..Self(self.year_start().0.saturating_add(1.year())),
        }
    }
}

impl FromStr for SiteDay {
    type Err = NotADay;

    /// Exactly `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, NotADay> {
        let shape = text.len() == 10
            && text.bytes().enumerate().all(|(index, byte)| match index {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let parsed = shape.then(|| text.parse().ok()).flatten();
        parsed.map(Self).ok_or(NotADay)
    }
}

impl fmt::Display for SiteDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a calendar day in the form YYYY-MM-DD")]
pub struct NotADay;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an IANA time zone")]
pub struct NotAZone;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of a system that has not sent a hello yet: the first batteries are there.
    pub const DEFAULT: &'static str = "Europe/Berlin";

    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Minutes ahead of UTC at this time.
    pub fn offset_minutes(&self, at: Millis) -> i32 {
        self.0.to_offset(timestamp(at)).seconds() / 60
    }

    pub fn day_of(&self, at: Millis) -> SiteDay {
        SiteDay(timestamp(at).to_zoned(self.0.clone()).date())
    }

    /// When the day begins. Where midnight is skipped, it begins with the first time that exists on that day.
    pub fn start_of(&self, day: SiteDay) -> Millis {
        day.0
            .to_zoned(self.0.clone())
            .map_or(0, |midnight| midnight.timestamp().as_millisecond())
    }

    /// When it is this full hour at the site; an hour later where the hour is skipped.
    pub fn hour_of(&self, day: SiteDay, hour: i8) -> Millis {
        day.0
            .at(hour, 0, 0, 0)
            .to_zoned(self.0.clone())
            .map_or(0, |at| at.timestamp().as_millisecond())
    }

    /// The local time of the site in minutes since midnight.
    pub fn minute_of_day(&self, at: Millis) -> u16 {
        let local = self.0.to_datetime(timestamp(at));
        u16::from(local.hour().unsigned_abs()) * 60 + u16::from(local.minute().unsigned_abs())
    }

    /// From the start of the day to the start of the next.
    pub fn bounds(&self, day: SiteDay) -> Range<Millis> {
        self.start_of(day)..self.start_of(day.next())
    }

    /// The starts of all points of a range of days; the last day is exclusive.
    pub fn points(&self, days: Range<SiteDay>, resolution: Resolution) -> Vec<Millis> {
        let step = match resolution {
            Resolution::Minute => MINUTE,
            Resolution::Quarter => 15 * MINUTE,
            Resolution::Hour => HOUR,
            Resolution::Day | Resolution::Month => {
                let firsts = SiteDay::points(days, resolution);
                return firsts.map(|day| self.start_of(day)).collect();
            }
        };
        let each = SiteDay::each(days);
        each.flat_map(|day| steps(self.bounds(day), step)).collect()
    }

    /// `YYYY-MM-DD HH:MM:SS` in the site's local time.
    pub fn clock_text(&self, at: Millis) -> String {
        // Formatted by hand: live data has dozens of these, and parsing a format string each time would dominate the cost.
        let local = self.0.to_datetime(timestamp(at));
        let mut text = String::with_capacity(19);
        let mut put = |number: i16, width: usize, end: &str| {
            for place in (0..width).rev() {
                let digit = number.unsigned_abs() / 10_u16.pow(place as u32) % 10;
                text.push(char::from(b'0' + digit as u8));
            }
            text.push_str(end);
        };
        put(local.year(), 4, "-");
        put(local.month().into(), 2, "-");
        put(local.day().into(), 2, " ");
        put(local.hour().into(), 2, ":");
        put(local.minute().into(), 2, ":");
        put(local.second().into(), 2, "");
        text
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::DEFAULT.parse().unwrap_or(Self(TimeZone::UTC))
    }
}

impl FromStr for Zone {
    type Err = NotAZone;

    fn from_str(name: &str) -> Result<Self, NotAZone> {
        TimeZone::get(name).map(Self).map_err(|_| NotAZone)
    }
}

/// The time in UTC: `2026-11-15T11:00:00Z`.
pub fn utc_text(at: Millis) -> String {
    timestamp(at).to_string()
}

/// The time in the form of HTTP headers: `Sun, 15 Nov 2026 11:00:00 GMT`.
pub fn http_date(at: Millis) -> Option<String> {
    DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&timestamp(at))
        .ok()
}

fn steps(bounds: Range<Millis>, step: Millis) -> impl Iterator<Item = Millis> {
    (0..)
        .map(move |n| bounds.start + n * step)
        .take_while(move |start| *start < bounds.end)
}

fn timestamp(at: Millis) -> Timestamp {
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> Zone {
        Zone::DEFAULT.parse().unwrap()
    }

    fn day(text: &str) -> SiteDay {
        text.parse().unwrap()
    }

    #[test]
    fn a_day_has_23_24_or_25_hours() {
        for (text, hours) in [("2026-03-29", 23), ("2026-06-01", 24), ("2026-10-25", 25)] {
            let days = day(text)..day(text).next();
            assert_eq!(
                berlin().points(days.clone(), Resolution::Hour).len(),
                hours,
                "{text}"
            );
            assert_eq!(
                berlin().points(days, Resolution::Quarter).len(),
                hours * 4,
                "{text}"
            );
        }
    }

    #[test]
    fn an_interval_covers_seven_days_up_to_this_one_and_whole_months_and_years() {
        let around = |interval| {
            let days = day("2024-02-15").around(interval);
            (days.start.to_string(), days.end.to_string())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(around(Interval::Day), pair("2024-02-15", "2024-02-16"));
        assert_eq!(around(Interval::Week), pair("2024-02-09", "2024-02-16"));
        assert_eq!(around(Interval::Month), pair("2024-02-01", "2024-03-01"));
        assert_eq!(around(Interval::Year), pair("2024-01-01", "2025-01-01"));
    }

    #[test]
    fn a_year_has_twelve_months_and_366_days_when_it_leaps() {
        let year = day("2024-05-05").around(Interval::Year);
        assert_eq!(berlin().points(year.clone(), Resolution::Month).len(), 12);
        assert_eq!(berlin().points(year, Resolution::Day).len(), 366);
    }

    #[test]
    fn a_moment_belongs_to_the_day_of_the_sites_clock() {
        let half_past_eleven_utc = 1_735_687_800_000; // 2024-12-31T23:30:00Z
        assert_eq!(berlin().day_of(half_past_eleven_utc), day("2025-01-01"));
        assert_eq!(
            berlin().clock_text(half_past_eleven_utc),
            "2025-01-01 00:30:00"
        );
        assert_eq!(berlin().offset_minutes(half_past_eleven_utc), 60);
        assert_eq!(utc_text(half_past_eleven_utc), "2024-12-31T23:30:00Z");
    }

    #[test]
    fn a_day_is_read_and_kept_without_loss() {
        assert_eq!(
            SiteDay::from_number(day("2026-11-15").number()),
            Some(day("2026-11-15"))
        );
        for wrong in ["2026-02-30", "26-02-03", "2026-2-3", "2026-02-03T00", ""] {
            assert!(wrong.parse::<SiteDay>().is_err(), "{wrong}");
        }
        assert!("Mars/Olympus".parse::<Zone>().is_err());
    }
}
