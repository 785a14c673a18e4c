//! A single unit that is all well, and what each thing that can be wrong with it makes of the steps.
use super::super::MeterTest;
use super::*;
use crate::flags::{Flags, MESSAGE2, MESSAGE3, MESSAGE5, bit};
use crate::hello::Versions;
use crate::sample::{BatteryStatus, MessageId};
use crate::setting::{Ratings, Settings};
use crate::{Sample, Serial};

fn sample() -> Sample {
    Sample {
        at: 1_000,
        id: MessageId::new(1, 1),
        voltage: [Some(2_301), Some(2_312), Some(2_323)],
        frequency: Some(5_000),
        meter_power: [Some(100), Some(50), Some(20)],
        grid_power: Some(170),
        pv_power: Some(0),
        battery_power: Some(0),
        soc: Some(500),
        counters: [None; 5],
        status: BatteryStatus::Standby,
        flags: Flags::default(),
    }
}

fn unit(sn: &str, phase: u8) -> Unit {
    let ratings = Ratings {
        charge: Some(5_000),
        discharge: Some(5_000),
    };
    let settings = Settings::fresh(ratings);
    Unit {
        sn: sn.parse::<Serial>().unwrap(),
        phase,
        hardware: Some("SC-10".into()),
        capacity: Some(10_000),
        ratings,
        versions: Versions {
            master: Some("4.12".into()),
            gateway: Some("2.7".into()),
            slave: None,
        },
        online: true,
        sample: Some(sample()),
        reported: settings.clone(),
        settings,
        refused: Vec::new(),
        acknowledged: false,
        settings_changed_at: Some(500),
        meter_test: Some(MeterTest {
            at: 900,
            passed: true,
        }),
        update: Update::None,
    }
}

fn facts() -> Facts {
    Facts {
        units: vec![unit("SC000001", 1)],
        one_owner: true,
        named: true,
        placed: true,
    }
}

fn stated(step: Step) -> Value {
    match step {
        Step::ExportLimit => json!({ "limit": null }),
        Step::Instruction => json!({ "instructed": true }),
        _ => Value::Null,
    }
}

fn tested_phases() -> Value {
    let test = json!({ "rise": 2_000 });
    json!({ "tests": { "1": test, "2": test, "3": test } })
}

/// What is written down when a step is done with these facts.
fn record(step: Step, facts: &Facts, stated: Value) -> Record {
    let before = (step == Step::Phases).then(|| Record {
        measured: tested_phases(),
        ..Record::default()
    });
    let Look { found, measured } = look(step, facts, &stated, before.as_ref()).unwrap();
    Record {
        stated,
        found,
        measured,
    }
}

fn changed(change: impl FnOnce(&mut Unit)) -> Facts {
    let mut facts = facts();
    change(&mut facts.units[0]);
    facts
}

fn flagged(message2: &str, message3: &str) -> Facts {
    changed(|unit| {
        let flags = Flags {
            message2: bit(MESSAGE2, message2),
            message3: bit(MESSAGE3, message3),
            ..Flags::default()
        };
        unit.sample = Some(Sample { flags, ..sample() });
    })
}

fn set(field: Field, value: Setting) -> Facts {
    changed(|unit| {
        unit.settings.set(field, value);
        unit.reported.set(field, value);
    })
}

#[test]
fn a_unit_that_is_well_passes_every_step_once_it_is_done() {
    for step in Step::ALL {
        let open = assess(step, &facts(), None);
        assert!(matches!(open, State::Open(_)), "{step:?}: {open:?}");
        let record = record(step, &facts(), stated(step));
        assert_eq!(
            assess(step, &facts(), Some(&record)),
            State::Passed,
            "{step:?}"
        );
    }
}

