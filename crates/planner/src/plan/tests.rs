//! Properties of every plan, and plans for some typical days.
use super::*;
use crate::battery::tests::ten_kwh;
use proptest::prelude::*;

pub(crate) fn rules() -> Rules {
    Rules {
        battery: ten_kwh(),
        wear: 0.0,
        grid_cap: None,
        buy_kw: 4.6,
        charge_target: None,
    }
}

fn band(watt: f64) -> Band {
    Band {
        p10: 0.4 * watt,
        p50: 0.9 * watt,
        p90: 2.0 * watt,
        mean: 1.05 * watt,
    }
}

/// A house of 400 W without sun; power is cheap from 2 to 4 o'clock and expensive from 18 to 21.
fn winter_day() -> Outlook {
    let price = |quarter: usize| SlotPrice {
        import: match quarter % 96 / 4 {
            2 | 3 => 2_000,
            18..=20 => 4_500,
            _ => 3_300,
        },
        feed_in: 790,
        known: true,
    };
    Outlook {
        start: 0,
        load: vec![band(400.0); HORIZON_QUARTERS],
        pv: vec![Band::default(); HORIZON_QUARTERS],
        prices: (0..HORIZON_QUARTERS).map(price).collect(),
    }
}

fn charges(plan: &Plan) -> Vec<usize> {
    let charging = |place: &usize| plan.steps[*place].mode.buys();
    (0..plan.steps.len()).filter(charging).collect()
}

#[test]
fn it_buys_when_it_is_cheap_for_when_it_is_dear() {
    let plan = Plan::make(&winter_day(), &rules(), 0.5, Uncertainty::Bands);
    let charges = charges(&plan);
    assert!(!charges.is_empty());
    let cheap = |place: &usize| (8..16).contains(&(place % 96));
    assert!(charges.iter().all(cheap), "{charges:?}");
    // Charged when the expensive hours begin, and lower when they end.
    assert!(plan.steps[71].stored > plan.steps[83].stored + 1.0);
}

#[test]
fn nothing_is_bought_on_a_guess() {
    let mut guessed = winter_day();
    for price in &mut guessed.prices {
        price.known = false;
    }
    let plan = Plan::make(&guessed, &rules(), 0.5, Uncertainty::Bands);
    assert_eq!(charges(&plan), Vec::<usize>::new());
    let mut half = winter_day();
    for price in &mut half.prices[12..] {
        price.known = false;
    }
    let plan = Plan::make(&half, &rules(), 0.5, Uncertainty::Bands);
    let charges = charges(&plan);
    assert!(!charges.is_empty() && charges.iter().all(|place| *place < 12));
}

#[test]
fn an_owner_who_forbids_buying_is_obeyed() {
    let forbidden = Rules {
        buy_kw: 0.0,
        ..rules()
    };
    let plan = Plan::make(&winter_day(), &forbidden, 5.0, Uncertainty::Bands);
    assert_eq!(charges(&plan), Vec::<usize>::new());
}

#[test]
fn wear_that_costs_more_than_the_spread_keeps_it_from_buying() {
    let worn = Rules {
        wear: 30.0,
        ..rules()
    };
    let plan = Plan::make(&winter_day(), &worn, 0.5, Uncertainty::Bands);
    assert_eq!(charges(&plan), Vec::<usize>::new());
}

#[test]
fn a_charge_target_is_met_in_time_and_as_cheaply_as_can_be() {
    let by = 18 * 4;
    let target = EnergyTarget {
        stored: 7.0,
        by: by as Millis * QUARTER,
    };
    let with_target = Rules {
        charge_target: Some(target),
        ..rules()
    };
    let mut flat = winter_day();
    for (quarter, price) in flat.prices.iter_mut().enumerate() {
        price.import = if quarter / 4 == 14 { 3_000 } else { 3_100 };
    }
    let without = Plan::make(&flat, &rules(), 0.5, Uncertainty::Bands);
    assert!(without.steps[by - 1].stored < 6.0);
    let plan = Plan::make(&flat, &with_target, 0.5, Uncertainty::Bands);
    assert!(
        plan.steps[by - 1].stored > 6.95,
        "{}",
        plan.steps[by - 1].stored
    );
    let cheapest = charges(&plan)
        .iter()
        .filter(|place| *place / 4 == 14)
        .count();
    assert_eq!(cheapest, 4);
}

