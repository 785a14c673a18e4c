//! The exact optimum with perfect foresight, by another method than the planner's. The cost to go is convex and piecewise linear;
//! one quarter-hour back merges its own pieces into it by slope. No grid, no modes, any power.
use planner::BatteryModel;

/// A convex function of the energy stored above the floor: pieces of (slope, length) by rising slope.
#[derive(Clone, Debug)]
pub(crate) struct Convex {
    at_left: f64,
    pieces: Vec<(f64, f64)>,
}

/// One quarter-hour, with prices in cents per kWh and energies in kWh.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quarter {
    pub(crate) net: f64,
    pub(crate) import: f64,
    pub(crate) feed_in: f64,
    /// Whether the battery may charge from the grid.
    pub(crate) buys: bool,
}

impl Convex {
    /// Through these points of (stored above the floor, cost), which should be convex; otherwise their lower hull is taken.
    pub(crate) fn through(points: &[(f64, f64)]) -> Self {
        let mut hull: Vec<(f64, f64)> = Vec::new();
        for point in points {
            while let [.., a, b] = hull[..] {
                if (b.1 - a.1) * (point.0 - b.0) < (point.1 - b.1) * (b.0 - a.0) {
                    break;
                }
                hull.pop();
            }
            hull.push(*point);
        }
        let slope = |pair: &[(f64, f64)]| {
            let long = pair[1].0 - pair[0].0;
            ((pair[1].1 - pair[0].1) / long, long)
        };
        Self {
            at_left: hull[0].1,
            pieces: hull.windows(2).map(slope).collect(),
        }
    }

    pub(crate) fn at(&self, stored: f64) -> f64 {
        let (mut value, mut left) = (self.at_left, stored);
        for (slope, long) in &self.pieces {
            let part = left.min(*long);
            value += slope * part;
            left -= part;
        }
        value
    }

    /// The cost to go one quarter-hour earlier. Where feeding in earns more than buying costs, the step is not convex; then its
    /// hull is taken, which no plan can beat.
    pub(crate) fn before(&self, quarter: Quarter, battery: &BatteryModel, hours: f64) -> Self {
        let (eta_in, eta_out) = (battery.charge_efficiency, battery.discharge_efficiency);
        let lack = quarter.net.max(0.0);
        let surplus = (-quarter.net).max(0.0);
        let most = battery.charge_kw * hours;
        let sun = surplus.min(most);
        let bought = if quarter.buys { most - sun } else { 0.0 };
        let given = lack.min(battery.discharge_kw * hours);
        // Pieces by energy taken from the battery, starting at the highest possible charging: buying, storing sun, discharging.
        let mut own = [
            (-quarter.import / eta_in, bought * eta_in),
            (-quarter.feed_in / eta_in, sun * eta_in),
            (-quarter.import * eta_out, given / eta_out),
        ];
        let rest = lack * quarter.import - surplus * quarter.feed_in;
        let cost_of_most = rest + bought * quarter.import + sun * quarter.feed_in;
        own.sort_by(|a, b| a.0.total_cmp(&b.0));
        let put_in = (bought + sun) * eta_in;
        let long: f64 = self.pieces.iter().map(|piece| piece.1).sum();
        let mut merged = Vec::with_capacity(self.pieces.len() + 3);
        let mut own = own.into_iter().filter(|piece| piece.1 > 0.0).peekable();
        for piece in &self.pieces {
            while let Some(mine) = own.next_if(|mine| mine.0 <= piece.0) {
                merged.push(mine);
            }
            merged.push(*piece);
        }
        merged.extend(own);
        // The stored energy lies between floor and capacity, before and after.
        let (mut at_left, mut cut) = (self.at_left + cost_of_most, put_in);
        let mut pieces: Vec<(f64, f64)> = Vec::with_capacity(merged.len());
        let mut room = long;
        for (slope, piece_long) in merged {
            let off = cut.min(piece_long);
            at_left += slope * off;
            cut -= off;
            let kept = (piece_long - off).min(room);
            room -= kept;
            if kept <= 0.0 {
                continue;
            }
            match pieces.last_mut() {
                Some(last) if last.0 == slope => last.1 += kept,
                _ => pieces.push((slope, kept)),
            }
        }
        Self { at_left, pieces }
    }
}

