//! The value of stored energy at each time: dynamic programming backwards over a grid of stored energies. In each quarter-hour
//! the mode is chosen before its scenario is known; the battery then follows the meter.
use super::grid::{Cents, POINTS, QuarterInputs, SocGrid};
use super::{Outlook, Plan, Rules, Scenarios, Step, Uncertainty};
use crate::{HOURS_PER_QUARTER, Mode, QUARTERS_A_DAY, SlotPrice};

/// How many charging powers are tried: few while solving the whole grid, more while following one plan. A charge target needs
/// more levels: with four, charging later rarely met it as exactly as charging now, and plans bought hours too early at the same
/// price.
const POWER_LEVELS: u32 = 4;
const TARGET_POWER_LEVELS: u32 = 8;
const FINE_POWER_LEVELS: u32 = 20;
/// The penalty for each kWh missing at the time of a target, in cents: more than any price.
const TARGET_SHORTFALL_CENTS_PER_KWH: f64 = 200.0;

/// A mode replaces a simpler one only if it is better by this much. Costs are not more exact than that.
const MIN_IMPROVEMENT_CENTS: f64 = 0.001;
/// The same for buying while a target is ahead. A target can be bought for at any time, and the rounding of powers and grid
/// points is no reason to do it now.
const MIN_IMPROVEMENT_BEFORE_TARGET_CENTS: f64 = 0.1;

/// The cost to go in cents, by quarter-hour, regimes of sun and load, the shock before it, and stored energy.
#[derive(Clone, Debug)]
pub struct ValueFunction {
    scenarios: Scenarios,
    grid: SocGrid,
    cost_to_go: Vec<Cents>,
    /// By quarter-hour: the most that one more stored kWh saves after it.
    max_marginal_value: Vec<f64>,
}

impl ValueFunction {
    pub fn solve(outlook: &Outlook, rules: &Rules, uncertainty: Uncertainty) -> Self {
        let mut values = Self::empty(outlook, rules, uncertainty);
        values.set_terminal_value(outlook, rules);
        values.solve_back_to(outlook, rules, 0);
        values
    }

    fn empty(outlook: &Outlook, rules: &Rules, uncertainty: Uncertainty) -> Self {
        let scenarios = Scenarios::of(outlook, uncertainty);
        Self {
            cost_to_go: vec![0.0; (scenarios.horizon() + 1) * scenarios.states * POINTS],
            max_marginal_value: vec![0.0; scenarios.horizon()],
            grid: SocGrid::of(&rules.battery),
            scenarios,
        }
    }

    /// Energy left at the end is worth what it is worth a day earlier: the next day is assumed to be like this one. That value is
    /// computed with the means taken as certain. The end is a day and a half away, and scenarios would take as long as the rest
    /// of the plan.
    fn set_terminal_value(&mut self, outlook: &Outlook, rules: &Rules) {
        self.set_terminal_value_by_mean_price(outlook, rules);
        let horizon = self.scenarios.horizon();
        let Some(day_before) = horizon.checked_sub(QUARTERS_A_DAY) else {
            return;
        };
        // A target applies once: the next day has none.
        let rules = &rules.without_target();
        let mut certain = Self::empty(outlook, rules, Uncertainty::Ignored);
        certain.set_terminal_value_by_mean_price(outlook, rules);
        certain.solve_back_to(outlook, rules, day_before);
        let like = &certain.cost_to_go[day_before * POINTS..(day_before + 1) * POINTS];
        let end = &mut self.cost_to_go[horizon * self.scenarios.states * POINTS..];
        for (index, cost) in end.iter_mut().enumerate() {
            *cost = like[index % POINTS] - like[0];
        }
    }

    fn set_terminal_value_by_mean_price(&mut self, outlook: &Outlook, rules: &Rules) {
        let horizon = self.scenarios.horizon();
        let prices = &outlook.prices[..horizon];
        let mean =
            prices.iter().map(|price| price.import_cents()).sum::<f64>() / horizon.max(1) as f64;
        let worth = (mean - rules.wear).max(0.0) * rules.battery.discharge_efficiency;
        let layer = self.scenarios.states * POINTS;
        for index in 0..layer {
            let stored = self.grid.stored(index % POINTS);
            let above = (stored - rules.battery.floor).max(0.0);
            self.cost_to_go[horizon * layer + index] = (-worth * above) as Cents;
        }
    }

