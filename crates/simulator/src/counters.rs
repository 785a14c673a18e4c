//! Energy counters: the exact integral of the reported powers, read in whole Wh.
use domain::sample::Counter;

/// One Wh in W·ms.
const WATT_HOUR: i64 = 3_600_000;

/// In the order of [`Counter::ALL`], in W·ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters([i64; 5]);

impl Counters {
    /// Counters that continue from these readings.
    pub fn from_readings(readings: [i64; 5]) -> Self {
        Self(readings.map(|reading| reading.max(0) * WATT_HOUR))
    }

    pub fn readings(&self) -> [i64; 5] {
        self.0.map(|sum| sum / WATT_HOUR)
    }

    /// Adds a flow (import or discharge positive) over `millis` to the counter of its direction.
    pub fn flow(&mut self, positive: Counter, negative: Counter, power: i32, millis: i64) {
        let counter = if power >= 0 { positive } else { negative };
        self.0[counter as usize] += i64::from(power.unsigned_abs()) * millis;
    }

    pub fn count(&mut self, counter: Counter, power: i32, millis: i64) {
        self.0[counter as usize] += i64::from(power.max(0)) * millis;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_less_than_a_watt_hour_is_carried_and_never_lost() {
        let mut counters = Counters::default();
        for _ in 0..7_200 {
            counters.count(Counter::Pv, 1, 500);
        }
        assert_eq!(counters.readings(), [0, 0, 1, 0, 0]);
    }

    #[test]
    fn each_direction_has_its_counter() {
        let mut counters = Counters::from_readings([10, 20, 0, 0, 0]);
        counters.flow(Counter::Import, Counter::FeedIn, -1_000, WATT_HOUR);
        assert_eq!(counters.readings(), [10, 1_020, 0, 0, 0]);
    }
}
