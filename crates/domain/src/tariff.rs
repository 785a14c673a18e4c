//! Tariffs: what a kWh of import costs and a kWh of feed-in earns, each from a certain day on.
use crate::money::Price;
use crate::{Message, SiteDay};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tariff {
    /// The first day; `None` for the whole past.
    pub from: Option<SiteDay>,
    pub import_price: Price,
    pub feed_in_price: Price,
}

/// The tariff that is valid on a day; `tariffs` are sorted oldest first. `None` before the first one.
pub fn tariff_on(tariffs: &[Tariff], day: SiteDay) -> Option<&Tariff> {
    let holds = |tariff: &&Tariff| tariff.from.is_none_or(|from| from <= day);
    tariffs.iter().rev().find(holds)
}

/// From when new prices are to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TariffStart {
    Unspecified,
    Beginning,
    Day(SiteDay),
}

impl TariffStart {
    /// A day at most a year ahead: no contract starts later.
    pub fn starting(day: SiteDay, today: SiteDay) -> Result<Self, Message> {
        if day > today.next_year() {
            return Err(Message::DateTooLate);
        }
        Ok(Self::Day(day))
    }

    /// If unspecified, the first prices of a system are valid for its past too, and later ones from today on.
    pub fn first_day(self, known: &[Tariff], today: SiteDay) -> Option<SiteDay> {
        match self {
            Self::Beginning => None,
            Self::Day(day) => Some(day),
            Self::Unspecified => (!known.is_empty()).then_some(today),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> SiteDay {
        text.parse().unwrap()
    }

    fn tariff(from: Option<&str>, import: &str) -> Tariff {
        Tariff {
            from: from.map(day),
            import_price: import.parse().unwrap(),
            feed_in_price: "7.94".parse().unwrap(),
        }
    }

    #[test]
    fn a_day_has_the_newest_tariff_that_has_begun() {
        let tariffs = [
            tariff(None, "30"),
            tariff(Some("2026-01-01"), "31"),
            tariff(Some("2026-07-01"), "32"),
        ];
        for (date, want) in [
            ("2020-05-05", "30"),
            ("2025-12-31", "30"),
            ("2026-01-01", "31"),
            ("2026-06-30", "31"),
            ("2026-07-01", "32"),
            ("2030-01-01", "32"),
        ] {
            let found = tariff_on(&tariffs, day(date)).unwrap();
            assert_eq!(found.import_price, want.parse().unwrap(), "{date}");
        }
        assert_eq!(tariff_on(&tariffs[1..], day("2025-12-31")), None);
        assert_eq!(tariff_on(&[], day("2026-01-01")), None);
    }

    #[test]
    fn the_first_prices_hold_for_the_past_and_later_ones_from_today() {
        let today = day("2026-11-15");
        let known = [tariff(Some("2026-01-01"), "31")];
        assert_eq!(TariffStart::Unspecified.first_day(&[], today), None);
        assert_eq!(
            TariffStart::Unspecified.first_day(&known, today),
            Some(today)
        );
        assert_eq!(TariffStart::Beginning.first_day(&known, today), None);
        let spring = TariffStart::Day(day("2026-04-01"));
        assert_eq!(spring.first_day(&[], today), Some(day("2026-04-01")));
        assert_eq!(spring.first_day(&known, today), Some(day("2026-04-01")));
    }

    #[test]
    fn a_tariff_begins_a_year_ahead_at_most() {
        let since = |date: &str, today: &str| TariffStart::starting(day(date), day(today));
        assert!(since("1999-01-01", "2026-11-15").is_ok());
        assert!(since("2027-11-15", "2026-11-15").is_ok());
        assert_eq!(since("2027-11-16", "2026-11-15"), Err(Message::DateTooLate));
        assert!(since("2025-02-28", "2024-02-29").is_ok());
        assert!(since("2025-03-01", "2024-02-29").is_err());
    }
}