    fn solve_back_to(&mut self, outlook: &Outlook, rules: &Rules, first: usize) {
        let layer = self.scenarios.states * POINTS;
        let mut best = vec![0.0; layer];
        let mut costs = vec![0.0; layer];
        for quarter in (first..self.scenarios.horizon()).rev() {
            best.fill(Cents::INFINITY);
            let after = &self.cost_to_go[(quarter + 1) * layer..(quarter + 2) * layer];
            self.max_marginal_value[quarter] = self.grid.max_marginal_value(after);
            let before_target = rules.has_target_after(outlook.time(quarter));
            let powers = if before_target {
                TARGET_POWER_LEVELS
            } else {
                POWER_LEVELS
            };
            for mode in self.candidate_modes(outlook, rules, quarter, powers) {
                self.expected_costs(outlook, rules, quarter, mode, after, &mut costs);
                // Not `f32::min`: it handles NaN and is slower.
                for (best, cost) in best.iter_mut().zip(&costs) {
                    *best = if *cost < *best { *cost } else { *best };
                }
            }
            self.scenarios.expect_regimes(&mut best);
            self.add_target_penalty(outlook, rules, quarter, &mut best);
            self.cost_to_go[quarter * layer..(quarter + 1) * layer].copy_from_slice(&best);
        }
    }

    /// The expected cost of this quarter-hour in this mode and everything after it, for every grid point, by the shock before it
    /// and the regimes in it. The mode is chosen before the scenario is known, but regimes hardly change within a quarter-hour.
    fn expected_costs(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        mode: Mode,
        after: &[Cents],
        costs: &mut [Cents],
    ) {
        let states = costs
            .chunks_exact_mut(POINTS)
            .zip(after.chunks_exact(POINTS));
        for (state, (costs, after)) in states.enumerate() {
            let net = self.scenarios.net_load(quarter, state);
            let inputs = quarter_inputs(outlook, rules, quarter, mode, net);
            self.grid.costs(&inputs, after, costs);
        }
        self.scenarios.expect_shocks(costs);
    }

