//! A battery obeys its settings physically and reports why; its rating and the grid operator take precedence.
#![allow(clippy::unwrap_used)]
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};
use domain::flags::{MESSAGE3, MESSAGE5, MESSAGE6, is_set};
use domain::sample::{Counter, MessageId};
use domain::{EventCode, Serial, Zone};
use proptest::prelude::*;
use simulator::grid::{Deviation, Dimming, Excursion};
use simulator::meter::{MeterType, Wire};
use simulator::settings::{BatterySettings, Control, DailyWindow, TariffMode};
use simulator::unit::ControlMode;
use simulator::{Household, Installation, Rating, Seed, Share, Unit};

/// 2026-01-01T00:00:00Z, in deep winter: the house has a net load nearly all the time.
const NEW_YEAR: Millis = 1_767_225_600_000;
/// Noon in summer, with PV surplus.
const SUMMER_NOON: Millis = NEW_YEAR + 170 * DAY + 10 * HOUR;
const ID: MessageId = MessageId::new(1, 1);

fn unit(at: Millis, charge: i64) -> Unit {
    let seed = Seed::of(&"SC24A0001".parse::<Serial>().unwrap(), 1);
    let installation = Installation {
        seed,
        site: seed,
        household: Household {
            yearly_kwh: 4_000.0,
            panels: 8_000.0,
        },
        rating: Rating::of_kwh(8),
        phase: 1,
        share: Share::House,
        zone: Zone::DEFAULT.parse().unwrap(),
    };
    Unit::new(installation, at, charge, [0; 5])
}

/// Simulates `time` in steps of half a minute and returns the battery power of each.
fn powers(unit: &mut Unit, time: Millis) -> Vec<i32> {
    let steps = time / (30 * SECOND);
    let step = |_| {
        unit.advance_to(unit.at() + 30 * SECOND);
        unit.flows().battery
    };
    (0..steps).map(step).collect()
}

fn take_event_codes(unit: &mut Unit) -> Vec<(EventCode, bool)> {
    let events = unit.take_events();
    events.iter().map(|it| (it.code, it.on)).collect()
}

#[test]
fn outside_its_windows_it_rests_and_says_so() {
    let mut unit = unit(SUMMER_NOON, 500);
    assert!(
        powers(&mut unit, 30 * MINUTE)
            .iter()
            .any(|power| *power < 0)
    );
    unit.settings.charge_window = DailyWindow {
        start: 60,
        end: 120,
    };
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power >= 0));
    assert_eq!(
        take_event_codes(&mut unit),
        [(EventCode::WindowClosed, true)]
    );
    unit.settings.charge_window = DailyWindow::ALL_DAY;
    assert!(
        powers(&mut unit, 10 * MINUTE)
            .iter()
            .any(|power| *power < 0)
    );
    assert_eq!(
        take_event_codes(&mut unit),
        [(EventCode::WindowClosed, false)]
    );
}

#[test]
fn the_reserve_is_kept_and_told() {
    let mut unit = unit(NEW_YEAR + 18 * HOUR, 320);
    unit.settings.reserve_soc = 30;
    powers(&mut unit, 3 * HOUR);
    // It falls below the reserve only by the standby loss.
    assert!(unit.battery().soc() >= 290);
    assert!(take_event_codes(&mut unit).contains(&(EventCode::ReserveHeld, true)));
    // While it charges again it says at once that the reserve is held no more.
    unit.mode = ControlMode::ChargeTo {
        soc: 400,
        power: 3_000,
    };
    powers(&mut unit, 15 * MINUTE);
    assert!(unit.battery().soc() > 330 && unit.flows().battery < 0);
    assert!(take_event_codes(&mut unit).contains(&(EventCode::ReserveHeld, false)));
}

#[test]
fn limits_hold_in_both_directions_and_a_socket_is_limited_more() {
    let mut summer = unit(SUMMER_NOON, 300);
    summer.settings.charge_limit = 700;
    assert!(powers(&mut summer, HOUR).iter().all(|power| *power >= -700));
    let mut winter = unit(NEW_YEAR + 17 * HOUR, 900);
    assert!(
        powers(&mut winter, 3 * HOUR)
            .iter()
            .any(|power| *power > 800)
    );
    winter.settings.plugin = true;
    assert!(
        powers(&mut winter, 3 * HOUR)
            .iter()
            .all(|power| *power <= 800)
    );
    winter.settings.discharge_limit = 100;
    assert!(powers(&mut winter, HOUR).iter().all(|power| *power <= 100));
    assert!(is_set(
        winter.sample(ID).flags.message5,
        MESSAGE5,
        "m5_plugin"
    ));
}

