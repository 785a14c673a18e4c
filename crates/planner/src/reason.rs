//! Why a plan does what it does: for each block the facts of a sentence, from the difference between the plan with it and without it.
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
        unwished: rules.wish.map(|_| values.without_wish(outlook, rules)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::battery::tests::ten_kwh;
    use crate::plan::{REACH, View, Wish};
    use crate::{Band, Battery, SlotPrice};

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
        explain(plan, &values, outlook, rules, stored).1
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
    fn a_price_that_is_no_dearer_later_is_no_reason() {
        // Cheap until midnight and dear from then on: whatever is left for later is bought at the same price before midnight.
        let tonight = Outlook {
            prices: (0..REACH)
                .map(|quarter| SlotPrice {
                    import: if quarter < 24 { 1_000 } else { 6_000 },
                    feed_in: 790,
                    known: true,
                })
                .collect(),
            ..outlook(|_| 0)
        };
        let blocks = explained(&tonight, &rules(), 1.0);
        let mut told = 0;
        for block in &blocks {
            if let Reason::Buys(facts) | Reason::Keeps(facts) = block.reason {
                told += 1;
                assert_eq!(facts.price_instead.is_some(), facts.at.is_some());
                assert!(facts.price_instead.is_none_or(|later| later >= 1_100));
                assert!(facts.saving >= WORTH_TELLING || block.start == 0);
            }
        }
        assert!(told > 0, "{blocks:?}");
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

    /// Use and sun of which much is open, and a price that moves a little: the plan hesitates, but has little to gain.
    fn unsure() -> Outlook {
        let sun = |quarter: usize| {
            let noon = 1.0 - ((quarter % 96) as f64 - 48.0).abs() / 20.0;
            let most = 5_000.0 * noon.max(0.0);
            Band {
                p10: 0.1 * most,
                p50: 0.5 * most,
                p90: most,
                mean: 0.5 * most,
            }
        };
        let load = Band {
            p10: 100.0,
            p50: 500.0,
            p90: 1_800.0,
            mean: 750.0,
        };
        Outlook {
            load: vec![load; REACH],
            pv: (0..REACH).map(sun).collect(),
            ..outlook(|hour| 3_000 + 150 * (hour as i64 * 7 % 5))
        }
    }

    #[test]
    fn later_blocks_that_gain_nothing_follow_the_meter_and_the_next_one_stays() {
        let (mut dropped, rules) = (0, rules());
        for tenths in 1..=10 {
            let stored = f64::from(tenths);
            let outlook = unsure();
            let values = Values::reckon(&outlook, &rules, View::Bands);
            let plan = values.follow(&outlook, &rules, stored);
            let acts = |plan: &Plan| {
                plan.steps
                    .iter()
                    .filter(|step| step.mode != Mode::SelfUse)
                    .count()
            };
            let (told, blocks) = explain(plan.clone(), &values, &outlook, &rules, stored);
            dropped += acts(&plan).saturating_sub(acts(&told));
            assert_eq!(told.next(), plan.next());
            assert_eq!(told.steps.len(), plan.steps.len());
            for block in &blocks[1..] {
                assert!(block.reason.is_worth_telling(), "{block:?}");
            }
            for pair in blocks.windows(2) {
                let [mode, next] =
                    [&pair[0], &pair[1]].map(|block| std::mem::discriminant(&block.mode));
                assert_ne!(mode, next, "{pair:?}");
            }
            // The charge that is shown is that of the modes that are told.
            for block in &blocks {
                let steps = told
                    .steps
                    .iter()
                    .filter(|step| (block.start..block.end).contains(&step.start));
                for step in steps {
                    let kind = std::mem::discriminant(&step.mode);
                    assert_eq!(kind, std::mem::discriminant(&block.mode));
                }
            }
        }
        assert!(
            dropped > 0,
            "nothing was to be dropped, so that nothing was tested"
        );
    }

    #[test]
    fn a_flat_price_has_nothing_to_explain() {
        let blocks = explained(&outlook(|_| 3_000), &rules(), 5.0);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0].reason, Reason::FollowsMeter);
    }

    fn wishing(percent: f64, hour: i64, floor: f64) -> Rules {
        let battery = Battery { floor, ..ten_kwh() };
        Rules {
            battery,
            wish: Some(Wish {
                stored: percent / 10.0,
                by: hour * 4 * QUARTER,
            }),
            ..rules()
        }
    }

    #[test]
    fn what_is_bought_for_a_wish_says_so_and_promises_nothing() {
        for (percent, hour, floor) in [
            (70.0, 18, 0.5),
            (70.0, 6, 0.5),
            (43.0, 11, 1.2),
            (100.0, 20, 0.0),
            (65.0, 13, 2.0),
        ] {
            let rules = wishing(percent, hour, floor);
            let blocks = explained(&outlook(|_| 3_000), &rules, floor);
            let (mut kwh, mut cost) = (0.0, 0);
            for block in &blocks {
                match block.reason {
                    Reason::FollowsMeter => {}
                    Reason::Wish {
                        kwh: bought,
                        cost: costs,
                    } => {
                        assert!(block.end <= hour * 4 * QUARTER, "{blocks:?}");
                        kwh += if block.mode == Mode::Hold {
                            0.0
                        } else {
                            bought
                        };
                        cost += costs;
                    }
                    Reason::Buys(_) | Reason::Keeps(_) => {
                        panic!("{percent} % by {hour}: {blocks:?}")
                    }
                }
            }
            assert!(
                kwh > percent / 10.0 - floor,
                "{percent} % by {hour}: {blocks:?}"
            );
            // Nothing but what is lost on the way in and out.
            let lost = 0.08 * 3_000.0 * kwh;
            assert!(
                (cost as f64 - lost).abs() < 0.35 * lost,
                "{cost} {lost}: {blocks:?}"
            );
        }
    }
}
