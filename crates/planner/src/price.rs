//! Import and feed-in price of one quarter-hour, and whether they are known or guessed.
use domain::clock::Millis;

use crate::QUARTER;

/// In hundredths of a cent per kWh, like all amounts of money that are stored. Unlike a tariff's price it may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPrice {
    pub import: i64,
    pub feed_in: i64,
    /// Published, or part of a contract. A guessed price influences a plan, but nothing is bought at it.
    pub known: bool,
}

impl SlotPrice {
    /// In cents per kWh; a float, only for expected values.
    pub fn import_cents(self) -> f64 {
        self.import as f64 / 100.0
    }

    pub fn feed_in_cents(self) -> f64 {
        self.feed_in as f64 / 100.0
    }
}

/// Import prices known at some moment, by quarter-hours from `start` on. Later prices are guessed from them.
#[derive(Clone, Copy, Debug)]
pub struct KnownPrices<'a> {
    pub start: Millis,
    pub import: &'a [i64],
}

/// How far back a guess looks.
const LOOKBACK_DAYS: usize = 14;

impl KnownPrices<'_> {
    /// The price at a time if it is known; otherwise the mean of the same time of day over the last two weeks, marked as a guess.
    pub fn at(&self, time: Millis, feed_in: i64) -> Option<SlotPrice> {
        let index = usize::try_from((time - self.start) / QUARTER).ok()?;
        if let Some(import) = self.import.get(index) {
            return Some(SlotPrice {
                import: *import,
                feed_in,
                known: true,
            });
        }
        let same_time = (1..).map(|days| index.checked_sub(days * crate::QUARTERS_A_DAY));
        let same_time = same_time.map_while(|index| index);
        let prices = same_time.filter_map(|index| self.import.get(index));
        let (mut sum, mut count) = (0, 0);
        for price in prices.take(LOOKBACK_DAYS) {
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