#[test]
fn a_low_price_charges_from_the_grid_and_a_high_one_does_not() {
    let mut unit = unit(NEW_YEAR + 20 * HOUR, 300);
    unit.settings = BatterySettings {
        tariff: TariffMode::Price,
        provider: "fixed",
        import_price: Some(1_200),
        charge_price: 1_500,
        charge_power: 1_500,
        ..unit.settings
    };
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power == -1_500));
    assert_eq!(
        take_event_codes(&mut unit),
        [(EventCode::PriceCharge, true)]
    );
    unit.settings.charge_price = 1_000;
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power >= 0));
    assert_eq!(
        take_event_codes(&mut unit),
        [(EventCode::PriceCharge, false)]
    );
    // It does not charge by a price that it does not know.
    unit.settings.provider = "tibber";
    unit.settings.charge_price = 10_000;
    assert!(powers(&mut unit, HOUR).iter().all(|power| *power >= 0));
}

#[test]
fn the_grid_operators_limit_is_stronger_than_any_command() {
    let mut unit = unit(NEW_YEAR + 2 * HOUR, 200);
    unit.mode = ControlMode::ChargeTo {
        soc: 900,
        power: 4_000,
    };
    assert!(
        powers(&mut unit, 10 * MINUTE)
            .iter()
            .all(|power| *power == -4_000)
    );
    unit.grid.dim(Dimming {
        from: unit.at(),
        until: unit.at() + HOUR,
        limit: 1_200,
    });
    assert!(
        powers(&mut unit, 50 * MINUTE)
            .iter()
            .all(|power| *power >= -1_200)
    );
    assert_eq!(take_event_codes(&mut unit), [(EventCode::GridLimit, true)]);
    assert!(powers(&mut unit, 30 * MINUTE).last().unwrap() < &-3_000);
    assert_eq!(take_event_codes(&mut unit), [(EventCode::GridLimit, false)]);
}

#[test]
fn what_it_is_told_to_do_comes_before_what_its_settings_say() {
    let mut unit = unit(NEW_YEAR + 18 * HOUR, 500);
    unit.mode = ControlMode::Hold {
        until: unit.at() + HOUR,
    };
    assert!(
        powers(&mut unit, HOUR - MINUTE)
            .iter()
            .all(|power| *power == 0)
    );
    assert!(powers(&mut unit, HOUR).iter().any(|power| *power > 0));
    unit.mode = ControlMode::ChargeTo {
        soc: 600,
        power: 2_000,
    };
    powers(&mut unit, 2 * HOUR);
    assert_eq!(
        unit.mode,
        ControlMode::Auto,
        "it goes on by itself when it is there"
    );
    unit.calibrate();
    powers(&mut unit, 8 * HOUR);
    assert!(take_event_codes(&mut unit).contains(&(EventCode::CalibrationDone, true)));
}

#[test]
fn it_hears_its_meter_only_by_type_address_and_wire() {
    let hears = |change: fn(&mut BatterySettings)| {
        let mut unit = unit(SUMMER_NOON, 500);
        change(&mut unit.settings);
        unit.advance_to(SUMMER_NOON + MINUTE);
        unit.sample(ID).grid_power.is_some()
    };
    assert!(hears(|_| {}));
    assert!(!hears(|settings| settings.meter_type = MeterType::Sdm630));
    assert!(!hears(|settings| settings.meter_type = MeterType::None));
    assert!(!hears(|settings| settings.meter_address = 2));
    assert!(!hears(|settings| settings.wire = Wire::Tcp));
}

#[test]
fn flags_show_how_it_is_controlled() {
    let mut unit = unit(SUMMER_NOON, 500);
    unit.settings.control = Control::GridOperator;
    unit.settings.wire = Wire::Tcp;
    unit.settings.p_limit_tcp = true;
    unit.advance_to(SUMMER_NOON + MINUTE);
    let flags = unit.sample(ID).flags.message6;
    for (name, set) in [
        ("m6_evu_rs485_tcp", true),
        ("m6_sm_rs485_tcp", false),
        ("m6_p_soll_tcp", true),
    ] {
        assert_eq!(is_set(flags, MESSAGE6, name), set, "{name}");
    }
    // The grid operator's box sends nothing, so the battery idles.
    assert_eq!(unit.flows().battery, 0);
    let mut limited = self::unit(NEW_YEAR + 2 * HOUR, 200);
    limited.settings.p_limit_tcp = true;
    limited.limit_tcp = Some(500);
    limited.mode = ControlMode::ChargeTo {
        soc: 900,
        power: 4_000,
    };
    assert!(
        powers(&mut limited, 10 * MINUTE)
            .iter()
            .all(|power| *power == -500)
    );
}