/// The lowest possible cost of these quarter-hours from this stored energy on, in cents; `end` values what is left above the
/// floor.
pub(crate) fn optimum(
    quarters: &[Quarter],
    battery: &BatteryModel,
    hours: f64,
    stored: f64,
    end: Convex,
) -> f64 {
    let start = quarters
        .iter()
        .rev()
        .fold(end, |after, quarter| after.before(*quarter, battery, hours));
    start.at(stored - battery.floor)
}

/// The lowest cost from every quarter-hour on and at the end, as functions of the energy stored above the floor.
pub(crate) fn costs_to_come(
    quarters: &[Quarter],
    battery: &BatteryModel,
    hours: f64,
    end: Convex,
) -> Vec<Convex> {
    let mut to_come = vec![end];
    for (quarter, after) in quarters.iter().rev().zip(0..) {
        to_come.push(to_come[after].before(*quarter, battery, hours));
    }
    to_come.reverse();
    to_come
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURS: f64 = 0.25;

    /// Brute force: every stored energy on a fine grid, every move between two of them.
    fn by_trying(quarters: &[Quarter], battery: &BatteryModel, stored: f64, worth: f64) -> f64 {
        let parts = 400;
        let long = battery.capacity - battery.floor;
        let at = |point: usize| long * point as f64 / parts as f64;
        let mut after: Vec<f64> = (0..=parts).map(|point| -worth * at(point)).collect();
        for quarter in quarters.iter().rev() {
            let best = |from: usize| {
                let to = (0..=parts).filter_map(|to| {
                    let more = at(to) - at(from);
                    let flow = if more > 0.0 {
                        more / battery.charge_efficiency
                    } else {
                        more * battery.discharge_efficiency
                    };
                    let most = if more > 0.0 {
                        battery.charge_kw
                    } else {
                        battery.discharge_kw
                    } * HOURS;
                    let meter = quarter.net + flow;
                    // The battery never feeds into the grid.
                    let possible = flow.abs() <= most + 1e-9 && (flow >= 0.0 || meter >= -1e-9);
                    let rate = if meter > 0.0 {
                        quarter.import
                    } else {
                        quarter.feed_in
                    };
                    possible.then(|| meter * rate + after[to])
                });
                to.fold(f64::INFINITY, f64::min)
            };
            after = (0..=parts).map(best).collect();
        }
        after[((stored - battery.floor) / long * parts as f64).round() as usize]
    }

    #[test]
    fn trying_everything_finds_nothing_better_and_nearly_as_good() {
        let battery = BatteryModel {
            capacity: 10.0,
            charge_kw: 4.6,
            discharge_kw: 4.6,
            charge_efficiency: 0.96,
            discharge_efficiency: 0.96,
            floor: 2.0,
        };
        let quarters: Vec<Quarter> = (0..24)
            .map(|n| Quarter {
                net: [0.4, -0.3, 0.9, 0.1, -1.2, 1.4][n % 6],
                import: [30.0, 22.0, 41.0, 25.0][n / 2 % 4],
                feed_in: 7.9,
                buys: true,
            })
            .collect();
        for stored in [2.0, 4.0, 9.0] {
            let end = Convex::through(&[(0.0, 0.0), (8.0, -8.0 * 20.0)]);
            let exact = optimum(&quarters, &battery, HOURS, stored, end);
            let tried = by_trying(&quarters, &battery, stored, 20.0);
            assert!(
                exact <= tried + 1e-6 && tried < exact + 3.0,
                "{exact} {tried}"
            );
        }
    }
}
