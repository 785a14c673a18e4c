//! The grid of charges that costs to come are reckoned on, and how one quarter-hour moves all of its points at once.
use crate::{Battery, HOURS, Mode, SlotPrice};

/// The grid has so many parts.
pub(super) const PARTS: usize = 100;
pub(super) const POINTS: usize = PARTS + 1;

/// Costs to come, in cents: exact to a thousandth of one, and twice as many are reckoned at a time as with `f64`.
pub(super) type Cents = f32;

#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    per_kwh: f64,
}

/// One way that a quarter-hour may go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    pub(super) battery: &'a Battery,
    pub(super) grid_cap: Option<f64>,
    pub(super) wear: f64,
    pub(super) price: SlotPrice,
    pub(super) mode: Mode,
    /// What the house lacks, in kWh.
    pub(super) net: f64,
}

impl Grid {
    pub(super) fn of(battery: &Battery) -> Self {
        Self {
            per_kwh: PARTS as f64 / battery.capacity,
        }
    }

    pub(super) fn stored(self, point: usize) -> f64 {
        point as f64 / self.per_kwh
    }

    /// Between the points the values are taken to lie on straight lines.
    pub(super) fn at(self, values: &[Cents], stored: f64) -> f64 {
        let place = stored * self.per_kwh;
        let point = (place as usize).min(PARTS - 1);
        let part = place - point as f64;
        let (here, next) = (f64::from(values[point]), f64::from(values[point + 1]));
        here + (next - here) * part
    }

    /// What a kWh more saves at most, by the values of all charges in one state or several.
    pub(super) fn worth(self, values: &[Cents]) -> f64 {
        let mut most = [Cents::NEG_INFINITY; PARTS];
        for values in values.chunks_exact(POINTS) {
            for (most, (here, next)) in most.iter_mut().zip(values.iter().zip(&values[1..])) {
                let saved = here - next;
                *most = if saved > *most { saved } else { *most };
            }
        }
        f64::from(most.into_iter().fold(Cents::NEG_INFINITY, Cents::max)) * self.per_kwh
    }

    /// What a case and all that comes after it cost from this charge on.
    pub(super) fn cost(self, case: &Case<'_>, after: &[Cents], stored: f64) -> f64 {
        let Case {
            battery, mode, net, ..
        } = *case;
        let flow = battery.step(stored, mode, net, HOURS, case.grid_cap);
        flow.cents(case.price) + case.wear * flow.discharge + self.at(after, flow.stored)
    }

    /// The same for every point. Where neither full nor empty is reached all points move equally far and pay equally much, and all that
    /// reach it end at the same charge. So no point has to be looked at by itself.
    pub(super) fn costs(self, case: &Case<'_>, after: &[Cents], costs: &mut [Cents]) {
        let Case {
            battery, mode, net, ..
        } = *case;
        // As from a store that is half full and has no bounds.
        let boundless = Battery {
            capacity: 1e6,
            floor: -1e6,
            ..*battery
        };
        let flow = boundless.step(1e3, mode, net, HOURS, case.grid_cap);
        let moved = (flow.charge * battery.charge_efficiency
            - flow.discharge / battery.discharge_efficiency)
            * self.per_kwh;
        let paid = flow.cents(case.price) + case.wear * flow.discharge;
        let whole = moved.floor();
        let part = moved - whole;
        let floor = battery.floor * self.per_kwh;
        let first = if moved < 0.0 {
            (floor - moved).ceil().max(0.0)
        } else {
            0.0
        };
        let end = if moved > 0.0 {
            (PARTS as f64 - moved).floor() + 1.0
        } else {
            POINTS as f64
        };
        let first = (first as usize).min(POINTS);
        let end = (end.max(0.0) as usize).clamp(first, POINTS);
        let mut inside = first..end;
        // The last of them may lie on the last point, behind which there is none to draw a line to.
        if (end as f64 - 1.0 + whole) as usize >= PARTS && !inside.is_empty() {
            inside.end -= 1;
        }
        let from = (inside.start as f64 + whole) as usize;
        let here = &after[from..from + inside.len()];
        let next = &after[from + usize::from(!inside.is_empty())..][..inside.len()];
        let (paid, part) = (paid as Cents, part as Cents);
        for ((cost, here), next) in costs[inside.clone()].iter_mut().zip(here).zip(next) {
            *cost = paid + here + part * (next - here);
        }
        let (import, feed_in) = (case.price.import_cents(), case.price.feed_in_cents());
        // What is above the floor is given; what is below it stays.
        let at_floor = self.at(after, battery.floor);
        for point in 0..inside.start {
            let above = self.stored(point) - battery.floor;
            let given = above.max(0.0) * battery.discharge_efficiency;
            let rest = if above > 0.0 {
                at_floor
            } else {
                f64::from(after[point])
            };
            costs[point] = ((net - given) * import + case.wear * given + rest) as Cents;
        }
        for (point, cost) in costs.iter_mut().enumerate().skip(inside.end) {
            let meter = net + (battery.capacity - self.stored(point)) / battery.charge_efficiency;
            let rate = if meter > 0.0 { import } else { feed_in };
            *cost = (meter * rate) as Cents + after[PARTS];
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
            let battery = Battery { floor, ..ten_kwh() };
            let grid = Grid::of(&battery);
            let price = SlotPrice { import, feed_in: 790, known: true };
            let case = Case { battery: &battery, grid_cap: cap, wear: 1.0, price, mode, net };
            let after: Vec<Cents> = (0..POINTS)
                .map(|point| (slope * grid.stored(point) + bend * grid.stored(point).powi(2)) as Cents)
                .collect();
            let mut costs = [0.0; POINTS];
            grid.costs(&case, &after, &mut costs);
            for (point, cost) in costs.iter().enumerate() {
                let alone = grid.cost(&case, &after, grid.stored(point));
                prop_assert!((f64::from(*cost) - alone).abs() < 1e-4, "{point}: {cost} {alone}");
            }
        }
    }
}