#[test]
fn at_equal_prices_it_is_bought_for_a_charge_target_shortly_before_its_time() {
    let by = 18 * 4;
    let mut flat = winter_day();
    for price in &mut flat.prices {
        price.import = 3_100;
    }
    // Some uncertain sun until three o'clock.
    flat.pv[..12].fill(band(500.0));
    for charge_kw in [3.4, 4.6, 5.0] {
        let battery = BatteryModel {
            charge_kw,
            ..ten_kwh()
        };
        let with_target = Rules {
            battery,
            buy_kw: charge_kw,
            wear: 2.0,
            charge_target: Some(EnergyTarget {
                stored: 7.0,
                by: by as Millis * QUARTER,
            }),
            ..rules()
        };
        for stored in [0.5, 2.1, 4.4] {
            let plan = Plan::make(&flat, &with_target, stored, Uncertainty::Bands);
            assert!(plan.steps[by - 1].stored > 6.95);
            let charges = charges(&plan);
            let shortly = |place: &usize| (by - 12..by).contains(place);
            assert!(
                charges.iter().all(shortly),
                "{charge_kw} {stored}: {charges:?}"
            );
        }
    }
}

#[test]
fn the_grid_operators_cap_is_obeyed() {
    let capped = Rules {
        grid_cap: Some(1.0),
        ..rules()
    };
    let plan = Plan::make(&winter_day(), &capped, 0.5, Uncertainty::Bands);
    assert!(!charges(&plan).is_empty());
    assert!(
        plan.steps
            .iter()
            .all(|step| step.flow.charge <= 0.25 + 1e-9)
    );
}

#[test]
fn an_active_plan_is_kept_for_pennies_and_left_for_more() {
    let outlook = winter_day();
    let values = ValueFunction::solve(&outlook, &rules(), Uncertainty::Bands);
    let best = values.plan(&outlook, &rules(), 5.0);
    let mut active = best.clone();
    // Holding for one quarter-hour costs a cent or so.
    active.steps[0].mode = match best.steps[0].mode {
        Mode::SelfUse => Mode::Hold,
        _ => Mode::SelfUse,
    };
    let kept = best
        .clone()
        .or_keep_active(&active, &values, &outlook, &rules(), 5.0);
    let cost = |plan: &Plan| {
        let modes: Vec<Mode> = plan.steps.iter().map(|step| step.mode).collect();
        values.cost_of_modes(&outlook, &rules(), 5.0, &modes)
    };
    assert_eq!(
        kept.next() == active.next(),
        cost(&active) - best.expected_cost < active_plan::MIN_GAIN_CENTS
    );
    let mut foolish = best.clone();
    for step in &mut foolish.steps {
        step.mode = Mode::Charge(4.6);
    }
    let left = best
        .clone()
        .or_keep_active(&foolish, &values, &outlook, &rules(), 5.0);
    assert_eq!(left, best);
    let none = Plan {
        initial_stored: 5.0,
        steps: Vec::new(),
        expected_cost: 0.0,
    };
    assert_eq!(
        best.clone()
            .or_keep_active(&none, &values, &outlook, &rules(), 5.0),
        best
    );
}

#[test]
fn a_charge_that_is_eight_percent_off_asks_for_a_new_plan() {
    let plan = Plan::make(&winter_day(), &rules(), 5.0, Uncertainty::Bands);
    let expected = plan.steps[0].stored;
    assert!(!plan.is_off_course(&rules(), QUARTER, expected + 0.79));
    assert!(plan.is_off_course(&rules(), QUARTER, expected + 0.81));
    assert!(plan.is_off_course(&rules(), QUARTER, expected - 0.81));
    // Half-way through the next quarter-hour half of its change is expected.
    let half = (expected + plan.steps[1].stored) / 2.0;
    assert!(!plan.is_off_course(&rules(), QUARTER * 3 / 2, half - 0.79));
    assert!(plan.is_off_course(&rules(), QUARTER * 3 / 2, half - 0.81));
    assert!(!plan.is_off_course(&rules(), -1, 0.0), "before it begins");
    assert!(
        !plan.is_off_course(&rules(), HORIZON_QUARTERS as Millis * QUARTER, 0.0),
        "after its end"
    );
}

