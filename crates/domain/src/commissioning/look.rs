//! The checks: what each step finds in what is known now, and what that makes of the step.
use super::{Facts, Finding, Reason, Step, Unit, Update, reading};
use crate::setting::{Field, NOTICE_ABOVE, Value as Setting};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What a step found.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Has to be the same when the commissioning ends.
    pub found: Value,
    /// As it was at that moment.
    pub measured: Value,
}

/// What was written down of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What the electrician says.
    pub stated: Value,
    pub found: Value,
    pub measured: Value,
}

/// Where a step stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nobody has done it yet; what is missing, if that can be said.
    Open(Option<Finding>),
    Passed,
    Failed(Finding),
}

type Found = Result<Look, Finding>;

/// Where a step stands with what is known now and what was written down of it.
pub fn assess(step: Step, facts: &Facts, record: Option<&Record>) -> State {
    let nothing = Value::Null;
    let stated = record.map_or(&nothing, |record| &record.stated);
    match (look(step, facts, stated, record), record) {
        (Err(finding), None) if finding.reason.is_to_do() => State::Open(Some(finding)),
        (Err(finding), _) if finding.reason == Reason::PhaseUntested => State::Open(Some(finding)),
        (Err(finding), _) => State::Failed(finding),
        (Ok(_), None) => State::Open(None),
        (Ok(now), Some(then)) if now.found == then.found => State::Passed,
        (Ok(_), Some(_)) => State::Failed(Reason::ChangedSince.alone()),
    }
}

/// Looks at one step.
///
/// # Errors
/// The first thing that is not as it should be.
pub fn look(step: Step, facts: &Facts, stated: &Value, record: Option<&Record>) -> Found {
    match step {
        Step::Units => units(facts),
        Step::Meter => meter(facts, record),
        Step::Phases => phases(facts, record),
        Step::Limits => limits(facts, stated),
        Step::ExportLimit => export_limit(facts, stated),
        Step::Ups => ups(facts, stated),
        Step::Firmware => firmware(facts),
        Step::Customer => customer(facts),
        Step::Instruction => instruction(stated),
    }
}

fn units(facts: &Facts) -> Found {
    one_owner(facts)?;
    let mut taken = BTreeSet::new();
    for unit in &facts.units {
        let known = unit.hardware.is_some() && unit.sample.is_some();
        let reason = match () {
            () if !unit.online || !known => Reason::NotReporting,
            () if !unit.switched_on() => Reason::SwitchedOff,
            () if unit.faulty() => Reason::Fault,
            () if unit.rotation_wrong() => Reason::RotationWrong,
            () if !taken.insert(unit.phase) => {
                return Err(Reason::PhaseTwice.at(Some(unit.sn.clone()), Some(unit.phase)));
            }
            () => continue,
        };
        return Err(reason.of_unit(&unit.sn));
    }
    let found = each(facts, |unit| {
        json!({
            "sn": unit.sn.as_str(), "phase": unit.phase, "hardware": unit.hardware, "capacity": unit.capacity,
            "charge_max": unit.ratings.charge, "discharge_max": unit.ratings.discharge,
        })
    });
    let measured = each(facts, |unit| {
        let place = usize::from(unit.phase.clamp(1, 3)) - 1;
        let voltage = unit.sample.and_then(|sample| sample.voltage[place]);
        json!({ "sn": unit.sn.as_str(), "voltage": voltage })
    });
    Ok(Look { found, measured })
}

const METER: [Field; 3] = [Field::MeterType, Field::MeterAddress, Field::PControlVia];

fn meter(facts: &Facts, record: Option<&Record>) -> Found {
    applied(facts, &METER)?;
    let found = meter_found(facts);
    let tested = record.is_some_and(|record| record.found == found);
    for unit in &facts.units {
        if unit.reported.get(Field::MeterType) == Some(Setting::Choice("none")) {
            return Err(Reason::MeterNone.of_unit(&unit.sn));
        }
        if unit.meter_silent() {
            return Err(Reason::MeterSilent.of_unit(&unit.sn));
        }
        let newest = unit
            .meter_test
            .filter(|test| tested || Some(test.at) >= unit.settings_changed_at);
        match newest {
            Some(test) if !test.passed => return Err(Reason::MeterFailed.of_unit(&unit.sn)),
            None if !tested => return Err(Reason::MeterUntested.of_unit(&unit.sn)),
            _ => {}
        }
    }
    let measured = each(
        facts,
        |unit| json!({ "sn": unit.sn.as_str(), "tested_at": unit.meter_test.map(|test| test.at) }),
    );
    Ok(Look { found, measured })
}

/// Which meter the batteries listen to: a test of it is worth nothing for another one.
pub(super) fn meter_found(facts: &Facts) -> Value {
    each(facts, |unit| values(unit, &METER))
}

