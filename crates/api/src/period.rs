//! Parses the days that a call is about, given as `days=`.
use domain::clock::Millis;
use domain::series::Interval;
use domain::{Message, SiteDay, Zone};
use std::ops::Range;

/// No battery lives longer than this.
const MAX_HISTORY_YEARS: i16 = 25;
/// The longest range of days in one request.
pub(crate) const MAX_DAYS: usize = 366;

/// The length of time that one row covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowStep {
    Day,
    Month,
    Year,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) days: Range<SiteDay>,
    pub(crate) step: RowStep,
    /// Leaves out years before the first measurement.
    from_first: bool,
}

impl Period {
    /// Parses a period around a day, the week that ends with it, or a range of days. The last seven days if empty.
    pub(crate) fn parse(text: &str, zone: &Zone, now: Millis) -> Result<Self, Message> {
        let today = zone.day_of(now);
        let (kind, rest) = match text.split_once('_') {
            Some(parts) => parts,
            None if text.is_empty() => ("week", ""),
            None => return Err(Message::PeriodInvalid),
        };
        let around = |interval| Ok::<_, Message>(date(rest, zone, now)?.around(interval));
        // A bare year is enough.
        let year = || {
            let bare = rest.len() == 4 && rest.bytes().all(|digit| digit.is_ascii_digit());
            let day = match bare {
                true => date(&format!("{rest}-01-01"), zone, now)?,
                false => date(rest, zone, now)?,
            };
            Ok::<_, Message>(day.around(Interval::Year))
        };
        let (days, step) = match kind {
            "week" => (around(Interval::Week)?, RowStep::Day),
            "month" => (around(Interval::Month)?, RowStep::Day),
            "year" => (year()?, RowStep::Month),
            "total" => {
                let last = year()?;
                let first =
                    SiteDay::new(last.start.year() - MAX_HISTORY_YEARS, 1, 1).unwrap_or(today);
                (first..last.end, RowStep::Year)
            }
            first => {
                if first.is_empty() || rest.is_empty() {
                    return Err(Message::PeriodInvalid);
                }
                (
                    range(date(first, zone, now)?, date(rest, zone, now)?)?,
                    RowStep::Day,
                )
            }
        };
        Ok(Self {
            days,
            step,
            from_first: step == RowStep::Year,
        })
    }

    /// The first day of the row that contains a day.
    pub(crate) fn row_of(&self, day: SiteDay) -> SiteDay {
        match self.step {
            RowStep::Day => day,
            RowStep::Month => day.month_start(),
            RowStep::Year => day.year_start(),
        }
    }

    pub(crate) fn rows(&self, first_measured: Option<SiteDay>) -> Vec<SiteDay> {
        let mut day = self.row_of(self.days.start);
        if self.from_first {
            let last = self.row_of(self.days.end.plus(-1));
            day = first_measured.map_or(last, |first| self.row_of(first).min(last));
        }
        let mut rows = Vec::new();
        while day < self.days.end {
            rows.push(day);
            day = match self.step {
                RowStep::Day => day.next(),
                RowStep::Month => day.next_month(),
                RowStep::Year => day.around(Interval::Year).end,
            };
        }
        rows
    }
}

/// A range of days, both included.
pub(crate) fn range(first: SiteDay, last: SiteDay) -> Result<Range<SiteDay>, Message> {
    if last < first {
        return Err(Message::RangeReversed);
    }
    if first.plus(MAX_DAYS as i32 - 1) < last {
        return Err(Message::RangeTooLong);
    }
    Ok(first..last.next())
}

/// A calendar day within a plausible range; today if empty.
pub(crate) fn date(text: &str, zone: &Zone, now: Millis) -> Result<SiteDay, Message> {
    if text.is_empty() {
        return Ok(zone.day_of(now));
    }
    let day: SiteDay = text.parse().map_err(|_| Message::DateInvalid)?;
    // There is no data outside this range, and calendars have limits.
    let within_reach = (1990..2190).contains(&day.year());
    within_reach.then_some(day).ok_or(Message::DateInvalid)
}

