//! Several systems as one ("all systems", sn −1): powers and energies add, the state of charge is weighted by capacity,
//! voltage is the mean. What does not report takes no part.
use crate::series::Series;

/// The serial number that stands for all systems of the caller.
pub const ALL_SYSTEMS: &str = "-1";

/// How the values of several systems become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    Add,
    /// By usable capacity; a system that has not said how much it holds has no weight.
    Weigh,
    Mean,
}

impl Series {
    pub const fn together(self) -> Together {
        match self {
            Self::Soc => Together::Weigh,
            Self::GridVoltage => Together::Mean,
            _ => Together::Add,
        }
    }
}

/// What several values are together, gathered one by one.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    rule: Together,
    total: i64,
    weight: i64,
}

impl Sum {
    pub const fn new(rule: Together) -> Self {
        Self {
            rule,
            total: 0,
            weight: 0,
        }
    }

    /// `capacity` in Wh counts only where values are weighed.
    pub fn take(&mut self, value: i64, capacity: Option<i64>) {
        let weight = match self.rule {
            Together::Add | Together::Mean => 1,
            Together::Weigh => capacity.unwrap_or(0).max(0),
        };
        self.total += value * weight;
        self.weight += weight;
    }

    /// Nothing when nothing was taken; a mean is rounded half away from zero.
    pub fn value(self) -> Option<i64> {
        match self.rule {
            _ if self.weight == 0 => None,
            Together::Add => Some(self.total),
            Together::Weigh | Together::Mean => {
                Some((2 * self.total + self.total.signum() * self.weight) / (2 * self.weight))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(rule: Together, values: &[(i64, Option<i64>)]) -> Option<i64> {
        let mut sum = Sum::new(rule);
        for (value, capacity) in values {
            sum.take(*value, *capacity);
        }
        sum.value()
    }

    #[test]
    fn powers_add_charge_is_weighed_and_voltage_is_the_mean() {
        let values = [(100, Some(5_000)), (400, Some(10_000)), (-50, None)];
        assert_eq!(together(Series::GridPower.together(), &values), Some(450));
        assert_eq!(together(Series::Soc.together(), &values), Some(300));
        assert_eq!(together(Series::GridVoltage.together(), &values), Some(150));
    }

    #[test]
    fn a_mean_is_rounded_half_away_from_zero() {
        assert_eq!(together(Together::Mean, &[(1, None), (2, None)]), Some(2));
        assert_eq!(
            together(Together::Mean, &[(-1, None), (-2, None)]),
            Some(-2)
        );
        assert_eq!(
            together(Together::Mean, &[(0, None), (1, None), (0, None)]),
            Some(0)
        );
    }

    #[test]
    fn nothing_together_is_nothing_and_not_zero() {
        for rule in [Together::Add, Together::Weigh, Together::Mean] {
            assert_eq!(together(rule, &[]), None);
        }
        assert_eq!(together(Together::Weigh, &[(500, None)]), None);
    }
}
