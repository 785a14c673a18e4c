use super::*;
use crate::battery::tests::ten_kwh;
use crate::plan::tests::rules;
use crate::plan::{EnergyTarget, HORIZON_QUARTERS, Uncertainty};
use crate::{Band, BatteryModel, SlotPrice};

/// A house of 600 W without sun; the import price by the hour of the day, in hundredths of a cent.
fn outlook(price: impl Fn(usize) -> i64) -> Outlook {
    let price = |quarter: usize| SlotPrice {
        import: price(quarter % 96 / 4),
        feed_in: 790,
        known: true,
    };
    Outlook {
        start: 0,
        load: vec![Band::certain(600.0); HORIZON_QUARTERS],
        pv: vec![Band::default(); HORIZON_QUARTERS],
        prices: (0..HORIZON_QUARTERS).map(price).collect(),
    }
}

fn explained(outlook: &Outlook, rules: &Rules, stored: f64) -> Vec<Block> {
    let values = ValueFunction::solve(outlook, rules, Uncertainty::Bands);
    let plan = values.plan(outlook, rules, stored);
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
    // With buying allowed, some of it would otherwise be bought shortly before, which is cheaper than in the evening itself.
    for (buy_kw, lowest) in [(0.0, 4_500), (4.6, 4_000)] {
        let rules = Rules { buy_kw, ..rules() };
        let blocks = explained(&evening, &rules, 2.2);
        let keeps = blocks.iter().find_map(|block| match block.reason {
            Reason::Keeps(facts) => Some((block, facts)),
            _ => None,
        });
        let (block, facts) = keeps.expect("the plan keeps its charge for the evening");
        assert!(matches!(block.mode, Mode::Hold));
        let instead = facts.price_instead.unwrap();
        assert_eq!(facts.price, 3_900);
        assert!((lowest..=4_500).contains(&instead), "{buy_kw}: {facts:?}");
        assert!(facts.at.unwrap() >= block.end);
        // At least the price difference; buying the energy again would also have conversion losses.
        let least = facts.kwh * (instead - facts.price) as f64;
        assert!(facts.saving as f64 > 0.75 * least, "{facts:?} {least}");
    }
}

#[test]
fn a_price_that_is_no_dearer_later_is_no_reason() {
    // Cheap until midnight and expensive from then on: whatever is needed later is bought at the same price before midnight.
    let tonight = Outlook {
        prices: (0..HORIZON_QUARTERS)
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
            assert!(facts.saving >= MIN_SAVING || block.start == 0);
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
    assert_eq!(
        blocks[blocks.len() - 1].end,
        HORIZON_QUARTERS as Millis * QUARTER
    );
    assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
}

/// Very uncertain load and sun, and a price that moves a little: the plan often deviates, but gains little by it.
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
        load: vec![load; HORIZON_QUARTERS],
        pv: (0..HORIZON_QUARTERS).map(sun).collect(),
        ..outlook(|hour| 3_000 + 150 * (hour as i64 * 7 % 5))
    }
}

#[test]
fn later_blocks_that_gain_nothing_follow_the_meter_and_the_next_one_stays() {
    let (mut dropped, rules) = (0, rules());
    for tenths in 1..=10 {
        let stored = f64::from(tenths);
        let outlook = unsure();
        let values = ValueFunction::solve(&outlook, &rules, Uncertainty::Bands);
        let plan = values.plan(&outlook, &rules, stored);
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
            assert!(block.reason.is_worth_showing(), "{block:?}");
        }
        for pair in blocks.windows(2) {
            let [mode, next] =
                [&pair[0], &pair[1]].map(|block| std::mem::discriminant(&block.mode));
            assert_ne!(mode, next, "{pair:?}");
        }
        // The stored energy shown belongs to the modes shown.
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

fn rules_with_target(percent: f64, hour: i64, floor: f64) -> Rules {
    let battery = BatteryModel { floor, ..ten_kwh() };
    Rules {
        battery,
        charge_target: Some(EnergyTarget {
            stored: percent / 10.0,
            by: hour * 4 * QUARTER,
        }),
        ..rules()
    }
}

#[test]
fn what_is_bought_for_a_charge_target_says_so_and_promises_nothing() {
    for (percent, hour, floor) in [
        (70.0, 18, 0.5),
        (70.0, 6, 0.5),
        (43.0, 11, 1.2),
        (100.0, 20, 0.0),
        (65.0, 13, 2.0),
    ] {
        let rules = rules_with_target(percent, hour, floor);
        let blocks = explained(&outlook(|_| 3_000), &rules, floor);
        let (mut kwh, mut cost) = (0.0, 0);
        for block in &blocks {
            match block.reason {
                Reason::FollowsMeter => {}
                Reason::ChargeTarget {
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
        // Only the conversion losses.
        let lost = 0.08 * 3_000.0 * kwh;
        assert!(
            (cost as f64 - lost).abs() < 0.35 * lost,
            "{cost} {lost}: {blocks:?}"
        );
    }
}