/// Every phase that a meter reports needs a test that passed; they are written down one by one.
fn phases(facts: &Facts, record: Option<&Record>) -> Found {
    applied(facts, &METER)?;
    let nothing = Value::Null;
    let measured = record.map_or(&nothing, |record| &record.measured);
    let seen = match reading(facts) {
        Ok(reading) => reading.powers,
        // It works again by now; what was seen on its phases is written down.
        Err(busy) if busy.reason == Reason::BatteryBusy => any_powers(facts),
        Err(finding) => return Err(finding),
    };
    for (phase, _) in (1_u8..).zip(seen).filter(|(_, power)| power.is_some()) {
        let test = &measured["tests"][phase.to_string()];
        if test.is_null() {
            return Err(Reason::PhaseUntested.of_phase(phase));
        }
        if let Some(reason) = test["reason"].as_str().and_then(Reason::of) {
            let other = test["phase"].as_u64().and_then(|it| u8::try_from(it).ok());
            return Err(reason.at(None, other.or(Some(phase))));
        }
    }
    Ok(Look {
        found: meter_found(facts),
        measured: measured.clone(),
    })
}

fn any_powers(facts: &Facts) -> [Option<i32>; 3] {
    let samples = facts.units.iter().filter_map(|unit| unit.sample);
    samples.fold([None; 3], |mut seen, sample| {
        for (one, other) in seen.iter_mut().zip(sample.meter_power) {
            *one = one.or(other);
        }
        seen
    })
}

const LIMITS: [Field; 2] = [Field::ChargeLimit, Field::DischargeLimit];

fn limits(facts: &Facts, stated: &Value) -> Found {
    applied(facts, &LIMITS)?;
    for unit in &facts.units {
        if unit.whole(Field::ChargeLimit) > NOTICE_ABOVE {
            if !unit.acknowledged {
                return Err(Reason::NoticeMissing.of_unit(&unit.sn));
            }
            if stated["notified"] != true {
                return Err(Reason::NoticeUnconfirmed.of_unit(&unit.sn));
            }
        }
    }
    lasting(each(facts, |unit| values(unit, &LIMITS)))
}

const CONTROL: [Field; 3] = [Field::PControl, Field::PControlVia, Field::PLimitTcp];

fn export_limit(facts: &Facts, stated: &Value) -> Found {
    applied(facts, &CONTROL)?;
    if stated.get("limit").is_none() {
        return Err(Reason::ExportUnstated.alone());
    }
    lasting(each(facts, |unit| values(unit, &CONTROL)))
}

const BACKUP: [Field; 3] = [Field::EmergencyPower, Field::Ups, Field::Plugin];

fn ups(facts: &Facts, stated: &Value) -> Found {
    applied(facts, &BACKUP)?;
    for unit in &facts.units {
        if unit.is_on(Field::Ups) && !unit.ups_ready() {
            return Err(Reason::UpsNotReady.of_unit(&unit.sn));
        }
        let carries = unit.is_on(Field::Ups) || unit.is_on(Field::EmergencyPower);
        if carries && stated["tested"] != true {
            return Err(Reason::UpsUntested.of_unit(&unit.sn));
        }
    }
    lasting(each(facts, |unit| values(unit, &BACKUP)))
}

fn firmware(facts: &Facts) -> Found {
    for unit in &facts.units {
        let versions = &unit.versions;
        let reason = match unit.update {
            Update::Running => Reason::UpdateRunning,
            Update::Waiting => Reason::UpdateWaiting,
            Update::None if versions.master.is_none() || versions.gateway.is_none() => {
                Reason::FirmwareUnknown
            }
            Update::None => continue,
        };
        return Err(reason.of_unit(&unit.sn));
    }
    lasting(each(facts, |unit| {
        let versions = &unit.versions;
        json!({
            "sn": unit.sn.as_str(), "master": versions.master, "gateway": versions.gateway, "slave": versions.slave,
        })
    }))
}

/// Names stay out of what is found: they are kept apart, as they go when the household does.
fn customer(facts: &Facts) -> Found {
    one_owner(facts)?;
    match (facts.named, facts.placed) {
        (false, _) => Err(Reason::CustomerMissing.alone()),
        (_, false) => Err(Reason::PlaceMissing.alone()),
        _ => lasting(json!({})),
    }
}

fn instruction(stated: &Value) -> Found {
    match stated["instructed"] == true {
        true => lasting(json!({})),
        false => Err(Reason::NotInstructed.alone()),
    }
}

/// A protocol is read by the people of every unit, so that they have to be the same.
fn one_owner(facts: &Facts) -> Result<(), Finding> {
    match facts.one_owner {
        true => Ok(()),
        false => Err(Reason::OwnersDiffer.alone()),
    }
}

/// The batteries work with what was set.
fn applied(facts: &Facts, fields: &[Field]) -> Result<(), Finding> {
    for unit in &facts.units {
        for field in fields {
            if unit.refused.contains(field) {
                return Err(Reason::SettingsRefused.of_unit(&unit.sn));
            }
            let reported = unit.reported.get(*field);
            if reported.is_none() || reported != unit.settings.get(*field) {
                return Err(Reason::SettingsPending.of_unit(&unit.sn));
            }
        }
    }
    Ok(())
}

fn values(unit: &Unit, fields: &[Field]) -> Value {
    let mut members = Map::new();
    members.insert("sn".to_owned(), unit.sn.as_str().into());
    for field in fields {
        members.insert(field.name().to_owned(), unit.reported_json(*field));
    }
    Value::Object(members)
}

fn each(facts: &Facts, of: impl Fn(&Unit) -> Value) -> Value {
    facts.units.iter().map(of).collect()
}

const fn lasting(found: Value) -> Found {
    Ok(Look {
        found,
        measured: Value::Null,
    })
}

#[cfg(test)]
mod tests;
