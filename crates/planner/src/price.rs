//! What a kWh costs and earns in one quarter-hour, and whether that is known or guessed.
use domain::clock::Millis;

use crate::QUARTER;

/// In hundredths of a cent a kWh, as everywhere money is kept; unlike a tariff's price it may be below zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPrice {
    pub import: i64,
    pub feed_in: i64,
    /// Published, or part of a contract. A guessed price shapes a plan, but nothing is bought on it.
    pub known: bool,
}

impl SlotPrice {
    /// Cents a kWh, for expectations.
    pub fn import_cents(self) -> f64 {
        self.import as f64 / 100.0
    }

    pub fn feed_in_cents(self) -> f64 {
        self.feed_in as f64 / 100.0
    }
}

/// Import prices that were known at some time, by quarter-hours from `start` on; the guess of those to come is made from them.
#[derive(Clone, Copy, Debug)]
pub struct KnownPrices<'a> {
    pub start: Millis,
    pub import: &'a [i64],
}

/// So many days back a guess looks.
const LOOKS_BACK: usize = 14;

impl KnownPrices<'_> {
    /// The price at that time where it is known. Where not, the mean of the same time of the day in the last two weeks: an
    /// expectation, not a promise.
    pub fn at(&self, time: Millis, feed_in: i64) -> Option<SlotPrice> {
        let place = usize::try_from((time - self.start) / QUARTER).ok()?;
        if let Some(import) = self.import.get(place) {
            return Some(SlotPrice {
                import: *import,
                feed_in,
                known: true,
            });
        }
        let same_time = (1..).map(|days| place.checked_sub(days * crate::QUARTERS_A_DAY));
        let same_time = same_time.map_while(|place| place);
        let prices = same_time.filter_map(|place| self.import.get(place));
        let (mut sum, mut count) = (0, 0);
        for price in prices.take(LOOKS_BACK) {
            sum += price;
            count += 1;
        }
        (count > 0).then(|| SlotPrice {
            import: sum / count,
            feed_in,
            known: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_that_is_not_known_is_guessed_from_the_same_time_of_earlier_days() {
        let import: Vec<i64> = (0..3 * 96).map(|n| 1_000 * (n / 96) + n % 96).collect();
        let prices = KnownPrices {
            start: 0,
            import: &import,
        };
        let known = prices.at(96 * QUARTER, 790).unwrap();
        assert_eq!((known.import, known.known), (1_000, true));
        let guessed = prices.at((3 * 96 + 5) * QUARTER, 790).unwrap();
        assert_eq!((guessed.import, guessed.known), (1_005, false));
        assert_eq!(prices.at(-QUARTER, 790), None);
        let none = KnownPrices {
            start: 0,
            import: &[],
        };
        assert_eq!(none.at(0, 790), None);
    }
}
