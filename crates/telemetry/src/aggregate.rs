//! Aggregates many values into one point of a chart.
use crate::columns::{Columns, MISSING, SampleField};
use domain::Series;
use domain::clock::Millis;
use domain::names::variants;
use domain::series::Method;
use strum::VariantArray;

/// Sum, count and extremes of the values of one bucket. Two of them can be merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Aggregate {
    pub(crate) sum: i64,
    pub(crate) count: u32,
    pub(crate) min: i64,
    pub(crate) max: i64,
}

impl Aggregate {
    pub(crate) fn add(&mut self, value: i64) {
        self.merge(&Self {
            sum: value,
            count: 1,
            min: value,
            max: value,
        });
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        if self.count == 0 {
            *self = *other;
        } else if other.count > 0 {
            self.sum += other.sum;
            self.count += other.count;
            self.min = self.min.min(other.min);
            self.max = self.max.max(other.max);
        }
    }

    /// `None` when nothing was measured. A mean is rounded, halves away from zero.
    pub(crate) fn value(&self, method: Method) -> Option<i64> {
        let count = i64::from(self.count);
        (count > 0).then(|| match method {
            Method::Sum => self.sum,
            Method::Min => self.min,
            Method::Max => self.max,
            Method::Mean => {
                let half = count * self.sum.signum();
                (2 * self.sum + half) / (2 * count)
            }
        })
    }
}

/// A value that is measured at a moment, in contrast to energy, which is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
#[repr(u8)]
pub(crate) enum Gauge {
    Grid,
    Battery,
    Soc,
    Pv,
    /// Of the unit's own phase.
    Voltage,
    House,
}

impl Gauge {
    pub(crate) const COUNT: usize = Self::VARIANTS.len();
    pub(crate) const ALL: [Self; Self::COUNT] = variants();

    pub(crate) fn of(series: Series) -> Option<Self> {
        match series {
            Series::GridPower => Some(Self::Grid),
            Series::BatteryPower => Some(Self::Battery),
            Series::Soc => Some(Self::Soc),
            Series::PvPower => Some(Self::Pv),
            Series::GridVoltage => Some(Self::Voltage),
            Series::House => Some(Self::House),
            _ => None,
        }
    }

    /// The columns that it is made of.
    pub(crate) fn fields(self, phase: u8) -> Vec<SampleField> {
        match self {
            Self::Grid => vec![SampleField::Grid],
            Self::Battery => vec![SampleField::Battery],
            Self::Soc => vec![SampleField::Soc],
            Self::Pv => vec![SampleField::Pv],
            Self::Voltage => vec![SampleField::voltage(phase)],
            Self::House => vec![SampleField::Pv, SampleField::Grid, SampleField::Battery],
        }
    }

    /// Adds its values to buckets of `step` milliseconds that begin at `start`. Ignores values outside.
    pub(crate) fn fill(
        self,
        columns: &Columns,
        phase: u8,
        start: Millis,
        step: Millis,
        buckets: &mut [Aggregate],
    ) {
        let mut add = |row: usize, value: i64| {
            let index = (columns.times[row] - start).div_euclid(step);
            let bucket = usize::try_from(index)
                .ok()
                .and_then(|index| buckets.get_mut(index));
            if let Some(bucket) = bucket {
                bucket.add(value);
            }
        };
        if self == Self::House {
            let [pv, grid, battery] =
                [SampleField::Pv, SampleField::Grid, SampleField::Battery].map(|f| columns.get(f));
            for (row, ((pv, grid), battery)) in pv.iter().zip(grid).zip(battery).enumerate() {
                if ![pv, grid, battery].contains(&&MISSING) {
                    add(row, pv + grid + battery);
                }
            }
        } else {
            for field in self.fields(phase) {
                for (row, value) in columns.get(field).iter().enumerate() {
                    if *value != MISSING {
                        add(row, *value);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_rounded_with_halves_away_from_zero() {
        let mean = |values: &[i64]| {
            let mut all = Aggregate::default();
            values.iter().for_each(|value| all.add(*value));
            all.value(Method::Mean)
        };
        assert_eq!(mean(&[1, 2]), Some(2));
        assert_eq!(mean(&[-1, -2]), Some(-2));
        assert_eq!(mean(&[1, 1, 2]), Some(1));
        assert_eq!(mean(&[-1, 1]), Some(0));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn aggregates_add_up() {
        let mut parts = [Aggregate::default(); 2];
        let mut all = Aggregate::default();
        for (place, value) in [3, -8, 0, 12].into_iter().enumerate() {
            parts[place % 2].add(value);
            all.add(value);
        }
        let [mut both, right] = parts;
        both.merge(&right);
        assert_eq!(both, all);
        both.merge(&Aggregate::default());
        assert_eq!(both, all);
    }
}
