//! Why a plan does what it does. Each block gets the facts of a sentence, from the difference between the plan with the block and
//! without it.
#[cfg(test)]
mod tests;

use crate::plan::{MIN_GAIN_CENTS, Outlook, Plan, Rules, Step, ValueFunction};
use crate::{Mode, QUARTER};
use domain::clock::Millis;
use std::ops::Range;

/// Consecutive quarter-hours with the same mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub start: Millis,
    pub end: Millis,
    pub mode: Mode,
    /// The mean import price, in hundredths of a cent per kWh.
    pub price: i64,
    /// Expected stored energy at its end, in kWh.
    pub stored: f64,
    pub reason: Reason,
}

/// Facts only; the texts are in the locale catalogues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// Self-consumption: nothing else is better.
    FollowsMeter,
    /// Buys energy in its block instead of later at another price.
    Buys(CostComparison),
    /// Imports in its block instead of discharging, and discharges later.
    Keeps(CostComparison),
    /// Charges for the owner's charge target, whatever it costs.
    ChargeTarget { kwh: f64, cost: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostComparison {
    pub kwh: f64,
    /// The price of a kWh in the block, in hundredths of a cent.
    pub price: i64,
    /// The price of a kWh later. `None` when the energy is only used after the end of the plan, or when it is no more expensive
    /// later: then price is not the reason to buy now.
    pub price_instead: Option<i64>,
    /// When most of it would be bought otherwise.
    pub at: Option<Millis>,
    /// Expected, in hundredths of a cent.
    pub saving: i64,
}

/// In hundredths of a cent. A block that gains less than a change of plan requires is not explained by a saving.
const MIN_SAVING: i64 = (100.0 * MIN_GAIN_CENTS) as i64;
/// The difference that counts as more expensive, in hundredths of a cent per kWh.
const MIN_PRICE_DIFFERENCE: i64 = 100;
/// Less is shown as 0.0 kWh and is not worth a sentence either.
const MIN_KWH: f64 = 0.05;
/// Smaller differences between expected costs are numerical noise.
const COST_NOISE_CENTS: f64 = 0.1;

impl Reason {
    fn is_worth_showing(&self) -> bool {
        match self {
            Self::FollowsMeter => true,
            Self::Buys(facts) | Self::Keeps(facts) => {
                facts.saving >= MIN_SAVING && facts.kwh >= MIN_KWH
            }
            Self::ChargeTarget { kwh, .. } => *kwh >= MIN_KWH,
        }
    }
}

/// The plan as it is published, and its blocks, each with its reason.
///
/// A plan follows one expected path. Some blocks on it only prepare for other scenarios and gain nothing along that path. Of
/// those, only the block that starts now is kept, because it is the battery's next action. The others are published as
/// self-consumption until more is known.
pub fn explain(
    mut plan: Plan,
    values: &ValueFunction,
    outlook: &Outlook,
    rules: &Rules,
    stored: f64,
) -> (Plan, Vec<Block>) {
    let explainer = Explainer {
        values,
        outlook,
        rules,
        stored,
        without_target: rules
            .charge_target
            .map(|_| values.without_target(outlook, rules)),
    };
    let mut explained: Vec<(Range<usize>, Reason)> = Vec::new();
    let mut first = 0;
    while first < plan.steps.len() {
        let block = first..end_of(&plan, first);
        first = block.end;
        let (mut reason, without_block) = explainer.reason(&plan, block.clone());
        if let Some(without_block) = without_block
            && block.start > 0
            && !reason.is_worth_showing()
        {
            (plan, reason) = (without_block, Reason::FollowsMeter);
        }
        match explained.last_mut() {
            Some((before, Reason::FollowsMeter)) if reason == Reason::FollowsMeter => {
                before.end = block.end;
            }
            _ => explained.push((block, reason)),
        }
    }
    let blocks = explained.into_iter().map(|(block, reason)| {
        let steps = &plan.steps[block];
        Block {
            start: steps[0].start,
            end: steps[0].start + steps.len() as Millis * QUARTER,
            mode: mean_mode(steps),
            price: mean_price(steps),
            stored: steps[steps.len() - 1].stored,
            reason,
        }
    });
    let blocks = blocks.collect();
    (plan, blocks)
}

/// The first step after `first` with another kind of mode.
fn end_of(plan: &Plan, first: usize) -> usize {
    let kind = |step: &Step| std::mem::discriminant(&step.mode);
    let same = |step: &&Step| kind(step) == kind(&plan.steps[first]);
    first + plan.steps[first..].iter().take_while(same).count()
}

struct Explainer<'a> {
    values: &'a ValueFunction,
    outlook: &'a Outlook,
    rules: &'a Rules,
    stored: f64,
    /// The value function and rules without the owner's charge target, if there is one. They show whether a block saves money or
    /// serves the target.
    without_target: Option<(ValueFunction, Rules)>,
}

