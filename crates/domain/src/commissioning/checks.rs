//! The check of each step against what is known now, and the state of the step that follows from it.
use super::{
    CommissioningStep, Finding, FindingReason, InstallationStatus, InstalledUnit, PendingUpdate,
    phase_reading,
};
use crate::setting::{Field, NOTICE_THRESHOLD_W, Value as Setting};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What a step found.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// Must be the same when the commissioning ends.
    pub found: Value,
    /// Values of that moment, which may change later.
    pub measured: Value,
}

/// What was stored for a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckRecord {
    /// What the electrician stated.
    pub stated: Value,
    pub found: Value,
    pub measured: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckState {
    /// Not done yet, with what is missing if that is known.
    Open(Option<Finding>),
    Passed,
    Failed(Finding),
}

type CheckOutcome = Result<CheckResult, Finding>;

/// The state of a step, from what is known now and what was stored for it.
pub fn assess(
    step: CommissioningStep,
    installation: &InstallationStatus,
    record: Option<&CheckRecord>,
) -> CheckState {
    let nothing = Value::Null;
    let stated = record.map_or(&nothing, |record| &record.stated);
    match (check(step, installation, stated, record), record) {
        (Err(finding), None) if finding.reason.is_to_do() => CheckState::Open(Some(finding)),
        (Err(finding), _) if finding.reason == FindingReason::PhaseUntested => {
            CheckState::Open(Some(finding))
        }
        (Err(finding), _) => CheckState::Failed(finding),
        (Ok(_), None) => CheckState::Open(None),
        (Ok(now), Some(then)) if now.found == then.found => CheckState::Passed,
        (Ok(_), Some(_)) => CheckState::Failed(FindingReason::ChangedSince.alone()),
    }
}

/// Checks one step.
///
/// # Errors
/// The first problem that was found.
pub fn check(
    step: CommissioningStep,
    installation: &InstallationStatus,
    stated: &Value,
    record: Option<&CheckRecord>,
) -> CheckOutcome {
    match step {
        CommissioningStep::Units => units(installation),
        CommissioningStep::Meter => meter(installation, record),
        CommissioningStep::Phases => phases(installation, record),
        CommissioningStep::Limits => limits(installation, stated),
        CommissioningStep::ExportLimit => export_limit(installation, stated),
        CommissioningStep::Ups => ups(installation, stated),
        CommissioningStep::Firmware => firmware(installation),
        CommissioningStep::Customer => customer(installation),
        CommissioningStep::Instruction => instruction(stated),
    }
}

fn units(installation: &InstallationStatus) -> CheckOutcome {
    one_owner(installation)?;
    let mut taken = BTreeSet::new();
    for unit in &installation.units {
        let known = unit.hardware.is_some() && unit.sample.is_some();
        let reason = match () {
            () if !unit.online || !known => FindingReason::NotReporting,
            () if !unit.switched_on() => FindingReason::SwitchedOff,
            () if unit.faulty() => FindingReason::Fault,
            () if unit.rotation_wrong() => FindingReason::RotationWrong,
            () if !taken.insert(unit.phase) => {
                return Err(FindingReason::PhaseTwice.at(Some(unit.sn.clone()), Some(unit.phase)));
            }
            () => continue,
        };
        return Err(reason.of_unit(&unit.sn));
    }
    let found = each(installation, |unit| {
        json!({
            "sn": unit.sn.as_str(), "phase": unit.phase, "hardware": unit.hardware, "capacity": unit.capacity,
            "charge_max": unit.ratings.charge, "discharge_max": unit.ratings.discharge,
        })
    });
    let measured = each(installation, |unit| {
        let index = usize::from(unit.phase.clamp(1, 3)) - 1;
        let voltage = unit.sample.and_then(|sample| sample.voltage[index]);
        json!({ "sn": unit.sn.as_str(), "voltage": voltage })
    });
    Ok(CheckResult { found, measured })
}

