//! What a charge is worth at each time: dynamic programming backwards over a grid of charges. In each quarter-hour the mode is
//! chosen before it is known what comes; the battery then reads the meter.
use super::grid::{Case, Cents, Grid, POINTS};
use super::{Chances, Outlook, Plan, Rules, Step, View};
use crate::{HOURS, Mode, QUARTERS_A_DAY, SlotPrice};

/// Powers to charge with: few where all charges are reckoned, more where one plan is followed. A wish is to be met exactly: with four
/// later never did it as well as now, and a plan would buy for it hours before at the same price.
const POWERS: u32 = 4;
const WISH_POWERS: u32 = 8;
const FINE_POWERS: u32 = 20;
/// What each kWh that a wish lacks at its time is taken to cost, in cents: more than any price.
const WISH_MISSED: f64 = 200.0;

/// A mode is taken for a plainer one when it is better by so many cents; costs are not exact to less.
const BETTER: f64 = 0.001;
/// The same for buying while a wish is ahead: it can be bought for at any time, and what is left of the grain of powers and charges is
/// no reason to do it now.
const BETTER_THAN_LATER: f64 = 0.1;

/// The cost to come by quarter-hour, state of sun, load and turn before it, and charge, in cents.
#[derive(Clone, Debug)]
pub struct Values {
    chances: Chances,
    grid: Grid,
    to_come: Vec<Cents>,
    /// By quarter-hour: what a kWh more in the store saves after it at most.
    worth: Vec<f64>,
}

impl Values {
    pub fn reckon(outlook: &Outlook, rules: &Rules, view: View) -> Self {
        let mut values = Self::nothing_known(outlook, rules, view);
        values.value_the_end(outlook, rules);
        values.reckon_from(outlook, rules, 0);
        values
    }

    fn nothing_known(outlook: &Outlook, rules: &Rules, view: View) -> Self {
        let chances = Chances::of(outlook, view);
        Self {
            to_come: vec![0.0; (chances.reach() + 1) * chances.states * POINTS],
            worth: vec![0.0; chances.reach()],
            grid: Grid::of(&rules.battery),
            chances,
        }
    }

    /// What is left at the end is worth what the same charge is worth a day before: the day after is taken to be like this one. That
    /// is reckoned as if means were sure, as it is a day and a half away and would take as long as the rest of the plan.
    fn value_the_end(&mut self, outlook: &Outlook, rules: &Rules) {
        self.value_by_mean_price(outlook, rules);
        let reach = self.chances.reach();
        let Some(day_before) = reach.checked_sub(QUARTERS_A_DAY) else {
            return;
        };
        // A wish is for once: the day after has none.
        let rules = &rules.unwished();
        let mut sure = Self::nothing_known(outlook, rules, View::Certain);
        sure.value_by_mean_price(outlook, rules);
        sure.reckon_from(outlook, rules, day_before);
        let like = &sure.to_come[day_before * POINTS..(day_before + 1) * POINTS];
        let end = &mut self.to_come[reach * self.chances.states * POINTS..];
        for (place, cost) in end.iter_mut().enumerate() {
            *cost = like[place % POINTS] - like[0];
        }
    }

    fn value_by_mean_price(&mut self, outlook: &Outlook, rules: &Rules) {
        let reach = self.chances.reach();
        let prices = &outlook.prices[..reach];
        let mean =
            prices.iter().map(|price| price.import_cents()).sum::<f64>() / reach.max(1) as f64;
        let worth = (mean - rules.wear).max(0.0) * rules.battery.discharge_efficiency;
        let layer = self.chances.states * POINTS;
        for place in 0..layer {
            let stored = self.grid.stored(place % POINTS);
            let above = (stored - rules.battery.floor).max(0.0);
            self.to_come[reach * layer + place] = (-worth * above) as Cents;
        }
    }