    /// Modes that may be optimal for some stored energy. Buying is left out where a kWh costs more than it ever saves later,
    /// holding where it saves more now.
    fn candidate_modes<'a>(
        &'a self,
        outlook: &Outlook,
        rules: &'a Rules,
        quarter: usize,
        powers: u32,
    ) -> impl Iterator<Item = Mode> + 'a {
        let price = outlook.prices[quarter];
        let most = self.max_marginal_value[quarter];
        let buying = price.import_cents() / rules.battery.charge_efficiency;
        let giving = (price.import_cents() - rules.wear) * rules.battery.discharge_efficiency;
        allowed_modes(rules, price, powers).filter(move |mode| match mode {
            Mode::SelfUse => true,
            Mode::Hold => giving < most,
            Mode::Charge(_) => buying < most,
        })
    }

    fn add_target_penalty(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        costs: &mut [Cents],
    ) {
        if let Some(wanted) = target_at(outlook, rules, quarter) {
            for (index, cost) in costs.iter_mut().enumerate() {
                let shortfall = wanted - self.grid.stored(index % POINTS);
                *cost += (TARGET_SHORTFALL_CENTS_PER_KWH * shortfall.max(0.0)) as Cents;
            }
        }
    }

    fn after(&self, quarter: usize, state: usize) -> &[Cents] {
        let first = ((quarter + 1) * self.scenarios.states + state) * POINTS;
        &self.cost_to_go[first..first + POINTS]
    }

    /// The expected cost of a mode over all states of the quarter-hour.
    pub fn expected_cost(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        stored: f64,
        mode: Mode,
    ) -> f64 {
        let states = self.scenarios.weights.iter().enumerate();
        states
            .map(|(state, weight)| {
                let after = self.after(quarter, state);
                let net = self.scenarios.net_load(quarter, state);
                let inputs = quarter_inputs(outlook, rules, quarter, mode, net);
                weight * self.grid.cost(&inputs, after, stored)
            })
            .sum()
    }

    /// The mode with the lowest expected cost, and that cost; the simpler mode on a tie.
    pub fn best_mode(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        stored: f64,
    ) -> (Mode, f64) {
        let before_target = rules.has_target_after(outlook.time(quarter));
        let enough = if before_target {
            MIN_IMPROVEMENT_BEFORE_TARGET_CENTS
        } else {
            MIN_IMPROVEMENT_CENTS
        };
        let mut best = (Mode::SelfUse, f64::INFINITY);
        for mode in self.candidate_modes(outlook, rules, quarter, FINE_POWER_LEVELS) {
            let cost = self.expected_cost(outlook, rules, quarter, stored, mode);
            let begins_to_buy = mode.buys() && !best.0.buys();
            let better = if begins_to_buy {
                enough
            } else {
                MIN_IMPROVEMENT_CENTS
            };
            if cost < best.1 - better {
                best = (mode, cost);
            }
        }
        best
    }

    /// Whether all these modes are still allowed. Known prices stay known, but the rules may have changed since the plan was
    /// made.
    pub(super) fn allows(&self, outlook: &Outlook, rules: &Rules, modes: &[Mode]) -> bool {
        modes
            .iter()
            .zip(&outlook.prices)
            .all(|(mode, price)| match mode {
                Mode::SelfUse | Mode::Hold => true,
                Mode::Charge(kw) => price.known && *kw <= rules.buy_kw + 1e-9,
            })
    }

    /// The expected cost when these modes are followed, whatever happens, and the optimal ones after them.
    pub fn cost_of_modes(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        stored: f64,
        first_modes: &[Mode],
    ) -> f64 {
        let layer = self.scenarios.states * POINTS;
        let first_modes = &first_modes[..first_modes.len().min(self.scenarios.horizon())];
        let mut after =
            self.cost_to_go[first_modes.len() * layer..(first_modes.len() + 1) * layer].to_vec();
        let mut now = vec![0.0; layer];
        for (quarter, mode) in first_modes.iter().enumerate().rev() {
            self.expected_costs(outlook, rules, quarter, *mode, &after, &mut now);
            self.scenarios.expect_regimes(&mut now);
            self.add_target_penalty(outlook, rules, quarter, &mut now);
            std::mem::swap(&mut now, &mut after);
        }
        let states = self
            .scenarios
            .weights
            .iter()
            .zip(after.chunks_exact(POINTS));
        states
            .map(|(weight, values)| weight * self.grid.interpolate(values, stored))
            .sum()
    }

    /// The plan along the expected path.
    pub fn plan(&self, outlook: &Outlook, rules: &Rules, stored: f64) -> Plan {
        self.plan_with_first_modes(outlook, rules, stored, &[])
    }

    /// The plan along the expected path, with the first modes given.
    pub(crate) fn plan_with_first_modes(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        stored: f64,
        first_modes: &[Mode],
    ) -> Plan {
        let mut charge = stored;
        let mut steps = Vec::with_capacity(self.scenarios.horizon());
        for quarter in 0..self.scenarios.horizon() {
            let mode = first_modes.get(quarter).copied();
            let mode = mode.unwrap_or_else(|| self.best_mode(outlook, rules, quarter, charge).0);
            let net = self.scenarios.means[quarter];
            let flow = rules
                .battery
                .step(charge, mode, net, HOURS_PER_QUARTER, rules.grid_cap);
            charge = flow.stored;
            steps.push(Step {
                start: outlook.time(quarter),
                mode,
                price: outlook.prices[quarter],
                stored: charge,
                flow,
            });
        }
        let expected = if first_modes.is_empty() && !steps.is_empty() {
            self.best_mode(outlook, rules, 0, stored).1
        } else {
            self.cost_of_modes(outlook, rules, stored, first_modes)
        };
        Plan {
            initial_stored: stored,
            steps,
            expected_cost: expected,
        }
    }

    /// The value function without a target, and the rules it was solved with.
    pub(crate) fn without_target(&self, outlook: &Outlook, rules: &Rules) -> (Self, Rules) {
        let rules = rules.without_target();
        let uncertainty = match self.scenarios.states {
            1 => Uncertainty::Ignored,
            _ => Uncertainty::Bands,
        };
        (Self::solve(outlook, &rules, uncertainty), rules)
    }

    /// The cost assigned to the energy left at the end of the plan, in cents; negative, as it saves money.
    pub fn terminal_value(&self, stored: f64) -> f64 {
        let layer = self.scenarios.states * POINTS;
        let end = &self.cost_to_go[self.scenarios.horizon() * layer..];
        let states = self.scenarios.weights.iter().enumerate();
        states
            .map(|(state, weight)| weight * self.grid.interpolate(&end[state * POINTS..], stored))
            .sum()
    }

    /// The stored energies of the grid points, each with its cost at the end.
    pub fn terminal_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (0..POINTS).map(|point| {
            (
                self.grid.stored(point),
                self.terminal_value(self.grid.stored(point)),
            )
        })
    }
}

/// The modes allowed at this price; nothing is bought at a guessed price. The owner's power is tried in `powers` equal steps.
fn allowed_modes(
    rules: &Rules,
    price: SlotPrice,
    powers: u32,
) -> impl Iterator<Item = Mode> + Clone {
    let most = rules.buy_kw.min(rules.battery.charge_kw);
    let powers = if price.known && most > 0.0 { powers } else { 0 };
    let part = most / f64::from(powers.max(1));
    let charge = (1..=powers).map(move |parts| Mode::Charge(f64::from(parts) * part));
    [Mode::SelfUse, Mode::Hold].into_iter().chain(charge)
}

/// The stored energy that a target requires at the start of a quarter-hour.
fn target_at(outlook: &Outlook, rules: &Rules, quarter: usize) -> Option<f64> {
    let target = rules.charge_target.filter(|target| {
        let at = outlook.time(quarter);
        target.by <= at && at < target.by + crate::QUARTER
    })?;
    Some(target.stored.min(rules.battery.capacity))
}

fn quarter_inputs<'a>(
    outlook: &Outlook,
    rules: &'a Rules,
    quarter: usize,
    mode: Mode,
    net: f64,
) -> QuarterInputs<'a> {
    QuarterInputs {
        battery: &rules.battery,
        grid_cap: rules.grid_cap,
        wear: rules.wear,
        price: outlook.prices[quarter],
        mode,
        net,
    }
}
