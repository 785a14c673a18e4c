//! Prices by the time of day, as a contract says them.
use crate::clock::Millis;
use crate::{Message, Price, SiteDay, Zone, setting};
use std::str::FromStr;

/// More steps than any contract has.
pub const MOST_STEPS: usize = 24;

/// On which days a step counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Days {
    Workdays,
    Weekend,
}

impl Days {
    pub const ALL: [Self; 2] = [Self::Workdays, Self::Weekend];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Workdays => "workdays",
            Self::Weekend => "weekend",
        }
    }

    pub fn of(day: SiteDay) -> Self {
        match day == day.week_start().plus(5) || day == day.week_start().plus(6) {
            true => Self::Weekend,
            false => Self::Workdays,
        }
    }
}

impl FromStr for Days {
    type Err = super::Unknown;

    fn from_str(name: &str) -> Result<Self, super::Unknown> {
        let found = Self::ALL.into_iter().find(|days| days.name() == name);
        found.ok_or(super::Unknown)
    }
}

/// A price that holds from a time of day on, until the next step of the same days or the end of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub days: Days,
    /// Minutes since midnight on the site's clock, in quarter-hours.
    pub minute: u16,
    pub price: Price,
}

/// Steps that give every moment of the week one price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeOfUse(Vec<Step>);

impl TimeOfUse {
    /// Each kind of day begins with a step at midnight. Weekends without a step of their own are like workdays.
    pub fn new(mut steps: Vec<Step>) -> Result<Self, Message> {
        if steps.len() > MOST_STEPS {
            return Err(Message::TooLong);
        }
        steps.sort_by_key(|step| (step.days, step.minute));
        let twice = steps
            .windows(2)
            .any(|pair| (pair[0].days, pair[0].minute) == (pair[1].days, pair[1].minute));
        let off = steps
            .iter()
            .any(|step| step.minute >= 24 * 60 || step.minute % 15 != 0);
        if twice || off {
            return Err(Message::TimeInvalid);
        }
        let first = |days| steps.iter().find(|step| step.days == days);
        match (first(Days::Workdays), first(Days::Weekend)) {
            (None, _) => Err(Message::Required),
            (Some(workday), weekend)
                if workday.minute == 0 && weekend.is_none_or(|step| step.minute == 0) =>
            {
                Ok(Self(steps))
            }
            _ => Err(Message::TimeInvalid),
        }
    }

    /// `days/HH:MM/cents`, separated by semicolons: `workdays/00:00/21,5;workdays/06:00/34`.
    pub fn parse(text: &str) -> Result<Self, Message> {
        let step = |text: &str| {
            let mut parts = text.split('/').map(str::trim);
            let (Some(days), Some(time), Some(price), None) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return Err(Message::Required);
            };
            Ok(Step {
                days: days.parse().map_err(|_| Message::ChoiceUnknown)?,
                minute: setting::time(time).ok_or(Message::TimeInvalid)?,
                price: price.parse()?,
            })
        };
        let steps = text.split(';').filter(|step| !step.trim().is_empty());
        Self::new(steps.map(step).collect::<Result<_, _>>()?)
    }

    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The price at a moment, by the site's clock.
    pub fn at(&self, at: Millis, zone: &Zone) -> Price {
        let days = Days::of(zone.day_of(at));
        let has = |days| self.0.iter().any(|step| step.days == days);
        let days = if has(days) { days } else { Days::Workdays };
        let minute = zone.minute_of_day(at);
        let mut held = self.0.iter().filter(|step| step.days == days);
        let held = held.rfind(|step| step.minute <= minute);
        held.unwrap_or(&self.0[0]).price
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{DAY, HOUR};
    use Days::{Weekend, Workdays};

    fn step(days: Days, hour: u16, price: &str) -> Step {
        Step {
            days,
            minute: hour * 60,
            price: price.parse().unwrap(),
        }
    }

    #[test]
    fn every_moment_has_one_price_by_the_sites_clock() {
        let steps = [
            step(Workdays, 22, "20"),
            step(Workdays, 0, "20"),
            step(Workdays, 6, "35"),
            step(Weekend, 0, "25"),
        ];
        let tariff = TimeOfUse::new(steps.to_vec()).unwrap();
        let zone = Zone::default();
        let monday = zone.start_of("2026-11-16".parse().unwrap());
        for (at, want) in [
            (monday, "20.00"),
            (monday + 6 * HOUR - 1, "20.00"),
            (monday + 6 * HOUR, "35.00"),
            (monday + 23 * HOUR, "20.00"),
            (monday + 5 * DAY + 12 * HOUR, "25.00"),
            (monday + 7 * DAY + 12 * HOUR, "35.00"),
        ] {
            assert_eq!(tariff.at(at, &zone).to_string(), want, "{at}");
        }
        // The hour that comes twice costs the same twice; the hour after the skipped one has its own price.
        let october = zone.start_of("2026-10-26".parse().unwrap()) - 25 * HOUR;
        assert_eq!(zone.day_of(october).to_string(), "2026-10-25");
        assert_eq!(tariff.at(october + 24 * HOUR, &zone).to_string(), "25.00");
    }

    #[test]
    fn weekends_are_like_workdays_unless_they_have_steps() {
        let steps = vec![step(Workdays, 0, "20"), step(Workdays, 6, "35")];
        let tariff = TimeOfUse::new(steps).unwrap();
        let zone = Zone::default();
        let sunday = zone.start_of("2026-11-15".parse().unwrap());
        assert_eq!(tariff.at(sunday + 12 * HOUR, &zone).to_string(), "35.00");
    }

    #[test]
    fn steps_are_read_as_they_are_typed() {
        let read = TimeOfUse::parse("workdays/06:00/34; workdays/00:00/21,5 ;weekend/00:00/20.00");
        let steps = [
            step(Workdays, 0, "21.5"),
            step(Workdays, 6, "34"),
            step(Weekend, 0, "20"),
        ];
        assert_eq!(read.unwrap().steps(), steps);
        for (text, want) in [
            ("", Message::Required),
            ("workdays/00:00", Message::Required),
            ("sundays/00:00/1", Message::ChoiceUnknown),
            ("workdays/25:00/1", Message::TimeInvalid),
            ("workdays/00:07/1", Message::TimeInvalid),
            ("workdays/00:00/x", Message::PriceInvalid),
            ("workdays/00:00/501", Message::PriceRange),
            (&"workdays/00:00/1;".repeat(25), Message::TooLong),
        ] {
            assert_eq!(TimeOfUse::parse(text).unwrap_err(), want, "{text}");
        }
    }

    #[test]
    fn steps_that_leave_a_moment_without_a_price_are_refused() {
        let wrong = |steps: &[Step]| TimeOfUse::new(steps.to_vec()).unwrap_err();
        assert_eq!(wrong(&[]), Message::Required);
        assert_eq!(wrong(&[step(Weekend, 0, "20")]), Message::Required);
        assert_eq!(wrong(&[step(Workdays, 6, "20")]), Message::TimeInvalid);
        assert_eq!(wrong(&[step(Workdays, 24, "20")]), Message::TimeInvalid);
        let twice = [step(Workdays, 0, "20"), step(Workdays, 0, "21")];
        assert_eq!(wrong(&twice), Message::TimeInvalid);
        let late = [step(Workdays, 0, "20"), step(Weekend, 8, "21")];
        assert_eq!(wrong(&late), Message::TimeInvalid);
    }
}
