//! The simulated battery follows the portal's plan within its own limits, and leaves it by itself.
#![allow(clippy::unwrap_used)]
use domain::clock::{HOUR, MINUTE, Millis};
use domain::sample::Counter;
use domain::{Serial, Zone};
use proptest::prelude::*;
use serde_json::{Value, json};
use simulator::plan::DevicePlan;
use simulator::settings::{DailyWindow, TariffMode};
use simulator::unit::ControlMode;
use simulator::{Dimming, Household, Installation, Rating, Seed, Share, Unit};

/// 2026-01-01 at 18:00 in Berlin: dark, and people are at home.
const EVENING: Millis = 1_767_225_600_000 - HOUR + 18 * HOUR;
/// 2026-06-21 at noon in Berlin.
const NOON: Millis = 1_782_036_000_000;

fn unit(at: Millis, charge: i64) -> Unit {
    let seed = Seed::of(&"SC24A0001".parse::<Serial>().unwrap(), 1);
    let installation = Installation {
        seed,
        site: seed,
        household: Household {
            yearly_kwh: 4_000.0,
            panels: 8_000.0,
        },
        rating: Rating::of_kwh(10),
        phase: 1,
        share: Share::House,
        zone: Zone::DEFAULT.parse().unwrap(),
    };
    let mut unit = Unit::new(installation, at, charge, [0; 5]);
    unit.settings.tariff = TariffMode::Plan;
    unit
}

/// A plan with one mode from now on, valid for an hour.
fn give_plan(unit: &mut Unit, mode: &str, power: i64) {
    let from = unit.at();
    let step = json!({ "from": from, "until": from + 36 * HOUR, "mode": mode, "power": power });
    let plan: Value = json!({ "ver": from, "exp": from + HOUR, "steps": [step] });
    unit.plan = DevicePlan::read(&plan, 0);
    assert!(unit.plan.is_some());
}

fn powers(unit: &mut Unit, long: Millis) -> Vec<i32> {
    let until = unit.at() + long;
    let mut powers = Vec::new();
    while unit.at() < until {
        unit.advance_to(unit.at() + MINUTE);
        powers.push(unit.flows().battery);
    }
    powers
}

#[test]
fn it_charges_with_what_the_plan_says_and_goes_back_when_it_runs_out() {
    let mut unit = unit(EVENING, 300);
    give_plan(&mut unit, "charge", 2_300);
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power == -2_300));
    // No newer plan has arrived: it follows the meter.
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power >= 0));
    assert!(unit.readings()[Counter::Discharge as usize] > 0);
}

#[test]
fn it_holds_its_charge_and_still_takes_the_sun() {
    let mut evening = unit(EVENING, 800);
    give_plan(&mut evening, "hold", 0);
    assert!(powers(&mut evening, HOUR).iter().all(|power| *power == 0));
    let mut noon = unit(NOON, 300);
    give_plan(&mut noon, "hold", 0);
    let taken = powers(&mut noon, HOUR);
    assert!(taken.iter().all(|power| *power <= 0));
    assert!(taken.iter().any(|power| *power < -500), "{taken:?}");
}

#[test]
fn a_plan_counts_only_while_its_people_want_one() {
    let mut unit = unit(EVENING, 500);
    give_plan(&mut unit, "charge", 2_300);
    assert!(powers(&mut unit, 5 * MINUTE).iter().all(|power| *power < 0));
    unit.settings.tariff = TariffMode::Off;
    assert!(
        powers(&mut unit, 5 * MINUTE)
            .iter()
            .all(|power| *power >= 0)
    );
}

#[test]
fn the_owners_command_the_window_and_the_grid_operator_are_stronger() {
    let mut unit = unit(EVENING, 500);
    give_plan(&mut unit, "charge", 4_000);
    unit.mode = ControlMode::Hold {
        until: unit.at() + 10 * MINUTE,
    };
    assert!(
        powers(&mut unit, 9 * MINUTE)
            .iter()
            .all(|power| *power == 0)
    );
    powers(&mut unit, 2 * MINUTE);
    unit.grid.dim(Dimming {
        from: unit.at(),
        until: unit.at() + 10 * MINUTE,
        limit: 1_200,
    });
    let dimmed = powers(&mut unit, 10 * MINUTE);
    assert!(dimmed.iter().all(|power| *power >= -1_200), "{dimmed:?}");
    unit.settings.charge_power = 900;
    assert!(
        powers(&mut unit, 5 * MINUTE)
            .iter()
            .all(|power| *power == -900)
    );
    unit.settings.charge_window = DailyWindow {
        start: 60,
        end: 120,
    };
    assert!(
        powers(&mut unit, 5 * MINUTE)
            .iter()
            .all(|power| *power == 0)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// With any plan the battery keeps to its reserve and its limits.
    #[test]
    fn no_plan_leads_it_out_of_its_limits(
        steps in prop::collection::vec((0_usize..3, 0_i64..20_000, 1_i64..8), 1..30),
        charge in 0_i64..=1000, reserve in 0_u8..=100, limit in 0_i32..6_000, summer in any::<bool>(),
    ) {
        let start = if summer { NOON } else { EVENING };
        let mut unit = unit(start, charge);
        unit.settings.reserve_soc = reserve;
        unit.settings.charge_limit = limit;
        let mut from = start;
        let steps: Vec<Value> = steps.iter().map(|(mode, power, quarters)| {
            let until = from + quarters * 15 * MINUTE;
            let mode = ["self", "hold", "charge"][*mode];
            let step = json!({ "from": from, "until": until, "mode": mode, "power": power });
            from = until;
            step
        }).collect();
        let plan = json!({ "ver": 1, "exp": from, "steps": steps });
        unit.plan = DevicePlan::read(&plan, 0);
        while unit.at() < from {
            let before = unit.battery().soc();
            unit.advance_to(unit.at() + MINUTE);
            let power = unit.flows().battery;
            prop_assert!(power <= unit.battery().rating().discharge);
            prop_assert!(power >= -limit.min(unit.battery().rating().charge) || before < 50);
            if power > 0 {
                prop_assert!(before >= i64::from(reserve) * 10);
            }
        }
    }
}
