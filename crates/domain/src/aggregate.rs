//! Several systems as one ("all systems", sn −1): powers and energies are summed, the state of charge is weighted by
//! capacity, voltage is the mean. Systems that do not report are left out.
use crate::series::Series;

/// The serial number that means all systems of the caller.
pub const ALL_SYSTEMS: &str = "-1";

/// How the values of several systems are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    Sum,
    /// Mean weighted by usable capacity. A system that has not reported its capacity has no weight.
    CapacityWeighted,
    Mean,
}

impl Series {
    pub const fn aggregation(self) -> Aggregation {
        match self {
            Self::Soc => Aggregation::CapacityWeighted,
            Self::GridVoltage => Aggregation::Mean,
            _ => Aggregation::Sum,
        }
    }
}

/// Combines values one by one.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator {
    rule: Aggregation,
    total: i64,
    weight: i64,
}

impl Accumulator {
    pub const fn new(rule: Aggregation) -> Self {
        Self {
            rule,
            total: 0,
            weight: 0,
        }
    }

    /// `capacity` in Wh is used only by [`Aggregation::CapacityWeighted`].
    pub fn add(&mut self, value: i64, capacity: Option<i64>) {
        let weight = match self.rule {
            Aggregation::Sum | Aggregation::Mean => 1,
            Aggregation::CapacityWeighted => capacity.unwrap_or(0).max(0),
        };
        self.total += value * weight;
        self.weight += weight;
    }

    /// `None` without any weight. A mean is rounded half away from zero.
    pub fn value(self) -> Option<i64> {
        match self.rule {
            _ if self.weight == 0 => None,
            Aggregation::Sum => Some(self.total),
            Aggregation::CapacityWeighted | Aggregation::Mean => {
                Some((2 * self.total + self.total.signum() * self.weight) / (2 * self.weight))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aggregate(rule: Aggregation, values: &[(i64, Option<i64>)]) -> Option<i64> {
        let mut sum = Accumulator::new(rule);
        for (value, capacity) in values {
            sum.add(*value, *capacity);
        }
        sum.value()
    }

    #[test]
    fn powers_add_charge_is_weighed_and_voltage_is_the_mean() {
        let values = [(100, Some(5_000)), (400, Some(10_000)), (-50, None)];
        assert_eq!(
            aggregate(Series::GridPower.aggregation(), &values),
            Some(450)
        );
        assert_eq!(aggregate(Series::Soc.aggregation(), &values), Some(300));
        assert_eq!(
            aggregate(Series::GridVoltage.aggregation(), &values),
            Some(150)
        );
    }

    #[test]
    fn a_mean_is_rounded_half_away_from_zero() {
        assert_eq!(
            aggregate(Aggregation::Mean, &[(1, None), (2, None)]),
            Some(2)
        );
        assert_eq!(
            aggregate(Aggregation::Mean, &[(-1, None), (-2, None)]),
            Some(-2)
        );
        assert_eq!(
            aggregate(Aggregation::Mean, &[(0, None), (1, None), (0, None)]),
            Some(0)
        );
    }

    #[test]
    fn nothing_together_is_nothing_and_not_zero() {
        for rule in [
            Aggregation::Sum,
            Aggregation::CapacityWeighted,
            Aggregation::Mean,
        ] {
            assert_eq!(aggregate(rule, &[]), None);
        }
        assert_eq!(
            aggregate(Aggregation::CapacityWeighted, &[(500, None)]),
            None
        );
    }
}