    fn reckon_from(&mut self, outlook: &Outlook, rules: &Rules, first: usize) {
        let layer = self.chances.states * POINTS;
        let mut best = vec![0.0; layer];
        let mut costs = vec![0.0; layer];
        for quarter in (first..self.chances.reach()).rev() {
            best.fill(Cents::INFINITY);
            let after = &self.to_come[(quarter + 1) * layer..(quarter + 2) * layer];
            self.worth[quarter] = self.grid.worth(after);
            let wishes = rules.wishes_after(outlook.time(quarter));
            let powers = if wishes { WISH_POWERS } else { POWERS };
            for mode in self.sensible(outlook, rules, quarter, powers) {
                self.costs(outlook, rules, quarter, mode, after, &mut costs);
                // Not by `min`, which also looks out for what is not a number and is slower by it.
                for (best, cost) in best.iter_mut().zip(&costs) {
                    *best = if *cost < *best { *cost } else { *best };
                }
            }
            self.chances.expect_tempers(&mut best);
            self.wish(outlook, rules, quarter, &mut best);
            self.to_come[quarter * layer..(quarter + 1) * layer].copy_from_slice(&best);
        }
    }

    /// What this quarter-hour in this mode and all that comes after it are expected to cost, from every charge on, by the turn before
    /// it and the tempers in it: the mode is chosen before it is known what comes, but tempers hardly change in a quarter-hour.
    fn costs(
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
            let net = self.chances.net(quarter, state);
            let case = case(outlook, rules, quarter, mode, net);
            self.grid.costs(&case, after, costs);
        }
        self.chances.expect_turns(costs);
    }

    /// Modes that may be best at some charge. Buying is not where a kWh costs more than it ever saves later, and holding is not where it
    /// saves more now.
    fn sensible<'a>(
        &'a self,
        outlook: &Outlook,
        rules: &'a Rules,
        quarter: usize,
        powers: u32,
    ) -> impl Iterator<Item = Mode> + 'a {
        let price = outlook.prices[quarter];
        let most = self.worth[quarter];
        let buying = price.import_cents() / rules.battery.charge_efficiency;
        let giving = (price.import_cents() - rules.wear) * rules.battery.discharge_efficiency;
        modes(rules, price, powers).filter(move |mode| match mode {
            Mode::SelfUse => true,
            Mode::Hold => giving < most,
            Mode::Charge(_) => buying < most,
        })
    }

    fn wish(&self, outlook: &Outlook, rules: &Rules, quarter: usize, costs: &mut [Cents]) {
        if let Some(wanted) = wished(outlook, rules, quarter) {
            for (place, cost) in costs.iter_mut().enumerate() {
                let lacks = wanted - self.grid.stored(place % POINTS);
                *cost += (WISH_MISSED * lacks.max(0.0)) as Cents;
            }
        }
    }

    fn after(&self, quarter: usize, state: usize) -> &[Cents] {
        let first = ((quarter + 1) * self.chances.states + state) * POINTS;
        &self.to_come[first..first + POINTS]
    }

    /// What a mode costs now, when it is not known yet what state the quarter-hour is in.
    pub fn expected(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        stored: f64,
        mode: Mode,
    ) -> f64 {
        let states = self.chances.weights.iter().enumerate();
        states
            .map(|(state, weight)| {
                let after = self.after(quarter, state);
                let net = self.chances.net(quarter, state);
                let case = case(outlook, rules, quarter, mode, net);
                weight * self.grid.cost(&case, after, stored)
            })
            .sum()
    }

    /// The mode that is expected to cost least, and what; the plainer one where two are equal.
    pub fn best(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        quarter: usize,
        stored: f64,
    ) -> (Mode, f64) {
        let wishes = rules.wishes_after(outlook.time(quarter));
        let enough = if wishes { BETTER_THAN_LATER } else { BETTER };
        let mut best = (Mode::SelfUse, f64::INFINITY);
        for mode in self.sensible(outlook, rules, quarter, FINE_POWERS) {
            let cost = self.expected(outlook, rules, quarter, stored, mode);
            let begins_to_buy = mode.buys() && !best.0.buys();
            let better = if begins_to_buy { enough } else { BETTER };
            if cost < best.1 - better {
                best = (mode, cost);
            }
        }
        best
    }

    /// Whether all these modes are allowed: prices that were known when a plan was made still are, but rules may have changed.
    pub(super) fn allows(&self, outlook: &Outlook, rules: &Rules, modes: &[Mode]) -> bool {
        modes
            .iter()
            .zip(&outlook.prices)
            .all(|(mode, price)| match mode {
                Mode::SelfUse | Mode::Hold => true,
                Mode::Charge(kw) => price.known && *kw <= rules.buy_kw + 1e-9,
            })
    }

    /// What is expected when these modes are kept to, whatever comes, and after them the best is done.
    pub fn cost_of(&self, outlook: &Outlook, rules: &Rules, stored: f64, kept: &[Mode]) -> f64 {
        let layer = self.chances.states * POINTS;
        let kept = &kept[..kept.len().min(self.chances.reach())];
        let mut after = self.to_come[kept.len() * layer..(kept.len() + 1) * layer].to_vec();
        let mut now = vec![0.0; layer];
        for (quarter, mode) in kept.iter().enumerate().rev() {
            self.costs(outlook, rules, quarter, *mode, &after, &mut now);
            self.chances.expect_tempers(&mut now);
            self.wish(outlook, rules, quarter, &mut now);
            std::mem::swap(&mut now, &mut after);
        }
        let states = self.chances.weights.iter().zip(after.chunks_exact(POINTS));
        states
            .map(|(weight, values)| weight * self.grid.at(values, stored))
            .sum()
    }

    /// The plan as it runs when everything comes as expected.
    pub fn follow(&self, outlook: &Outlook, rules: &Rules, stored: f64) -> Plan {
        self.follow_from(outlook, rules, stored, &[])
    }

    /// The same with the first modes given.
    pub(crate) fn follow_from(
        &self,
        outlook: &Outlook,
        rules: &Rules,
        stored: f64,
        kept: &[Mode],
    ) -> Plan {
        let mut charge = stored;
        let mut steps = Vec::with_capacity(self.chances.reach());
        for quarter in 0..self.chances.reach() {
            let mode = kept.get(quarter).copied();
            let mode = mode.unwrap_or_else(|| self.best(outlook, rules, quarter, charge).0);
            let net = self.chances.means[quarter];
            let flow = rules.battery.step(charge, mode, net, HOURS, rules.grid_cap);
            charge = flow.stored;
            steps.push(Step {
                start: outlook.time(quarter),
                mode,
                price: outlook.prices[quarter],
                stored: charge,
                flow,
            });
        }
        let expected = if kept.is_empty() && !steps.is_empty() {
            self.best(outlook, rules, 0, stored).1
        } else {
            self.cost_of(outlook, rules, stored, kept)
        };
        Plan {
            began: stored,
            steps,
            expected,
        }
    }

    /// The same without a wish, and the rules of it.
    pub(crate) fn unwished(&self, outlook: &Outlook, rules: &Rules) -> (Self, Rules) {
        let rules = rules.unwished();
        let view = match self.chances.states {
            1 => View::Certain,
            _ => View::Bands,
        };
        (Self::reckon(outlook, &rules, view), rules)
    }

    /// What a charge at the end of the plan is counted as, in cents; below zero, as it saves.
    pub fn at_end(&self, stored: f64) -> f64 {
        let layer = self.chances.states * POINTS;
        let end = &self.to_come[self.chances.reach() * layer..];
        let states = self.chances.weights.iter().enumerate();
        states
            .map(|(state, weight)| weight * self.grid.at(&end[state * POINTS..], stored))
            .sum()
    }

    /// The charges that the grid has points for, and what each is counted as at the end.
    pub fn end_points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        (0..POINTS).map(|point| {
            (
                self.grid.stored(point),
                self.at_end(self.grid.stored(point)),
            )
        })
    }
}

