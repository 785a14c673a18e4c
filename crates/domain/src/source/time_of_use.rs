//! Time-of-use prices, as in a contract.
use crate::clock::Millis;
use crate::names::{UnknownName, unknown};
use crate::{Message, Price, SiteDay, Zone, setting};
use strum::{EnumString, IntoStaticStr};

/// Steps per tariff, more than any contract has.
pub const MAX_STEPS: usize = 24;

/// The days on which a step is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
#[strum(const_into_str, serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum DayType {
    Workdays,
    Weekend,
}

impl DayType {
    pub const fn name(self) -> &'static str {
        self.into_str()
    }

    pub fn of(day: SiteDay) -> Self {
        match day == day.week_start().plus(5) || day == day.week_start().plus(6) {
            true => Self::Weekend,
            false => Self::Workdays,
        }
    }
}

/// A price from a time of day until the next step of the same day type or the end of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TariffStep {
    pub days: DayType,
    /// Minutes since midnight in the site's local time; a multiple of 15.
    pub minute: u16,
    pub price: Price,
}

/// Steps that give every moment of the week exactly one price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeOfUse(Vec<TariffStep>);

impl TimeOfUse {
    /// Each day type must begin with a step at midnight. Weekends without their own steps are like workdays.
    pub fn new(mut steps: Vec<TariffStep>) -> Result<Self, Message> {
        if steps.len() > MAX_STEPS {
            return Err(Message::TooLong);
        }
        steps.sort_by_key(|step| (step.days, step.minute));
        let duplicate = steps
            .windows(2)
            .any(|pair| (pair[0].days, pair[0].minute) == (pair[1].days, pair[1].minute));
        let misaligned = steps
            .iter()
            .any(|step| step.minute >= 24 * 60 || step.minute % 15 != 0);
        if duplicate || misaligned {
            return Err(Message::TimeInvalid);
        }
        let first = |days| steps.iter().find(|step| step.days == days);
        match (first(DayType::Workdays), first(DayType::Weekend)) {
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
            Ok(TariffStep {
                days: days.parse().map_err(|_| Message::ChoiceUnknown)?,
                minute: setting::time(time).ok_or(Message::TimeInvalid)?,
                price: price.parse()?,
            })
        };
        let steps = text.split(';').filter(|step| !step.trim().is_empty());
        Self::new(steps.map(step).collect::<Result<_, _>>()?)
    }

    pub fn steps(&self) -> &[TariffStep] {
        &self.0
    }

    /// The price at a time, by the site's local time.
    pub fn at(&self, at: Millis, zone: &Zone) -> Price {
        let days = DayType::of(zone.day_of(at));
        let has = |days| self.0.iter().any(|step| step.days == days);
        let days = if has(days) { days } else { DayType::Workdays };
        let minute = zone.minute_of_day(at);
        let mut steps = self.0.iter().filter(|step| step.days == days);
        let current = steps.rfind(|step| step.minute <= minute);
        current.unwrap_or(&self.0[0]).price
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{DAY, HOUR};
    use DayType::{Weekend, Workdays};

    fn step(days: DayType, hour: u16, price: &str) -> TariffStep {
        TariffStep {
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
        // The repeated hour costs the same both times; the hour after the skipped one has its own price.
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
        let wrong = |steps: &[TariffStep]| TimeOfUse::new(steps.to_vec()).unwrap_err();
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