#[test]
fn the_table_of_what_can_be_wrong() {
    use Reason as R;
    let on = Setting::Switch(true);
    let ups_ready = |facts: &mut Facts| {
        let flags = Flags {
            message5: bit(MESSAGE5, "m5_ups_enable"),
            ..Flags::default()
        };
        facts.units[0].sample = Some(Sample { flags, ..sample() });
    };
    let mut carries = set(Field::Ups, on);
    ups_ready(&mut carries);
    let mut acknowledged = set(Field::ChargeLimit, Setting::Whole(4_600));
    acknowledged.units[0].acknowledged = true;
    let nameless = Facts {
        named: false,
        ..facts()
    };
    let placeless = Facts {
        placed: false,
        ..facts()
    };
    let two_owners = Facts {
        one_owner: false,
        ..facts()
    };
    let table = [
        (Step::Units, two_owners.clone(), R::OwnersDiffer),
        (Step::Customer, two_owners, R::OwnersDiffer),
        (
            Step::Units,
            changed(|unit| unit.online = false),
            R::NotReporting,
        ),
        (
            Step::Units,
            changed(|unit| unit.sample = None),
            R::NotReporting,
        ),
        (
            Step::Units,
            changed(|unit| unit.hardware = None),
            R::NotReporting,
        ),
        (Step::Units, flagged("aus", ""), R::SwitchedOff),
        (Step::Units, flagged("na_schutz", ""), R::Fault),
        (Step::Units, flagged("bat", ""), R::Fault),
        (Step::Units, flagged("", "m3_rotation"), R::RotationWrong),
        (
            Step::Meter,
            set(Field::MeterType, Setting::Choice("none")),
            R::MeterNone,
        ),
        (Step::Meter, flagged("sm1", ""), R::MeterSilent),
        (
            Step::Meter,
            changed(|unit| unit.meter_test = None),
            R::MeterUntested,
        ),
        (
            Step::Meter,
            changed(|unit| unit.settings_changed_at = Some(901)),
            R::MeterUntested,
        ),
        (
            Step::Meter,
            changed(|unit| {
                unit.meter_test = Some(MeterTest {
                    at: 900,
                    passed: false,
                })
            }),
            R::MeterFailed,
        ),
        (
            Step::Meter,
            changed(|unit| unit.settings.set(Field::MeterAddress, Setting::Whole(7))),
            R::SettingsPending,
        ),
        (
            Step::Meter,
            changed(|unit| unit.refused.push(Field::MeterType)),
            R::SettingsRefused,
        ),
        (
            Step::Limits,
            changed(|unit| unit.reported = Settings::default()),
            R::SettingsPending,
        ),
        (
            Step::Limits,
            set(Field::ChargeLimit, Setting::Whole(4_600)),
            R::NoticeMissing,
        ),
        (Step::Limits, acknowledged, R::NoticeUnconfirmed),
        (
            Step::ExportLimit,
            changed(|unit| unit.refused.push(Field::PControl)),
            R::SettingsRefused,
        ),
        (Step::Ups, set(Field::Ups, on), R::UpsNotReady),
        (Step::Ups, carries, R::UpsUntested),
        (Step::Ups, set(Field::EmergencyPower, on), R::UpsUntested),
        (
            Step::Firmware,
            changed(|unit| unit.versions.master = None),
            R::FirmwareUnknown,
        ),
        (
            Step::Firmware,
            changed(|unit| unit.update = Update::Waiting),
            R::UpdateWaiting,
        ),
        (
            Step::Firmware,
            changed(|unit| unit.update = Update::Running),
            R::UpdateRunning,
        ),
        (Step::Customer, nameless, R::CustomerMissing),
        (Step::Customer, placeless, R::PlaceMissing),
    ];
    for (step, facts, reason) in table {
        let looked = look(step, &facts, &stated(step), None);
        assert_eq!(looked.unwrap_err().reason, reason, "{step:?}");
        let state = assess(step, &facts, None);
        let open = matches!(state, State::Open(Some(_)));
        assert_eq!(open, reason.is_to_do(), "{step:?} {reason:?}: {state:?}");
    }
}

#[test]
fn what_somebody_has_to_say_is_said() {
    for (step, reason) in [
        (Step::ExportLimit, Reason::ExportUnstated),
        (Step::Instruction, Reason::NotInstructed),
    ] {
        let looked = look(step, &facts(), &Value::Null, None).unwrap_err();
        assert_eq!(looked.reason, reason);
    }
    let mut raised = set(Field::ChargeLimit, Setting::Whole(4_600));
    raised.units[0].acknowledged = true;
    let notified = json!({ "notified": true });
    assert!(look(Step::Limits, &raised, &notified, None).is_ok());
}

#[test]
fn a_step_that_passed_fails_when_its_settings_change_afterwards() {
    let done = record(Step::Limits, &facts(), Value::Null);
    let lowered = set(Field::ChargeLimit, Setting::Whole(3_000));
    let state = assess(Step::Limits, &lowered, Some(&done));
    assert_eq!(state, State::Failed(Reason::ChangedSince.alone()));
}