/// What may be done at this price: nothing is bought on a guess. The owner's power is tried in so many equal parts.
fn modes(rules: &Rules, price: SlotPrice, powers: u32) -> impl Iterator<Item = Mode> + Clone {
    let most = rules.buy_kw.min(rules.battery.charge_kw);
    let powers = if price.known && most > 0.0 { powers } else { 0 };
    let part = most / f64::from(powers.max(1));
    let charge = (1..=powers).map(move |parts| Mode::Charge(f64::from(parts) * part));
    [Mode::SelfUse, Mode::Hold].into_iter().chain(charge)
}

/// The charge that is wished for at the start of a quarter-hour.
fn wished(outlook: &Outlook, rules: &Rules, quarter: usize) -> Option<f64> {
    let wish = rules.wish.filter(|wish| {
        let at = outlook.time(quarter);
        wish.by <= at && at < wish.by + crate::QUARTER
    })?;
    Some(wish.stored.min(rules.battery.capacity))
}

fn case<'a>(outlook: &Outlook, rules: &'a Rules, quarter: usize, mode: Mode, net: f64) -> Case<'a> {
    Case {
        battery: &rules.battery,
        grid_cap: rules.grid_cap,
        wear: rules.wear,
        price: outlook.prices[quarter],
        mode,
        net,
    }
}
