//! A single unit without any problem, and how each possible problem changes the steps.
use super::super::MeterTestResult;
use super::*;
use crate::flags::{Flags, MESSAGE2, MESSAGE3, MESSAGE5, bit};
use crate::hello::PartVersions;
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

fn unit(sn: &str, phase: u8) -> InstalledUnit {
    let ratings = Ratings {
        charge: Some(5_000),
        discharge: Some(5_000),
    };
    let settings = Settings::initial(ratings);
    InstalledUnit {
        sn: sn.parse::<Serial>().unwrap(),
        phase,
        hardware: Some("SC-10".into()),
        capacity: Some(10_000),
        ratings,
        versions: PartVersions {
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
        meter_test: Some(MeterTestResult {
            at: 900,
            passed: true,
        }),
        update: PendingUpdate::None,
    }
}

fn installation() -> InstallationStatus {
    InstallationStatus {
        units: vec![unit("SC000001", 1)],
        one_owner: true,
        has_customer_name: true,
        has_location: true,
    }
}

fn stated(step: CommissioningStep) -> Value {
    match step {
        CommissioningStep::ExportLimit => json!({ "limit": null }),
        CommissioningStep::Instruction => json!({ "instructed": true }),
        _ => Value::Null,
    }
}

fn tested_phases() -> Value {
    let test = json!({ "rise": 2_000 });
    json!({ "tests": { "1": test, "2": test, "3": test } })
}

/// The record of a step that is done with this installation.
fn record(
    step: CommissioningStep,
    installation: &InstallationStatus,
    stated: Value,
) -> CheckRecord {
    let before = (step == CommissioningStep::Phases).then(|| CheckRecord {
        measured: tested_phases(),
        ..CheckRecord::default()
    });
    let CheckResult { found, measured } =
        check(step, installation, &stated, before.as_ref()).unwrap();
    CheckRecord {
        stated,
        found,
        measured,
    }
}

fn changed(change: impl FnOnce(&mut InstalledUnit)) -> InstallationStatus {
    let mut installation = installation();
    change(&mut installation.units[0]);
    installation
}

fn flagged(message2: &str, message3: &str) -> InstallationStatus {
    changed(|unit| {
        let flags = Flags {
            message2: bit(MESSAGE2, message2),
            message3: bit(MESSAGE3, message3),
            ..Flags::default()
        };
        unit.sample = Some(Sample { flags, ..sample() });
    })
}

fn set(field: Field, value: Setting) -> InstallationStatus {
    changed(|unit| {
        unit.settings.set(field, value);
        unit.reported.set(field, value);
    })
}

#[test]
fn a_unit_that_is_well_passes_every_step_once_it_is_done() {
    for step in CommissioningStep::ALL {
        let open = assess(step, &installation(), None);
        assert!(matches!(open, CheckState::Open(_)), "{step:?}: {open:?}");
        let record = record(step, &installation(), stated(step));
        assert_eq!(
            assess(step, &installation(), Some(&record)),
            CheckState::Passed,
            "{step:?}"
        );
    }
}

#[test]
fn the_table_of_what_can_be_wrong() {
    use FindingReason as R;
    let on = Setting::Switch(true);
    let ups_ready = |installation: &mut InstallationStatus| {
        let flags = Flags {
            message5: bit(MESSAGE5, "m5_ups_enable"),
            ..Flags::default()
        };
        installation.units[0].sample = Some(Sample { flags, ..sample() });
    };
    let mut carries = set(Field::Ups, on);
    ups_ready(&mut carries);
    let mut acknowledged = set(Field::ChargeLimit, Setting::Whole(4_600));
    acknowledged.units[0].acknowledged = true;
    let nameless = InstallationStatus {
        has_customer_name: false,
        ..installation()
    };
    let placeless = InstallationStatus {
        has_location: false,
        ..installation()
    };
    let two_owners = InstallationStatus {
        one_owner: false,
        ..installation()
    };
    let table = [
        (
            CommissioningStep::Units,
            two_owners.clone(),
            R::OwnersDiffer,
        ),
        (CommissioningStep::Customer, two_owners, R::OwnersDiffer),
        (
            CommissioningStep::Units,
            changed(|unit| unit.online = false),
            R::NotReporting,
        ),
        (
            CommissioningStep::Units,
            changed(|unit| unit.sample = None),
            R::NotReporting,
        ),
        (
            CommissioningStep::Units,
            changed(|unit| unit.hardware = None),
            R::NotReporting,
        ),
        (CommissioningStep::Units, flagged("aus", ""), R::SwitchedOff),
        (CommissioningStep::Units, flagged("na_schutz", ""), R::Fault),
        (CommissioningStep::Units, flagged("bat", ""), R::Fault),
        (
            CommissioningStep::Units,
            flagged("", "m3_rotation"),
            R::RotationWrong,
        ),
        (
            CommissioningStep::Meter,
            set(Field::MeterType, Setting::Choice("none")),
            R::MeterNone,
        ),
        (CommissioningStep::Meter, flagged("sm1", ""), R::MeterSilent),
        (
            CommissioningStep::Meter,
            changed(|unit| unit.meter_test = None),
            R::MeterUntested,
        ),
        (
            CommissioningStep::Meter,
            changed(|unit| unit.settings_changed_at = Some(901)),
            R::MeterUntested,
        ),
        (
            CommissioningStep::Meter,
            changed(|unit| {
                unit.meter_test = Some(MeterTestResult {
                    at: 900,
                    passed: false,
                })
            }),
            R::MeterFailed,
        ),
        (
            CommissioningStep::Meter,
            changed(|unit| unit.settings.set(Field::MeterAddress, Setting::Whole(7))),
            R::SettingsPending,
        ),
        (
            CommissioningStep::Meter,
            changed(|unit| unit.refused.push(Field::MeterType)),
            R::SettingsRefused,
        ),
        (
            CommissioningStep::Limits,
            changed(|unit| unit.reported = Settings::default()),
            R::SettingsPending,
        ),
        (
            CommissioningStep::Limits,
            set(Field::ChargeLimit, Setting::Whole(4_600)),
            R::NoticeMissing,
        ),
        (
            CommissioningStep::Limits,
            acknowledged,
            R::NoticeUnconfirmed,
        ),
        (
            CommissioningStep::ExportLimit,
            changed(|unit| unit.refused.push(Field::PControl)),
            R::SettingsRefused,
        ),
        (CommissioningStep::Ups, set(Field::Ups, on), R::UpsNotReady),
        (CommissioningStep::Ups, carries, R::UpsUntested),
        (
            CommissioningStep::Ups,
            set(Field::EmergencyPower, on),
            R::UpsUntested,
        ),
        (
            CommissioningStep::Firmware,
            changed(|unit| unit.versions.master = None),
            R::FirmwareUnknown,
        ),
        (
            CommissioningStep::Firmware,
            changed(|unit| unit.update = PendingUpdate::Waiting),
            R::UpdateWaiting,
        ),
        (
            CommissioningStep::Firmware,
            changed(|unit| unit.update = PendingUpdate::Running),
            R::UpdateRunning,
        ),
        (CommissioningStep::Customer, nameless, R::CustomerMissing),
        (CommissioningStep::Customer, placeless, R::PlaceMissing),
    ];
    for (step, installation, reason) in table {
        let looked = check(step, &installation, &stated(step), None);
        assert_eq!(looked.unwrap_err().reason, reason, "{step:?}");
        let state = assess(step, &installation, None);
        let open = matches!(state, CheckState::Open(Some(_)));
        assert_eq!(open, reason.is_to_do(), "{step:?} {reason:?}: {state:?}");
    }
}

#[test]
fn what_somebody_has_to_say_is_said() {
    for (step, reason) in [
        (
            CommissioningStep::ExportLimit,
            FindingReason::ExportUnstated,
        ),
        (CommissioningStep::Instruction, FindingReason::NotInstructed),
    ] {
        let looked = check(step, &installation(), &Value::Null, None).unwrap_err();
        assert_eq!(looked.reason, reason);
    }
    let mut raised = set(Field::ChargeLimit, Setting::Whole(4_600));
    raised.units[0].acknowledged = true;
    let notified = json!({ "notified": true });
    assert!(check(CommissioningStep::Limits, &raised, &notified, None).is_ok());
}

#[test]
fn a_step_that_passed_fails_when_its_settings_change_afterwards() {
    let done = record(CommissioningStep::Limits, &installation(), Value::Null);
    let lowered = set(Field::ChargeLimit, Setting::Whole(3_000));
    let state = assess(CommissioningStep::Limits, &lowered, Some(&done));
    assert_eq!(
        state,
        CheckState::Failed(FindingReason::ChangedSince.alone())
    );
}

#[test]
fn another_setting_leaves_a_meter_test_as_it_was_and_another_meter_does_not() {
    let done = record(CommissioningStep::Meter, &installation(), Value::Null);
    let later = changed(|unit| unit.settings_changed_at = Some(5_000));
    assert_eq!(
        assess(CommissioningStep::Meter, &later, Some(&done)),
        CheckState::Passed
    );
    let mut moved = set(Field::MeterAddress, Setting::Whole(9));
    moved.units[0].settings_changed_at = Some(5_000);
    let state = assess(CommissioningStep::Meter, &moved, Some(&done));
    assert!(
        matches!(state, CheckState::Failed(finding) if finding.reason == FindingReason::MeterUntested)
    );
}

#[test]
fn every_phase_that_the_meter_reports_needs_its_test() {
    let with = |tests: Value| CheckRecord {
        found: record(CommissioningStep::Phases, &installation(), Value::Null).found,
        measured: json!({ "tests": tests }),
        ..CheckRecord::default()
    };
    let good = json!({ "rise": 1_500 });
    let two = with(json!({ "1": good, "2": good }));
    let open = assess(CommissioningStep::Phases, &installation(), Some(&two));
    assert_eq!(
        open,
        CheckState::Open(Some(FindingReason::PhaseUntested.of_phase(3)))
    );
    let swapped = json!({ "reason": "phase_swapped", "phase": 1 });
    let wrong = with(json!({ "1": good, "2": good, "3": swapped }));
    let failed = assess(CommissioningStep::Phases, &installation(), Some(&wrong));
    assert_eq!(
        failed,
        CheckState::Failed(FindingReason::PhaseSwapped.of_phase(1))
    );
    // A meter on one phase has one phase to test.
    let single = changed(|unit| {
        let meter_power = [Some(100), None, None];
        unit.sample = Some(Sample {
            meter_power,
            ..sample()
        });
    });
    assert_eq!(
        assess(CommissioningStep::Phases, &single, Some(&two)),
        CheckState::Passed
    );
}

#[test]
fn the_battery_may_work_again_after_the_phase_test() {
    let done = record(CommissioningStep::Phases, &installation(), Value::Null);
    let busy = changed(|unit| {
        unit.sample = Some(Sample {
            battery_power: Some(1_800),
            ..sample()
        });
    });
    assert_eq!(
        assess(CommissioningStep::Phases, &busy, Some(&done)),
        CheckState::Passed
    );
    assert_eq!(
        phase_reading(&busy).unwrap_err().reason,
        FindingReason::BatteryBusy
    );
}

#[test]
fn units_of_one_site_are_on_phases_of_their_own_and_share_the_meter() {
    let mut site = installation();
    site.units.push(unit("SC000002", 1));
    let twice = check(CommissioningStep::Units, &site, &Value::Null, None).unwrap_err();
    assert_eq!(
        (twice.reason, twice.phase),
        (FindingReason::PhaseTwice, Some(1))
    );
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
    assert!(check(CommissioningStep::Units, &site, &Value::Null, None).is_ok());
    let seen = phase_reading(&site).unwrap();
    assert_eq!(seen.powers, [Some(100), Some(200), None]);
}

#[test]
fn a_phase_is_measured_without_and_then_with_its_load() {
    use super::super::measure_phase;
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
    let reason = |record: &CheckRecord| {
        let reason = record.measured["tests"]["2"]["reason"].as_str();
        reason.and_then(FindingReason::of)
    };
    let early = measure_phase(&with(2_050, 1_000, 0), None, 2, true);
    assert_eq!(reason(&early), Some(FindingReason::NotPrepared));
    let busy = measure_phase(&with(50, 1_000, 800), Some(&early), 2, false);
    assert_eq!(reason(&busy), Some(FindingReason::BatteryBusy));
    let off = measure_phase(&with(50, 1_000, 0), Some(&busy), 2, false);
    assert_eq!(reason(&off), None);
    let same = measure_phase(&with(2_050, 1_000, 0), Some(&off), 2, true);
    assert_eq!(reason(&same), Some(FindingReason::NoNewReading));
    let on = measure_phase(&with(2_050, 3_000, 0), Some(&off), 2, true);
    let test = &on.measured["tests"]["2"];
    assert_eq!(
        (&test["rise"], &test["before"]),
        (&json!(2_000), &json!(50))
    );
    // With another meter the tests start over.
    let moved = set(Field::MeterAddress, Setting::Whole(9));
    let anew = measure_phase(&moved, Some(&on), 1, false);
    assert!(anew.measured["tests"]["2"].is_null());
}