#[test]
fn another_setting_leaves_a_meter_test_as_it_was_and_another_meter_does_not() {
    let done = record(Step::Meter, &facts(), Value::Null);
    let later = changed(|unit| unit.settings_changed_at = Some(5_000));
    assert_eq!(assess(Step::Meter, &later, Some(&done)), State::Passed);
    let mut moved = set(Field::MeterAddress, Setting::Whole(9));
    moved.units[0].settings_changed_at = Some(5_000);
    let state = assess(Step::Meter, &moved, Some(&done));
    assert!(matches!(state, State::Failed(finding) if finding.reason == Reason::MeterUntested));
}

#[test]
fn every_phase_that_the_meter_reports_needs_its_test() {
    let with = |tests: Value| Record {
        found: record(Step::Phases, &facts(), Value::Null).found,
        measured: json!({ "tests": tests }),
        ..Record::default()
    };
    let good = json!({ "rise": 1_500 });
    let two = with(json!({ "1": good, "2": good }));
    let open = assess(Step::Phases, &facts(), Some(&two));
    assert_eq!(open, State::Open(Some(Reason::PhaseUntested.of_phase(3))));
    let swapped = json!({ "reason": "phase_swapped", "phase": 1 });
    let wrong = with(json!({ "1": good, "2": good, "3": swapped }));
    let failed = assess(Step::Phases, &facts(), Some(&wrong));
    assert_eq!(failed, State::Failed(Reason::PhaseSwapped.of_phase(1)));
    // A meter on one phase has one phase to test.
    let single = changed(|unit| {
        let meter_power = [Some(100), None, None];
        unit.sample = Some(Sample {
            meter_power,
            ..sample()
        });
    });
    assert_eq!(assess(Step::Phases, &single, Some(&two)), State::Passed);
}

#[test]
fn the_battery_may_work_again_after_the_phase_test() {
    let done = record(Step::Phases, &facts(), Value::Null);
    let busy = changed(|unit| {
        unit.sample = Some(Sample {
            battery_power: Some(1_800),
            ..sample()
        });
    });
    assert_eq!(assess(Step::Phases, &busy, Some(&done)), State::Passed);
    assert_eq!(reading(&busy).unwrap_err().reason, Reason::BatteryBusy);
}

#[test]
fn units_of_one_site_are_on_phases_of_their_own_and_share_the_meter() {
    let mut site = facts();
    site.units.push(unit("SC000002", 1));
    let twice = look(Step::Units, &site, &Value::Null, None).unwrap_err();
    assert_eq!((twice.reason, twice.phase), (Reason::PhaseTwice, Some(1)));
    assert_eq!(twice.sn.unwrap().as_str(), "SC000002");
    for (place, phase) in [(0, 1_u8), (1, 2)] {
        let mut meter_power = [None; 3];
        meter_power[place] = Some(100 * i32::from(phase));
        site.units[place].phase = phase;
        site.units[place].sample = Some(Sample {
            meter_power,
            ..sample()
        });
    }
    assert!(look(Step::Units, &site, &Value::Null, None).is_ok());
    let seen = reading(&site).unwrap();
    assert_eq!(seen.powers, [Some(100), Some(200), None]);
}

#[test]
fn a_phase_is_measured_without_and_then_with_its_load() {
    use super::super::take;
    let with = |power: i32, at: i64, battery: i32| {
        changed(|unit| {
            unit.sample = Some(Sample {
                at,
                battery_power: Some(battery),
                meter_power: [Some(100), Some(power), Some(20)],
                ..sample()
            });
        })
    };
    let reason = |record: &Record| {
        let reason = record.measured["tests"]["2"]["reason"].as_str();
        reason.and_then(Reason::of)
    };
    let early = take(&with(2_050, 1_000, 0), None, 2, true);
    assert_eq!(reason(&early), Some(Reason::NotPrepared));
    let busy = take(&with(50, 1_000, 800), Some(&early), 2, false);
    assert_eq!(reason(&busy), Some(Reason::BatteryBusy));
    let off = take(&with(50, 1_000, 0), Some(&busy), 2, false);
    assert_eq!(reason(&off), None);
    let same = take(&with(2_050, 1_000, 0), Some(&off), 2, true);
    assert_eq!(reason(&same), Some(Reason::NoNewReading));
    let on = take(&with(2_050, 3_000, 0), Some(&off), 2, true);
    let test = &on.measured["tests"]["2"];
    assert_eq!(
        (&test["rise"], &test["before"]),
        (&json!(2_000), &json!(50))
    );
    // Another meter begins anew.
    let moved = set(Field::MeterAddress, Setting::Whole(9));
    let anew = take(&moved, Some(&on), 1, false);
    assert!(anew.measured["tests"]["2"].is_null());
}