/// The days of a period that is listed day by day: at most a year, this month if empty.
pub(crate) fn days(text: &str, zone: &Zone, now: Millis) -> Result<Range<SiteDay>, Message> {
    let text = if text.is_empty() { "month_" } else { text };
    let period = Period::parse(text, zone, now)?;
    match period.step {
        RowStep::Day | RowStep::Month => Ok(period.days),
        RowStep::Year => Err(Message::RangeTooLong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::NOON;

    fn period(text: &str) -> Result<Period, Message> {
        Period::parse(text, &Zone::default(), NOON)
    }

    #[test]
    fn a_period_is_a_week_month_year_total_or_a_range() {
        for (text, first, rows, step) in [
            ("", "2026-11-09", 7, RowStep::Day),
            ("week_2026-11-12", "2026-11-06", 7, RowStep::Day),
            ("month_2024-02-10", "2024-02-01", 29, RowStep::Day),
            ("year_2025-07-01", "2025-01-01", 12, RowStep::Month),
            ("year_2024", "2024-01-01", 12, RowStep::Month),
            ("total_2024", "1999-01-01", 1, RowStep::Year),
            ("2026-10-20_2026-10-30", "2026-10-20", 11, RowStep::Day),
            ("2026-01-01_2026-01-01", "2026-01-01", 1, RowStep::Day),
        ] {
            let period = period(text).unwrap();
            assert_eq!(period.days.start.to_string(), first, "{text}");
            assert_eq!(
                (period.rows(None).len(), period.step),
                (rows, step),
                "{text}"
            );
        }
    }

    #[test]
    fn a_total_begins_with_the_first_measured_year() {
        let total = period("total_2026-11-15").unwrap();
        let first: SiteDay = "2023-06-01".parse().unwrap();
        let years: Vec<i16> = total
            .rows(Some(first))
            .iter()
            .map(|day| day.year())
            .collect();
        assert_eq!(years, [2023, 2024, 2025, 2026]);
        assert_eq!(total.rows(None).len(), 1);
    }

    #[test]
    fn a_wrong_period_says_what_is_wrong() {
        for (text, want) in [
            ("decade_2026-01-01", Message::DateInvalid),
            ("week", Message::PeriodInvalid),
            ("_2026-01-01", Message::PeriodInvalid),
            ("2026-01-01_", Message::PeriodInvalid),
            ("month_2026-02-30", Message::DateInvalid),
            ("year_0001-01-01", Message::DateInvalid),
            ("year_0001", Message::DateInvalid),
            ("year_24", Message::DateInvalid),
            ("month_2024", Message::DateInvalid),
            ("2024_2025", Message::DateInvalid),
            ("2026-01-02_2026-01-01", Message::RangeReversed),
            ("2024-01-01_2025-01-01", Message::RangeTooLong),
        ] {
            assert_eq!(period(text), Err(want), "{text}");
        }
        assert!(period("2024-01-01_2024-12-31").is_ok());
    }

    #[test]
    fn day_by_day_a_period_is_a_year_at_most_and_this_month_when_nothing_is_said() {
        for (text, first, count) in [
            ("", "2026-11-01", 30),
            ("month_", "2026-11-01", 30),
            ("week_2026-11-12", "2026-11-06", 7),
            ("year_2024-07-01", "2024-01-01", 366),
            ("2026-10-20_2026-10-30", "2026-10-20", 11),
        ] {
            let days = days(text, &Zone::default(), NOON).unwrap();
            assert_eq!(days.start.to_string(), first, "{text}");
            assert_eq!(SiteDay::each(days).count(), count, "{text}");
        }
        let total = days("total_2026-11-15", &Zone::default(), NOON);
        assert_eq!(total, Err(Message::RangeTooLong));
    }
}
