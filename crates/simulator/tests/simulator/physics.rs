//! A simulated battery is consistent: its reports balance, integrate and stay within its limits under all interventions.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::flags::{MESSAGE1, MESSAGE2, is_set};
use domain::sample::{BatteryStatus, Counter, MessageId};
use domain::{EventCode, Sample, Serial, Zone};
use proptest::prelude::*;
use simulator::grid::{Deviation, Excursion};
use simulator::settings::DailyWindow;
use simulator::{Household, Installation, Rating, Seed, Share, Unit};

/// 2026-01-01T00:00:00Z.
const NEW_YEAR: Millis = 1_767_225_600_000;

const ID: MessageId = MessageId::new(1, 1);

fn seed(fleet: u64) -> Seed {
    Seed::of(&"SC24A0001".parse::<Serial>().unwrap(), fleet)
}

fn installation(fleet: u64) -> Installation {
    Installation {
        seed: seed(fleet),
        site: seed(fleet),
        household: Household::random(seed(fleet)),
        rating: Rating::of_kwh(8),
        phase: 2,
        share: Share::House,
        zone: Zone::DEFAULT.parse().unwrap(),
    }
}

fn unit(fleet: u64, at: Millis) -> Unit {
    Unit::new(installation(fleet), at, 500, [0; 5])
}

/// An intervention at a battery.
#[derive(Clone, Debug)]
enum Action {
    Advance(Millis),
    Switch(bool),
    Fault(bool),
    MeterAddress(u8),
    Reserve(u8),
    Limits(i32, i32),
    Windows(DailyWindow, DailyWindow),
    Grid(Deviation, Millis),
    Appliance(usize, i32),
}

fn action() -> impl Strategy<Value = Action> {
    let window = || (0u16..=1440, 0u16..=1440).prop_map(|(start, end)| DailyWindow { start, end });
    prop_oneof![
        8 => (1..600_000i64).prop_map(Action::Advance),
        1 => (1..20i64).prop_map(|hours| Action::Advance(hours * HOUR)),
        1 => any::<bool>().prop_map(Action::Switch),
        1 => any::<bool>().prop_map(Action::Fault),
        1 => (1u8..4).prop_map(Action::MeterAddress),
        1 => (0u8..=100).prop_map(Action::Reserve),
        1 => (0..6_000i32, 0..6_000i32).prop_map(|(charge, discharge)| Action::Limits(charge, discharge)),
        1 => (window(), window()).prop_map(|(charge, discharge)| Action::Windows(charge, discharge)),
        1 => (0..3usize, 0..9_000i32).prop_map(|(phase, power)| Action::Appliance(phase, power)),
        1 => (0..3_500i32, 1..60_000i64).prop_map(|(to, long)| Action::Grid(Deviation::Voltage(to), long)),
        1 => (4_600..5_300i32, 1..60_000i64).prop_map(|(to, long)| Action::Grid(Deviation::Frequency(to), long)),
    ]
}

fn change(unit: &mut Unit, action: &Action) {
    match *action {
        Action::Advance(_) => {}
        Action::Switch(on) => unit.turn_switch(on),
        Action::Appliance(phase, power) => unit.appliances[phase] = power,
        Action::Fault(faulty) => unit.set_faulty(faulty),
        Action::MeterAddress(address) => unit.settings.meter_address = address,
        Action::Reserve(percent) => unit.settings.reserve_soc = percent,
        Action::Limits(charge, discharge) => {
            unit.settings.charge_limit = charge;
            unit.settings.discharge_limit = discharge;
        }
        Action::Windows(charge, discharge) => {
            unit.settings.charge_window = charge;
            unit.settings.discharge_window = discharge;
        }
        Action::Grid(to, long) => unit.grid.script(Excursion {
            from: unit.at(),
            until: unit.at() + long,
            to,
        }),
    }
}

/// The growth of the five counters over `millis`, in W·ms.
fn grown(unit: &Unit, millis: Millis) -> [i64; 5] {
    let flows = unit.flows();
    let up = |power: i32| i64::from(power.max(0)) * millis;
    [
        up(flows.grid),
        up(-flows.grid),
        up(flows.pv),
        up(-flows.battery),
        up(flows.battery),
    ]
}