const METER: [Field; 3] = [Field::MeterType, Field::MeterAddress, Field::PControlVia];

fn meter(installation: &InstallationStatus, record: Option<&CheckRecord>) -> CheckOutcome {
    applied(installation, &METER)?;
    let found = meter_found(installation);
    let tested = record.is_some_and(|record| record.found == found);
    for unit in &installation.units {
        if unit.reported.get(Field::MeterType) == Some(Setting::Choice("none")) {
            return Err(FindingReason::MeterNone.of_unit(&unit.sn));
        }
        if unit.meter_silent() {
            return Err(FindingReason::MeterSilent.of_unit(&unit.sn));
        }
        let newest = unit
            .meter_test
            .filter(|test| tested || Some(test.at) >= unit.settings_changed_at);
        match newest {
            Some(test) if !test.passed => return Err(FindingReason::MeterFailed.of_unit(&unit.sn)),
            None if !tested => return Err(FindingReason::MeterUntested.of_unit(&unit.sn)),
            _ => {}
        }
    }
    let measured = each(
        installation,
        |unit| json!({ "sn": unit.sn.as_str(), "tested_at": unit.meter_test.map(|test| test.at) }),
    );
    Ok(CheckResult { found, measured })
}

/// Which meter the batteries use. A test of one meter does not count for another.
pub(super) fn meter_found(installation: &InstallationStatus) -> Value {
    each(installation, |unit| values(unit, &METER))
}

/// Every phase that a meter reports needs a passed test; the tests are recorded one by one.
fn phases(installation: &InstallationStatus, record: Option<&CheckRecord>) -> CheckOutcome {
    applied(installation, &METER)?;
    let nothing = Value::Null;
    let measured = record.map_or(&nothing, |record| &record.measured);
    let seen = match phase_reading(installation) {
        Ok(reading) => reading.powers,
        // The battery is working again. Its phases were measured and recorded before.
        Err(busy) if busy.reason == FindingReason::BatteryBusy => any_powers(installation),
        Err(finding) => return Err(finding),
    };
    for (phase, _) in (1_u8..).zip(seen).filter(|(_, power)| power.is_some()) {
        let test = &measured["tests"][phase.to_string()];
        if test.is_null() {
            return Err(FindingReason::PhaseUntested.of_phase(phase));
        }
        if let Some(reason) = test["reason"].as_str().and_then(FindingReason::of) {
            let other = test["phase"].as_u64().and_then(|n| u8::try_from(n).ok());
            return Err(reason.at(None, other.or(Some(phase))));
        }
    }
    Ok(CheckResult {
        found: meter_found(installation),
        measured: measured.clone(),
    })
}

fn any_powers(installation: &InstallationStatus) -> [Option<i32>; 3] {
    let samples = installation.units.iter().filter_map(|unit| unit.sample);
    samples.fold([None; 3], |mut seen, sample| {
        for (power, other) in seen.iter_mut().zip(sample.meter_power) {
            *power = power.or(other);
        }
        seen
    })
}

const LIMITS: [Field; 2] = [Field::ChargeLimit, Field::DischargeLimit];

fn limits(installation: &InstallationStatus, stated: &Value) -> CheckOutcome {
    applied(installation, &LIMITS)?;
    for unit in &installation.units {
        if unit.whole(Field::ChargeLimit) > NOTICE_THRESHOLD_W {
            if !unit.acknowledged {
                return Err(FindingReason::NoticeMissing.of_unit(&unit.sn));
            }
            if stated["notified"] != true {
                return Err(FindingReason::NoticeUnconfirmed.of_unit(&unit.sn));
            }
        }
    }
    found_only(each(installation, |unit| values(unit, &LIMITS)))
}

const CONTROL: [Field; 3] = [Field::PControl, Field::PControlVia, Field::PLimitTcp];