impl Explainer<'_> {
    /// Why the plan has this block, and the plan without it.
    fn reason(&self, plan: &Plan, block: Range<usize>) -> (Reason, Option<Plan>) {
        let Self {
            values,
            outlook,
            rules,
            stored,
            ..
        } = *self;
        if plan.steps[block.start].mode == Mode::SelfUse {
            return (Reason::FollowsMeter, None);
        }
        let steps = plan.steps[..block.end].iter();
        let modes: Vec<Mode> = steps.map(|step| step.mode).collect();
        let mut kept = modes.clone();
        kept[block.clone()].fill(Mode::SelfUse);
        let without = values.plan_with_first_modes(outlook, rules, stored, &kept);
        let gain = without.expected_cost - values.cost_of_modes(outlook, rules, stored, &modes);
        let saves = self
            .without_target
            .as_ref()
            .map_or(gain, |(values, rules)| {
                values.cost_of_modes(outlook, rules, stored, &kept)
                    - values.cost_of_modes(outlook, rules, stored, &modes)
            });
        let for_target = saves < MIN_GAIN_CENTS && gain > saves + COST_NOISE_CENTS;
        let reason = difference(plan, &without, block, saves, for_target);
        (reason, Some(without))
    }
}

/// A block that charges has its mean power.
fn mean_mode(steps: &[Step]) -> Mode {
    match steps[0].mode {
        Mode::Charge(_) => {
            let kw = steps.iter().map(|step| match step.mode {
                Mode::Charge(kw) => kw,
                Mode::SelfUse | Mode::Hold => 0.0,
            });
            Mode::Charge(kw.sum::<f64>() / steps.len() as f64)
        }
        mode => mode,
    }
}

fn mean_price(steps: &[Step]) -> i64 {
    steps.iter().map(|step| step.price.import).sum::<i64>() / steps.len() as i64
}

/// `saves` is in cents and ignores the charge target.
fn difference(
    with: &Plan,
    without: &Plan,
    block: Range<usize>,
    saves: f64,
    for_target: bool,
) -> Reason {
    let pairs = || with.steps.iter().zip(&without.steps).enumerate();
    // More imported in the block and less after it, both along the expected path.
    let more = |(n, (with, without)): (usize, (&Step, &Step))| {
        let kwh = with.flow.import - without.flow.import;
        (block.contains(&n) && kwh > 0.0).then_some((kwh, with.price.import, with.start))
    };
    let less = |(n, (with, without)): (usize, (&Step, &Step))| {
        let kwh = without.flow.import - with.flow.import;
        (n >= block.end && kwh > 0.0).then_some((kwh, without.price.import, without.start))
    };
    let bought = EnergyCost::of(pairs().filter_map(more));
    let spared = EnergyCost::of(pairs().filter_map(less));
    if for_target {
        return Reason::ChargeTarget {
            kwh: bought.kwh,
            cost: (-100.0 * saves).round().max(0.0) as i64,
        };
    }
    let price = bought
        .price()
        .unwrap_or_else(|| mean_price(&with.steps[block.clone()]));
    let price_instead = spared
        .price()
        .filter(|later| *later >= price + MIN_PRICE_DIFFERENCE);
    let facts = CostComparison {
        kwh: bought.kwh,
        price,
        price_instead,
        at: spared.most_at.filter(|_| price_instead.is_some()),
        saving: (100.0 * saves).round() as i64,
    };
    match with.steps[block.start].mode {
        Mode::Charge(_) => Reason::Buys(facts),
        Mode::SelfUse | Mode::Hold => Reason::Keeps(facts),
    }
}

/// An amount of energy, its cost, and when most of it flows.
#[derive(Default)]
struct EnergyCost {
    kwh: f64,
    cost: f64,
    most: f64,
    most_at: Option<Millis>,
}

impl EnergyCost {
    fn of(parts: impl Iterator<Item = (f64, i64, Millis)>) -> Self {
        let mut sum = Self::default();
        for (kwh, price, at) in parts {
            sum.kwh += kwh;
            sum.cost += kwh * price as f64;
            if kwh > sum.most {
                sum.most = kwh;
                sum.most_at = Some(at);
            }
        }
        sum
    }

    fn price(&self) -> Option<i64> {
        (self.kwh > 0.01).then(|| (self.cost / self.kwh).round() as i64)
    }
}