proptest! {
    #[test]
    fn every_step_balances_integrates_and_stays_inside_the_limits(
        fleet in 0u64..50, day in 0i64..365, actions in prop::collection::vec(action(), 1..40)
    ) {
        let mut unit = unit(fleet, NEW_YEAR + day * DAY);
        let rating = Rating::of_kwh(8);
        let mut sums = [0i64; 5];
        for action in &actions {
            change(&mut unit, action);
            let Action::Advance(millis) = *action else { continue };
            let until = unit.at() + millis;
            while unit.at() < until {
                let before = unit.readings();
                let step = (until - unit.at()).min(5 * MINUTE);
                unit.advance_to(unit.at() + step);

                let flows = unit.flows();
                prop_assert_eq!(flows.grid, flows.house - flows.pv - flows.battery);
                let phases: i32 = flows.phases.iter().flatten().sum();
                prop_assert_eq!(phases, flows.grid);
                prop_assert!(flows.house >= 0 && flows.pv >= 0);
                prop_assert!(flows.battery <= rating.discharge.min(unit.settings.discharge_limit));
                prop_assert!(-flows.battery <= rating.charge.min(unit.settings.charge_limit));
                prop_assert!((0..=1000).contains(&unit.battery().soc()));
                if !unit.switched_on() {
                    prop_assert_eq!(flows.battery, 0);
                }

                for (sum, part) in sums.iter_mut().zip(grown(&unit, step)) {
                    *sum += part;
                }
                let after = unit.readings();
                prop_assert!(before.iter().zip(after).all(|(before, after)| *before <= after));
                prop_assert_eq!(after, sums.map(|sum| sum / 3_600_000));

                let sample = unit.sample(ID);
                if let Some(house) = sample.house_power() {
                    prop_assert_eq!(house, flows.house);
                }
            }
        }
    }
}

/// Simulates a year in 5-minute steps and passes each sample on.
fn year(unit: &mut Unit, mut each: impl FnMut(&Unit, Sample)) {
    for step in 1..=365 * 288 {
        unit.advance_to(NEW_YEAR + step * 5 * MINUTE);
        each(unit, unit.sample(ID));
    }
}

#[test]
fn the_same_seed_lives_the_same_year_and_another_one_another() {
    let play = |fleet| {
        let mut samples = Vec::new();
        year(&mut unit(fleet, NEW_YEAR), |_, sample| samples.push(sample));
        samples
    };
    let first = play(1);
    assert!(first == play(1));
    assert!(first != play(2));
}

#[test]
fn a_days_energies_close_to_one_percent() {
    for fleet in 0..5 {
        let mut unit = unit(fleet, NEW_YEAR);
        let (mut house, mut midnight) = (0i64, unit.readings());
        year(&mut unit, |unit, sample| {
            house += i64::from(unit.flows().house) * 5 * MINUTE;
            if (sample.at - NEW_YEAR) % DAY == 0 {
                let now = unit.readings();
                let day: Vec<_> = now
                    .iter()
                    .zip(midnight)
                    .map(|(now, then)| now - then)
                    .collect();
                let [import, feed_in, pv, charge, discharge] = day[..] else {
                    unreachable!()
                };
                let used = (house / 3_600_000) as f64;
                let supplied = (import - feed_in + pv - charge + discharge) as f64;
                assert!(
                    (supplied - used).abs() <= used * 0.01,
                    "{supplied} for {used} Wh"
                );
                (house, midnight) = (0, now);
            }
        });
    }
}

#[test]
fn a_year_with_a_battery_looks_like_one() {
    for fleet in 0..5 {
        let mut unit = unit(fleet, NEW_YEAR);
        let mut seen = std::collections::HashSet::new();
        year(&mut unit, |_, sample| {
            seen.insert(sample.status);
        });
        let [import, feed_in, pv, charge, discharge] = unit.readings();
        for status in [
            BatteryStatus::Charging,
            BatteryStatus::Discharging,
            BatteryStatus::Full,
            BatteryStatus::Empty,
        ] {
            assert!(seen.contains(&status), "never {status:?}");
        }
        let cycles = discharge / 8_000;
        assert!((60..330).contains(&cycles), "{cycles} cycles");
        let efficiency = discharge as f64 / charge as f64;
        assert!((0.80..0.92).contains(&efficiency), "{efficiency}");
        let house = import - feed_in + pv - charge + discharge;
        assert!(
            import * 10 < house * 8 && feed_in < pv,
            "{import} of {house} Wh from the grid"
        );
    }
}

