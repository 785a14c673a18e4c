//! Why a plan does what it does: for each block the facts of a sentence, from the difference between the plan with it and without it.
#[cfg(test)]
mod tests;

use crate::plan::{Outlook, Plan, Rules, Step, Values, WORTH_A_CHANGE};
use crate::{Mode, QUARTER};
use domain::clock::Millis;
use std::ops::Range;

/// Quarter-hours in a row in which a plan does the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub start: Millis,
    pub end: Millis,
    pub mode: Mode,
    /// The mean import price, in hundredths of a cent a kWh.
    pub price: i64,
    /// Expected in the store at its end, in kWh.
    pub stored: f64,
    pub reason: Reason,
}

/// The facts; texts come from the catalogues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// Nothing better than to follow the meter.
    FollowsMeter,
    /// Buys so many kWh in its block, which are not bought later at another price.
    Buys(Instead),
    /// Buys in its block what it would otherwise have given, and gives it later.
    Keeps(Instead),
    /// For the owner's wish, whatever it costs.
    Wish { kwh: f64, cost: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instead {
    pub kwh: f64,
    /// What a kWh costs in the block, in hundredths of a cent.
    pub price: i64,
    /// What a kWh would cost later; `None` when what is bought is only used after the end of the plan, or is no dearer then: that is
    /// not why it is bought now.
    pub price_instead: Option<i64>,
    /// When most of it would be bought at that price.
    pub at: Option<Millis>,
    /// Expected, in hundredths of a cent.
    pub saving: i64,
}

/// In hundredths of a cent: what is not worth a change of plan is not worth a sentence.
const WORTH_TELLING: i64 = (100.0 * WORTH_A_CHANGE) as i64;
/// So much more a kWh has to cost to be called dearer, in hundredths of a cent.
const DEARER: i64 = 100;
/// So is energy that is rounded to 0.0 kWh.
const LITTLE: f64 = 0.05;
/// Two ways of reckoning that differ by so many cents do not by chance.
const SURELY: f64 = 0.1;

impl Reason {
    fn is_worth_telling(&self) -> bool {
        match self {
            Self::FollowsMeter => true,
            Self::Buys(facts) | Self::Keeps(facts) => {
                facts.saving >= WORTH_TELLING && facts.kwh >= LITTLE
            }
            Self::Wish { kwh, .. } => *kwh >= LITTLE,
        }
    }
}

/// The plan as it is told, and its blocks, each with its reason. A plan follows one expected way, on which some blocks are there only
/// for what may come instead: kept to, they gain nothing. Of those only the one that is next stays, as it is what the battery does;
/// the others follow the meter until it is known better.
pub fn explain(
    mut plan: Plan,
    values: &Values,
    outlook: &Outlook,
    rules: &Rules,
    stored: f64,
) -> (Plan, Vec<Block>) {
    let ground = Ground {
        values,
        outlook,
        rules,
        stored,
        unwished: rules.wish.map(|_| values.unwished(outlook, rules)),
    };
    let mut told: Vec<(Range<usize>, Reason)> = Vec::new();
    let mut first = 0;
    while first < plan.steps.len() {
        let block = first..end_of(&plan, first);
        first = block.end;
        let (mut reason, without) = ground.reason(&plan, block.clone());
        if let Some(without) = without
            && block.start > 0
            && !reason.is_worth_telling()
        {
            (plan, reason) = (without, Reason::FollowsMeter);
        }
        match told.last_mut() {
            Some((before, Reason::FollowsMeter)) if reason == Reason::FollowsMeter => {
                before.end = block.end;
            }
            _ => told.push((block, reason)),
        }
    }
    let blocks = told.into_iter().map(|(block, reason)| {
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

/// Where the same is no longer done.
fn end_of(plan: &Plan, first: usize) -> usize {
    let kind = |step: &Step| std::mem::discriminant(&step.mode);
    let same = |step: &&Step| kind(step) == kind(&plan.steps[first]);
    first + plan.steps[first..].iter().take_while(same).count()
}

/// What there is to reckon reasons from.
struct Ground<'a> {
    values: &'a Values,
    outlook: &'a Outlook,
    rules: &'a Rules,
    stored: f64,
    /// The same without the owner's wish, where there is one: only so a block that saves is told from one that is for the wish.
    unwished: Option<(Values, Rules)>,
}

impl Ground<'_> {
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
        let without = values.follow_from(outlook, rules, stored, &kept);
        let gain = without.expected - values.cost_of(outlook, rules, stored, &modes);
        let saves = self.unwished.as_ref().map_or(gain, |(values, rules)| {
            values.cost_of(outlook, rules, stored, &kept)
                - values.cost_of(outlook, rules, stored, &modes)
        });
        let for_wish = saves < WORTH_A_CHANGE && gain > saves + SURELY;
        let reason = difference(plan, &without, block, saves, for_wish);
        (reason, Some(without))
    }
}

/// A block that charges says how fast on the average.
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

/// `saves` in cents, the wish left aside.
fn difference(
    with: &Plan,
    without: &Plan,
    block: Range<usize>,
    saves: f64,
    for_wish: bool,
) -> Reason {
    let pairs = || with.steps.iter().zip(&without.steps).enumerate();
    // What is bought more in the block, and what less after it; both along the expected way.
    let more = |(n, (with, without)): (usize, (&Step, &Step))| {
        let kwh = with.flow.import - without.flow.import;
        (block.contains(&n) && kwh > 0.0).then_some((kwh, with.price.import, with.start))
    };
    let less = |(n, (with, without)): (usize, (&Step, &Step))| {
        let kwh = without.flow.import - with.flow.import;
        (n >= block.end && kwh > 0.0).then_some((kwh, without.price.import, without.start))
    };
    let bought = Sum::of(pairs().filter_map(more));
    let spared = Sum::of(pairs().filter_map(less));
    if for_wish {
        return Reason::Wish {
            kwh: bought.kwh,
            cost: (-100.0 * saves).round().max(0.0) as i64,
        };
    }
    let price = bought
        .price()
        .unwrap_or_else(|| mean_price(&with.steps[block.clone()]));
    let price_instead = spared.price().filter(|later| *later >= price + DEARER);
    let facts = Instead {
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

/// Energy with what it costs, and when most of it flows.
#[derive(Default)]
struct Sum {
    kwh: f64,
    cost: f64,
    most: f64,
    most_at: Option<Millis>,
}

impl Sum {
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