#[test]
fn in_a_blackout_the_house_is_dark_unless_emergency_power_or_ups_is_on() {
    let dark = |change: fn(&mut BatterySettings)| {
        let start = NEW_YEAR + 18 * HOUR;
        let mut unit = unit(start, 800);
        change(&mut unit.settings);
        unit.grid.script(Excursion {
            from: start,
            until: start + 10 * MINUTE,
            to: Deviation::Voltage(0),
        });
        let first = powers(&mut unit, 30 * SECOND);
        powers(&mut unit, 2 * MINUTE);
        (first[0], unit)
    };
    let (_, without) = dark(|_| {});
    assert_eq!((without.flows().house, without.flows().grid), (0, 0));
    let (_, emergency) = dark(|settings| settings.emergency_power = true);
    let flows = emergency.flows();
    assert!(
        flows.house > 0 && flows.grid == 0 && flows.battery > 0,
        "{flows:?}"
    );
    let flags = emergency.sample(ID).flags;
    assert!(is_set(flags.message3, MESSAGE3, "m3_black_start"));
    assert!(is_set(flags.message5, MESSAGE5, "m5_ups_flag"));
    let (at_once, ups) = dark(|settings| settings.ups = true);
    assert!(at_once > 0);
    assert!(is_set(
        ups.sample(ID).flags.message5,
        MESSAGE5,
        "m5_ups_enable"
    ));
    // A blackout may use the reserve.
    let (_, reserved) = dark(|settings| {
        settings.ups = true;
        settings.reserve_soc = 100;
    });
    assert!(reserved.flows().battery > 0);
}

proptest! {
    #[test]
    fn no_settings_break_the_balance_or_the_rating(
        reserve_soc in 0u8..=100, charge_limit in 0..9_000i32, discharge_limit in 0..9_000i32, charge_power in 0..9_000i32,
        windows in (0u16..=1440, 0u16..=1440, 0u16..=1440, 0u16..=1440), price in any::<bool>(), plugin in any::<bool>(),
        ups in any::<bool>(), dim in prop::option::of(0..5_000i32), goal in prop::option::of((0i64..=1000, 0..9_000i32)),
        day in 0i64..365, charge in 0i64..=1000, blackout in any::<bool>(),
    ) {
        let start = NEW_YEAR + day * DAY + 12 * HOUR;
        let mut unit = unit(start, charge);
        let (a, b, c, d) = windows;
        unit.settings = BatterySettings {
            reserve_soc, charge_limit, discharge_limit, charge_power, plugin, ups,
            charge_window: DailyWindow { start: a, end: b },
            discharge_window: DailyWindow { start: c, end: d },
            tariff: if price { TariffMode::Price } else { TariffMode::Off },
            provider: "fixed", import_price: Some(500),
            ..unit.settings
        };
        if let Some(limit) = dim {
            unit.grid.dim(Dimming { from: start, until: start + DAY, limit });
        }
        if let Some((charge, power)) = goal {
            unit.mode = ControlMode::ChargeTo { soc: charge, power };
        }
        if blackout {
            unit.grid.script(Excursion { from: start + HOUR, until: start + 2 * HOUR, to: Deviation::Voltage(0) });
        }
        let rating = Rating::of_kwh(8);
        let mut before = unit.readings();
        for step in 1..=180 {
            unit.advance_to(start + step * MINUTE);
            let flows = unit.flows();
            prop_assert_eq!(flows.grid, flows.house - flows.pv - flows.battery);
            prop_assert!(flows.house >= 0 && flows.pv >= 0);
            prop_assert!(flows.battery <= rating.discharge.min(discharge_limit));
            prop_assert!(-flows.battery <= rating.charge.min(charge_limit));
            if let Some(limit) = dim {
                // The cells take at most the limit from the grid, plus the PV surplus.
                prop_assert!(-flows.battery <= limit + (flows.pv - flows.house).max(0));
            }
            let after = unit.readings();
            prop_assert!(before.iter().zip(after).all(|(before, after)| *before <= after));
            before = after;
        }
        prop_assert!((0..=1000).contains(&unit.battery().soc()));
        prop_assert!(unit.readings()[Counter::Pv as usize] >= 0);
    }
}
