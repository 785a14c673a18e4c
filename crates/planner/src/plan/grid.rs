//! The grid of stored energies that costs to go are computed on, and how one quarter-hour moves all of its points at once.
use crate::{BatteryModel, HOURS_PER_QUARTER, Mode, SlotPrice};

pub(super) const INTERVALS: usize = 100;
pub(super) const POINTS: usize = INTERVALS + 1;

/// Costs to go in cents. `f32` is exact to a thousandth of a cent, and SIMD computes twice as many at a time as with `f64`.
pub(super) type Cents = f32;

#[derive(Clone, Copy, Debug)]
pub(super) struct SocGrid {
    per_kwh: f64,
}

/// One quarter-hour with one mode and one net load.
#[derive(Clone, Copy, Debug)]
pub(super) struct QuarterInputs<'a> {
    pub(super) battery: &'a BatteryModel,
    pub(super) grid_cap: Option<f64>,
    pub(super) wear: f64,
    pub(super) price: SlotPrice,
    pub(super) mode: Mode,
    /// Load less sun, in kWh.
    pub(super) net: f64,
}

impl SocGrid {
    pub(super) fn of(battery: &BatteryModel) -> Self {
        Self {
            per_kwh: INTERVALS as f64 / battery.capacity,
        }
    }

    pub(super) fn stored(self, point: usize) -> f64 {
        point as f64 / self.per_kwh
    }

    /// Linear interpolation between the grid points.
    pub(super) fn interpolate(self, values: &[Cents], stored: f64) -> f64 {
        let position = stored * self.per_kwh;
        let point = (position as usize).min(INTERVALS - 1);
        let part = position - point as f64;
        let (here, next) = (f64::from(values[point]), f64::from(values[point + 1]));
        here + (next - here) * part
    }

    /// The most that one more stored kWh saves, over all grid points of one or several states.
    pub(super) fn max_marginal_value(self, values: &[Cents]) -> f64 {
        let mut most = [Cents::NEG_INFINITY; INTERVALS];
        for values in values.chunks_exact(POINTS) {
            for (most, (here, next)) in most.iter_mut().zip(values.iter().zip(&values[1..])) {
                let saved = here - next;
                *most = if saved > *most { saved } else { *most };
            }
        }
        f64::from(most.into_iter().fold(Cents::NEG_INFINITY, Cents::max)) * self.per_kwh
    }

    /// The cost of a quarter-hour and everything after it from this stored energy on.
    pub(super) fn cost(self, inputs: &QuarterInputs<'_>, after: &[Cents], stored: f64) -> f64 {
        let QuarterInputs {
            battery, mode, net, ..
        } = *inputs;
        let flow = battery.step(stored, mode, net, HOURS_PER_QUARTER, inputs.grid_cap);
        flow.cents(inputs.price)
            + inputs.wear * flow.discharge
            + self.interpolate(after, flow.stored)
    }

    /// The same for every grid point. Where neither full nor empty is reached, all points move equally far and pay equally much.
    /// All points that reach full or empty end at the same stored energy. So no point needs its own computation of the flows.
    pub(super) fn costs(self, inputs: &QuarterInputs<'_>, after: &[Cents], costs: &mut [Cents]) {
        let QuarterInputs {
            battery, mode, net, ..
        } = *inputs;
        // Computed for a battery without bounds.
        let boundless = BatteryModel {
            capacity: 1e6,
            floor: -1e6,
            ..*battery
        };
        let flow = boundless.step(1e3, mode, net, HOURS_PER_QUARTER, inputs.grid_cap);
        let moved = (flow.charge * battery.charge_efficiency
            - flow.discharge / battery.discharge_efficiency)
            * self.per_kwh;
        let paid = flow.cents(inputs.price) + inputs.wear * flow.discharge;
        let whole = moved.floor();
        let part = moved - whole;
        let floor = battery.floor * self.per_kwh;
        let first = if moved < 0.0 {
            (floor - moved).ceil().max(0.0)
        } else {
            0.0
        };
        let end = if moved > 0.0 {
            (INTERVALS as f64 - moved).floor() + 1.0
        } else {
            POINTS as f64
        };
        let first = (first as usize).min(POINTS);
        let end = (end.max(0.0) as usize).clamp(first, POINTS);
        let mut inside = first..end;
        // The last of them may end on the last grid point, which has no next point to interpolate to.
        if (end as f64 - 1.0 + whole) as usize >= INTERVALS && !inside.is_empty() {
            inside.end -= 1;
        }
        let from = (inside.start as f64 + whole) as usize;
        let here = &after[from..from + inside.len()];
        let next = &after[from + usize::from(!inside.is_empty())..][..inside.len()];
        let (paid, part) = (paid as Cents, part as Cents);
        for ((cost, here), next) in costs[inside.clone()].iter_mut().zip(here).zip(next) {
            *cost = paid + here + part * (next - here);
        }
        let (import, feed_in) = (inputs.price.import_cents(), inputs.price.feed_in_cents());
        // Energy above the floor is discharged; energy below it stays.
        let at_floor = self.interpolate(after, battery.floor);
        for point in 0..inside.start {
            let above = self.stored(point) - battery.floor;
            let given = above.max(0.0) * battery.discharge_efficiency;
            let rest = if above > 0.0 {
                at_floor
            } else {
                f64::from(after[point])
            };
            costs[point] = ((net - given) * import + inputs.wear * given + rest) as Cents;
        }
        for (point, cost) in costs.iter_mut().enumerate().skip(inside.end) {
            let meter = net + (battery.capacity - self.stored(point)) / battery.charge_efficiency;
            let rate = if meter > 0.0 { import } else { feed_in };
            *cost = (meter * rate) as Cents + after[INTERVALS];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::battery::tests::{any_mode, ten_kwh};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_points_at_once_cost_what_each_alone_costs(
            mode in any_mode(), net in -2.0..2.0, cap in proptest::option::of(0.0..5.0),
            floor in 0.0..10.0, import in -500_i64..6_000, slope in -30.0..0.0, bend in 0.0..3.0,
        ) {
            let battery = BatteryModel { floor, ..ten_kwh() };
            let grid = SocGrid::of(&battery);
            let price = SlotPrice { import, feed_in: 790, known: true };
            let inputs = QuarterInputs { battery: &battery, grid_cap: cap, wear: 1.0, price, mode, net };
            let after: Vec<Cents> = (0..POINTS)
                .map(|point| (slope * grid.stored(point) + bend * grid.stored(point).powi(2)) as Cents)
                .collect();
            let mut costs = [0.0; POINTS];
            grid.costs(&inputs, &after, &mut costs);
            for (point, cost) in costs.iter().enumerate() {
                let alone = grid.cost(&inputs, &after, grid.stored(point));
                prop_assert!((f64::from(*cost) - alone).abs() < 1e-4, "{point}: {cost} {alone}");
            }
        }
    }
}