#[test]
fn three_units_add_up_to_the_house_that_one_would_see() {
    let whole = installation(3);
    let mut house = Unit::new(whole.clone(), NEW_YEAR, 500, [0; 5]);
    let mut units: Vec<_> = (1..=3)
        .map(|phase| {
            let share = Share::Phase;
            Unit::new(
                Installation {
                    phase,
                    share,
                    seed: seed(100 + u64::from(phase)),
                    ..whole.clone()
                },
                NEW_YEAR,
                500,
                [0; 5],
            )
        })
        .collect();
    for step in 1..20_000 {
        let at = NEW_YEAR + step * 5 * MINUTE;
        house.advance_to(at);
        units.iter_mut().for_each(|unit| unit.advance_to(at));
        let sum = |part: fn(&Unit) -> i32| units.iter().map(part).sum::<i32>();
        assert_eq!(sum(|unit| unit.flows().house), house.flows().house);
        assert_eq!(sum(|unit| unit.flows().pv), house.flows().pv);
    }
}

#[test]
fn a_wrong_meter_address_leaves_the_battery_blind_and_says_so() {
    let noon = NEW_YEAR + 170 * DAY + 11 * HOUR;
    let mut unit = unit(1, noon);
    unit.settings.meter_address = 99;
    unit.advance_to(noon + HOUR);
    let blind = unit.sample(ID);
    assert_eq!(blind.battery_power, Some(0));
    assert_eq!((blind.grid_power, blind.house_power()), (None, None));
    assert_eq!(blind.counter(Counter::Import), None);
    assert!(is_set(blind.flags.message2, MESSAGE2, "sm1"));
    let told: Vec<_> = unit
        .take_events()
        .iter()
        .map(|it| (it.code, it.on))
        .collect();
    assert_eq!(told, [(EventCode::MeterLost, true)]);
    unit.settings.meter_address = 1;
    unit.advance_to(noon + 2 * HOUR);
    assert!(unit.sample(ID).house_power().is_some());
}

#[test]
fn a_dip_disconnects_and_the_flags_show_the_minute_of_waiting() {
    let mut unit = unit(1, NEW_YEAR);
    unit.grid.script(Excursion {
        from: NEW_YEAR + 10 * SECOND,
        until: NEW_YEAR + 15 * SECOND,
        to: Deviation::Voltage(1_700),
    });
    let mut flags = |second: i64| {
        unit.advance_to(NEW_YEAR + second * SECOND);
        let sample = unit.sample(ID);
        let flag = |bits, names, name| is_set(bits, names, name);
        (
            flag(sample.flags.message2, MESSAGE2, "na_schutz"),
            flag(sample.flags.message1, MESSAGE1, "wait60"),
            sample.battery_power == Some(0),
        )
    };
    assert!(!flags(10).0);
    assert_eq!(flags(14), (true, false, true));
    assert_eq!(flags(30), (true, true, true));
    assert_eq!(flags(74), (true, true, true));
    assert!(!flags(76).0);
    assert_eq!(unit.take_events()[0].code, EventCode::NaULow);
}

#[test]
fn the_reserve_and_the_windows_hold_the_discharge_back() {
    let evening = NEW_YEAR + 18 * HOUR;
    let mut unit = unit(1, evening);
    unit.settings.reserve_soc = 60;
    unit.advance_to(evening + 4 * HOUR);
    assert_eq!(unit.readings()[Counter::Discharge as usize], 0);
    unit.settings.reserve_soc = 10;
    unit.settings.discharge_window = DailyWindow {
        start: 6 * 60,
        end: 8 * 60,
    };
    unit.advance_to(evening + 8 * HOUR);
    assert_eq!(unit.readings()[Counter::Discharge as usize], 0);
    unit.settings.discharge_window = DailyWindow::ALL_DAY;
    unit.advance_to(evening + 12 * HOUR);
    assert!(unit.readings()[Counter::Discharge as usize] > 0);
}

#[test]
fn counters_go_on_from_where_they_were() {
    let mut unit = Unit::new(installation(1), NEW_YEAR, 500, [1, 2, 3, 4, 5]);
    assert_eq!(unit.readings(), [1, 2, 3, 4, 5]);
    unit.advance_to(NEW_YEAR + DAY);
    assert!(unit.readings()[0] > 1);
}

#[test]
fn an_appliance_shows_on_its_own_phase_alone_while_the_battery_rests() {
    for phase in 0..3 {
        let mut unit = unit(1, NEW_YEAR);
        unit.mode = simulator::unit::ControlMode::Hold {
            until: NEW_YEAR + HOUR,
        };
        unit.advance_to(NEW_YEAR + SECOND);
        let before = unit.flows().phases.map(Option::unwrap);
        unit.appliances[phase] = 2_000;
        unit.advance_to(NEW_YEAR + 2 * SECOND);
        let after = unit.flows().phases.map(Option::unwrap);
        for other in 0..3 {
            let change = after[other] - before[other];
            let want = if other == phase { 2_000 } else { 0 };
            assert!((change - want).abs() < 100, "{phase} {other}: {change}");
        }
    }
}