fn export_limit(installation: &InstallationStatus, stated: &Value) -> CheckOutcome {
    applied(installation, &CONTROL)?;
    if stated.get("limit").is_none() {
        return Err(FindingReason::ExportUnstated.alone());
    }
    found_only(each(installation, |unit| values(unit, &CONTROL)))
}

const BACKUP: [Field; 3] = [Field::EmergencyPower, Field::Ups, Field::Plugin];

fn ups(installation: &InstallationStatus, stated: &Value) -> CheckOutcome {
    applied(installation, &BACKUP)?;
    for unit in &installation.units {
        if unit.is_on(Field::Ups) && !unit.ups_ready() {
            return Err(FindingReason::UpsNotReady.of_unit(&unit.sn));
        }
        let carries = unit.is_on(Field::Ups) || unit.is_on(Field::EmergencyPower);
        if carries && stated["tested"] != true {
            return Err(FindingReason::UpsUntested.of_unit(&unit.sn));
        }
    }
    found_only(each(installation, |unit| values(unit, &BACKUP)))
}

fn firmware(installation: &InstallationStatus) -> CheckOutcome {
    for unit in &installation.units {
        let versions = &unit.versions;
        let reason = match unit.update {
            PendingUpdate::Running => FindingReason::UpdateRunning,
            PendingUpdate::Waiting => FindingReason::UpdateWaiting,
            PendingUpdate::None if versions.master.is_none() || versions.gateway.is_none() => {
                FindingReason::FirmwareUnknown
            }
            PendingUpdate::None => continue,
        };
        return Err(reason.of_unit(&unit.sn));
    }
    found_only(each(installation, |unit| {
        let versions = &unit.versions;
        json!({
            "sn": unit.sn.as_str(), "master": versions.master, "gateway": versions.gateway, "slave": versions.slave,
        })
    }))
}

/// Names are not part of the result. They are stored separately, because they are erased when the household leaves.
fn customer(installation: &InstallationStatus) -> CheckOutcome {
    one_owner(installation)?;
    match (installation.has_customer_name, installation.has_location) {
        (false, _) => Err(FindingReason::CustomerMissing.alone()),
        (_, false) => Err(FindingReason::PlaceMissing.alone()),
        _ => found_only(json!({})),
    }
}

fn instruction(stated: &Value) -> CheckOutcome {
    match stated["instructed"] == true {
        true => found_only(json!({})),
        false => Err(FindingReason::NotInstructed.alone()),
    }
}

/// Everyone with access to one of the units can read the protocol, so all units must have the same owner.
fn one_owner(installation: &InstallationStatus) -> Result<(), Finding> {
    match installation.one_owner {
        true => Ok(()),
        false => Err(FindingReason::OwnersDiffer.alone()),
    }
}

/// Checks that the batteries have applied the desired values.
fn applied(installation: &InstallationStatus, fields: &[Field]) -> Result<(), Finding> {
    for unit in &installation.units {
        for field in fields {
            if unit.refused.contains(field) {
                return Err(FindingReason::SettingsRefused.of_unit(&unit.sn));
            }
            let reported = unit.reported.get(*field);
            if reported.is_none() || reported != unit.settings.get(*field) {
                return Err(FindingReason::SettingsPending.of_unit(&unit.sn));
            }
        }
    }
    Ok(())
}

fn values(unit: &InstalledUnit, fields: &[Field]) -> Value {
    let mut members = Map::new();
    members.insert("sn".to_owned(), unit.sn.as_str().into());
    for field in fields {
        members.insert(field.name().to_owned(), unit.reported_json(*field));
    }
    Value::Object(members)
}

fn each(installation: &InstallationStatus, value_of: impl Fn(&InstalledUnit) -> Value) -> Value {
    installation.units.iter().map(value_of).collect()
}

const fn found_only(found: Value) -> CheckOutcome {
    Ok(CheckResult {
        found,
        measured: Value::Null,
    })
}

#[cfg(test)]
mod tests;
