//! Why a plan does what it does: for each block the facts of a sentence, from the difference between the plan with it and without it.
use crate::plan::{Outlook, Plan, Rules, Step, Values};
use crate::{Mode, QUARTER};
use domain::clock::Millis;

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
    /// What a kWh would cost later; `None` when what is bought is only used after the end of the plan.
    pub price_instead: Option<i64>,
    /// When most of it would be bought.
    pub at: Option<Millis>,
    /// Expected, in hundredths of a cent.
    pub saving: i64,
}

/// The plan in blocks, each with its reason.
pub fn blocks(
    plan: &Plan,
    values: &Values,
    outlook: &Outlook,
    rules: &Rules,
    stored: f64,
) -> Vec<Block> {
    let modes: Vec<Mode> = plan.steps.iter().map(|step| step.mode).collect();
    let mut blocks = Vec::new();
    let mut first = 0;
    while first < modes.len() {
        let same =
            |mode: &&Mode| std::mem::discriminant(*mode) == std::mem::discriminant(&modes[first]);
        let end = first + modes[first..].iter().take_while(same).count();
        let steps = &plan.steps[first..end];
        let reason = match modes[first] {
            Mode::SelfUse => Reason::FollowsMeter,
            Mode::Hold | Mode::Charge(_) => {
                let mut without = modes[..end].to_vec();
                without[first..].fill(Mode::SelfUse);
                let other = values.follow_from(outlook, rules, stored, &without);
                let cost = values.cost_of(outlook, rules, stored, &modes[..end]);
                difference(plan, &other, first..end, other.expected - cost, rules)
            }
        };
        blocks.push(Block {
            start: steps[0].start,
            end: steps[0].start + steps.len() as Millis * QUARTER,
            mode: mean_mode(steps),
            price: mean_price(steps),
            stored: steps[steps.len() - 1].stored,
            reason,
        });
        first = end;
    }
    blocks
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

fn difference(
    with: &Plan,
    without: &Plan,
    block: std::ops::Range<usize>,
    gain: f64,
    rules: &Rules,
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
    let for_wish = rules.wish.is_some_and(|wish| {
        let start = with.steps[block.start].start;
        start < wish.by && (gain > crate::plan::WISH_MISSED * 0.5 * bought.kwh.max(0.05))
    });
    if for_wish {
        return Reason::Wish {
            kwh: bought.kwh,
            cost: (bought.cost - spared.cost).round() as i64,
        };
    }
    let facts = Instead {
        kwh: bought.kwh,
        price: bought
            .price()
            .unwrap_or_else(|| mean_price(&with.steps[block.clone()])),
        price_instead: spared.price(),
        at: spared.most_at,
        saving: (100.0 * gain).round() as i64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::battery::tests::ten_kwh;
    use crate::plan::{REACH, View, Wish};
    use crate::{Band, SlotPrice};

    fn rules() -> Rules {
        Rules {
            battery: ten_kwh(),
            wear: 0.0,
            grid_cap: None,
            buy_kw: 4.6,
            wish: None,
        }
    }

    /// A house of 600 W without sun; the import price by the hour of the day, in hundredths of a cent.
    fn outlook(price: impl Fn(usize) -> i64) -> Outlook {
        let price = |quarter: usize| SlotPrice {
            import: price(quarter % 96 / 4),
            feed_in: 790,
            known: true,
        };
        Outlook {
            start: 0,
            load: vec![Band::certain(600.0); REACH],
            pv: vec![Band::default(); REACH],
            prices: (0..REACH).map(price).collect(),
        }
    }

    fn explained(outlook: &Outlook, rules: &Rules, stored: f64) -> Vec<Block> {
        let values = Values::reckon(outlook, rules, View::Bands);
        let plan = values.follow(outlook, rules, stored);
        blocks(&plan, &values, outlook, rules, stored)
    }

    fn hour(at: Millis) -> i64 {
        at / (4 * QUARTER) % 24
    }

    #[test]
    fn a_block_that_buys_says_how_much_for_how_much_instead_of_what_and_when() {
        let night = outlook(|hour| match hour {
            2 | 3 => 2_400,
            18..=20 => 3_900,
            _ => 3_700,
        });
        let blocks = explained(&night, &rules(), 0.5);
        let buys = blocks.iter().find_map(|block| match block.reason {
            Reason::Buys(facts) => Some((block, facts)),
            _ => None,
        });
        let (block, facts) = buys.expect("the plan buys at night");
        assert!((2..=3).contains(&hour(block.start)) && facts.price == 2_400);
        assert!(block.end <= 16 * QUARTER && facts.kwh > 4.0, "{facts:?}");
        let instead = facts.price_instead.unwrap();
        assert!((3_700..=3_900).contains(&instead), "{facts:?}");
        assert!(facts.at.unwrap() >= block.end);
        // What comes out again is 92 % of what was bought.
        let saving = facts.kwh * (0.92 * instead as f64 - 2_400.0);
        let said = facts.saving as f64;
        assert!((said - saving).abs() < 0.25 * saving, "{facts:?} {saving}");
    }

    #[test]
    fn a_block_that_keeps_says_for_when() {
        let evening = outlook(|hour| match hour {
            18..=20 => 4_500,
            _ => 3_900,
        });
        let blocks = explained(&evening, &rules(), 2.2);
        let keeps = blocks.iter().find_map(|block| match block.reason {
            Reason::Keeps(facts) => Some((block, facts)),
            _ => None,
        });
        let (block, facts) = keeps.expect("the plan keeps its charge for the evening");
        assert!(matches!(block.mode, Mode::Hold));
        // Without the block it would buy some of it shortly before, which is cheaper than in the evening itself.
        let instead = facts.price_instead.unwrap();
        assert!(facts.price == 3_900 && (4_200..=4_500).contains(&instead));
        assert!(facts.at.unwrap() >= block.end);
        assert!(facts.saving > 0);
    }

    #[test]
    fn blocks_cover_the_plan_without_gap_or_overlap() {
        let blocks = explained(
            &outlook(|hour| 2_500 + 100 * (hour as i64 % 12)),
            &rules(),
            5.0,
        );
        assert_eq!(blocks[0].start, 0);
        assert_eq!(blocks[blocks.len() - 1].end, REACH as Millis * QUARTER);
        assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
    }

    #[test]
    fn a_flat_price_has_nothing_to_explain() {
        let blocks = explained(&outlook(|_| 3_000), &rules(), 5.0);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].reason, Reason::FollowsMeter);
    }

    #[test]
    fn what_is_bought_for_a_wish_says_so_and_what_it_costs() {
        let wishing = Rules {
            wish: Some(Wish {
                stored: 7.0,
                by: 72 * QUARTER,
            }),
            ..rules()
        };
        let blocks = explained(&outlook(|_| 3_000), &wishing, 0.5);
        let wish = blocks.iter().find_map(|block| match block.reason {
            Reason::Wish { kwh, .. } => Some(kwh),
            _ => None,
        });
        assert!(wish.is_some_and(|kwh| kwh > 3.0), "{blocks:?}");
    }
}