#[test]
fn a_charge_that_is_off_in_the_first_quarter_hour_is_held_against_where_the_plan_began() {
    let mut cheap_now = winter_day();
    cheap_now.prices.rotate_left(14);
    let plan = Plan::make(&cheap_now, &rules(), 5.0, Uncertainty::Bands);
    let end = plan.steps[0].stored;
    assert!(end > 5.5, "it charges: {end}");
    for at in [0, QUARTER / 2, QUARTER - 1] {
        for charge in [5.0 - 0.79, 5.0, end, end + 0.79] {
            assert!(!plan.is_off_course(&rules(), at, charge), "{at} {charge}");
        }
        assert!(plan.is_off_course(&rules(), at, 5.0 - 0.81));
        assert!(plan.is_off_course(&rules(), at, end + 0.81));
    }
}

#[test]
fn an_outlook_of_nothing_is_a_plan_of_nothing() {
    let mut nothing = winter_day();
    nothing.prices.clear();
    let plan = Plan::make(&nothing, &rules(), 5.0, Uncertainty::Bands);
    assert_eq!((plan.steps.len(), plan.expected_cost), (0, 0.0));
}

prop_compose! {
    fn any_outlook()(
        load in proptest::collection::vec(0.0..3_000.0, 40),
        pv in proptest::collection::vec(0.0..4_000.0, 40),
        prices in proptest::collection::vec((300_i64..6_000, any::<bool>()), 40),
    ) -> Outlook {
        Outlook {
            start: 0,
            load: load.into_iter().map(band).collect(),
            pv: pv.into_iter().map(band).collect(),
            prices: prices.into_iter().map(|(import, known)| SlotPrice { import, feed_in: 250, known }).collect(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_plan_keeps_to_its_bounds(
        outlook in any_outlook(), stored in 0.5..10.0, cap in proptest::option::of(0.0..4.0),
    ) {
        let rules = Rules { grid_cap: cap, ..rules() };
        let plan = Plan::make(&outlook, &rules, stored, Uncertainty::Bands);
        prop_assert_eq!(plan.steps.len(), 40);
        for (step, n) in plan.steps.iter().zip(0..) {
            prop_assert!((0.5 - 1e-9..=10.0 + 1e-9).contains(&step.stored));
            if let Mode::Charge(kw) = step.mode {
                prop_assert!(step.price.known && kw <= 4.6 + 1e-9);
            }
            let surplus = ((outlook.pv[n].mean - outlook.load[n].mean) / 4000.0).max(0.0);
            if let Some(cap) = cap {
                prop_assert!(step.flow.charge <= surplus + cap / 4.0 + 1e-9);
            }
        }
    }

    #[test]
    fn a_plan_never_costs_more_than_following_the_meter(outlook in any_outlook(), stored in 0.5..10.0) {
        let values = ValueFunction::solve(&outlook, &rules(), Uncertainty::Bands);
        let best = values.plan(&outlook, &rules(), stored).expected_cost;
        let alone = values.cost_of_modes(&outlook, &rules(), stored, &[Mode::SelfUse; 40]);
        // Linear interpolation between grid points makes values a little too expensive.
        prop_assert!(best <= alone + 0.5, "{best} {alone}");
    }

    #[test]
    fn more_charge_never_costs_more(outlook in any_outlook(), stored in 0.5..9.0, more in 0.0..1.0) {
        let values = ValueFunction::solve(&outlook, &rules(), Uncertainty::Bands);
        let cost = |stored: f64| values.best_mode(&outlook, &rules(), 0, stored).1;
        prop_assert!(cost(stored + more) <= cost(stored) + 1e-6);
    }

    #[test]
    fn more_battery_never_costs_more(outlook in any_outlook(), stored in 0.5..9.0, more in 0.5..5.0) {
        let cost = |capacity: f64| {
            let rules = Rules { battery: BatteryModel { capacity, ..ten_kwh() }, ..rules() };
            ValueFunction::solve(&outlook, &rules, Uncertainty::Bands).best_mode(&outlook, &rules, 0, stored).1
        };
        // The grid of a larger battery is coarser.
        prop_assert!(cost(10.0 + more) <= cost(10.0) + 1.0);
    }
}
