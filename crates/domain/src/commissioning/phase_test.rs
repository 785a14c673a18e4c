//! The sign and phase test: a load is switched on by hand, and the meter has to show it on that phase, as import.
use super::look::meter_found;
use super::{Facts, Finding, Reason, Record};
use crate::clock::Millis;
use serde_json::{Value, json};

/// A load that is to be seen draws at least so many W: a kettle, a hairdryer, a heater.
pub const LOAD: i32 = 300;
/// Above so many W the battery itself would hide or imitate the load.
const IDLE: i32 = 100;

/// What the meter showed at one moment, over all units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseReading {
    /// When the oldest part of it was measured.
    pub at: Millis,
    /// Power at the meter per phase in W, import positive; `None` where nobody measures.
    pub powers: [Option<i32>; 3],
}

impl PhaseReading {
    pub fn json(&self) -> Value {
        json!({ "at": self.at, "powers": self.powers })
    }

    pub fn from_json(value: &Value) -> Option<Self> {
        let power = |place: usize| {
            let power = value["powers"].get(place).and_then(Value::as_i64);
            power.and_then(|power| i32::try_from(power).ok())
        };
        Some(Self {
            at: value["at"].as_i64()?,
            powers: [power(0), power(1), power(2)],
        })
    }
}

/// What the meter shows now. Each unit answers for its own phase, or one for all three.
pub fn reading(facts: &Facts) -> Result<PhaseReading, Finding> {
    let mut reading = PhaseReading {
        at: Millis::MAX,
        powers: [None; 3],
    };
    for unit in &facts.units {
        let sample = unit.sample.as_ref().filter(|_| unit.online);
        let sample = sample.ok_or_else(|| Reason::NotReporting.of_unit(&unit.sn))?;
        if sample.battery_power.unwrap_or(0).abs() > IDLE {
            return Err(Reason::BatteryBusy.of_unit(&unit.sn));
        }
        reading.at = reading.at.min(sample.at);
        for (sum, power) in reading.powers.iter_mut().zip(sample.meter_power) {
            *sum = match (*sum, power) {
                (Some(sum), Some(power)) => Some(sum.saturating_add(power)),
                (one, other) => one.or(other),
            };
        }
    }
    match reading.powers.iter().any(Option::is_some) {
        true => Ok(reading),
        false => Err(Reason::MeterSilent.alone()),
    }
}

/// Measures a phase without the load, or with it, and writes down what came of it. What was written down with another meter
/// is forgotten.
pub fn take(facts: &Facts, record: Option<&Record>, phase: u8, load: bool) -> Record {
    let found = meter_found(facts);
    let known = record.filter(|record| record.found == found);
    let mut measured = known.map_or_else(|| json!({}), |record| record.measured.clone());
    let name = phase.to_string();
    let off = PhaseReading::from_json(&measured["off"][&name]);
    let test = match (reading(facts), load, off) {
        (Err(finding), ..) => refused(&finding),
        (Ok(now), false, _) => {
            measured["off"][&name] = now.json();
            Value::Null
        }
        (Ok(_), true, None) => refused(&Reason::NotPrepared.of_phase(phase)),
        (Ok(on), true, Some(off)) if on.at <= off.at => {
            refused(&Reason::NoNewReading.of_phase(phase))
        }
        (Ok(on), true, Some(off)) => {
            let place = usize::from(phase.clamp(1, 3)) - 1;
            let (before, after) = (off.powers[place], on.powers[place]);
            match judge(phase, &off, &on) {
                Ok(rise) => json!({ "at": on.at, "before": before, "after": after, "rise": rise }),
                Err(finding) => refused(&finding),
            }
        }
    };
    measured["tests"][&name] = test;
    Record {
        stated: Value::Null,
        found,
        measured,
    }
}

fn refused(finding: &Finding) -> Value {
    json!({ "reason": finding.reason.code(), "phase": finding.phase })
}

/// Holds the reading with the load against the one without: by how many W the phase rose.
///
/// # Errors
/// What is wrong with the wiring, or with the test.
pub fn judge(phase: u8, off: &PhaseReading, on: &PhaseReading) -> Result<i32, Finding> {
    let place = usize::from(phase.clamp(1, 3)) - 1;
    let change = |place: usize| Some(on.powers[place]?.saturating_sub(off.powers[place]?));
    let Some(rise) = change(place) else {
        return Err(Reason::PhaseNotMeasured.of_phase(phase));
    };
    let others = (0_u8..3).filter(|other| usize::from(*other) != place);
    let strongest = others
        .filter_map(|other| Some((change(usize::from(other))?.saturating_abs(), other + 1)))
        .max_by_key(|(change, _)| *change);
    let (disturbance, other) = strongest.unwrap_or((0, phase));
    let swing = rise.saturating_abs();
    if swing >= LOAD && disturbance <= swing / 2 {
        return match rise > 0 {
            true => Ok(rise),
            false => Err(Reason::SignReversed.of_phase(phase)),
        };
    }
    if disturbance >= LOAD && swing <= disturbance / 2 {
        return Err(Reason::PhaseSwapped.of_phase(other));
    }
    match swing >= LOAD {
        true => Err(Reason::Unclear.of_phase(phase)),
        false => Err(Reason::NoRise.of_phase(phase)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(powers: [i32; 3]) -> PhaseReading {
        PhaseReading {
            at: 0,
            powers: powers.map(Some),
        }
    }

    #[test]
    fn the_table_of_what_a_load_on_the_second_phase_can_look_like() {
        let before = [200, -1_500, 40];
        for (after, want) in [
            ([210, 500, 30], Ok(2_000)),
            ([200, -1_200, 40], Ok(300)),
            ([200, -1_201, 40], Err((Reason::NoRise, 2))),
            ([200, -3_500, 40], Err((Reason::SignReversed, 2))),
            ([2_200, -1_490, 40], Err((Reason::PhaseSwapped, 1))),
            ([200, -1_490, -1_960], Err((Reason::PhaseSwapped, 3))),
            ([1_400, 500, 40], Err((Reason::Unclear, 2))),
            ([200, -1_500, 40], Err((Reason::NoRise, 2))),
        ] {
            let found = judge(2, &reading(before), &reading(after));
            let found = found.map_err(|it| (it.reason, it.phase.unwrap()));
            assert_eq!(found, want, "{after:?}");
        }
    }

    #[test]
    fn a_phase_that_nobody_measures_cannot_be_tested() {
        let single = PhaseReading {
            at: 0,
            powers: [Some(100), None, None],
        };
        let judged = judge(3, &single, &single).unwrap_err();
        assert_eq!(judged.reason, Reason::PhaseNotMeasured);
        let rose = PhaseReading {
            powers: [Some(1_100), None, None],
            ..single
        };
        assert_eq!(judge(1, &single, &rose), Ok(1_000));
    }

    proptest! {
        /// Whatever the house does by the way, a kettle on a phase passes that phase and no other.
        #[test]
        fn a_load_passes_its_own_phase_alone(
            before in prop::array::uniform3(-10_000_i32..10_000),
            noise in prop::array::uniform3(-140_i32..140),
            load in 600_i32..9_000,
            phase in 0_usize..3,
        ) {
            let mut after = [0, 1, 2].map(|place| before[place] + noise[place]);
            after[phase] += load;
            for tested in 1..=3_u8 {
                let passed = judge(tested, &reading(before), &reading(after)).is_ok();
                prop_assert_eq!(passed, usize::from(tested) == phase + 1);
            }
        }

        /// A clamp the wrong way round is always found out.
        #[test]
        fn a_reversed_clamp_is_never_passed(
            before in prop::array::uniform3(-10_000_i32..10_000),
            load in 600_i32..9_000,
            phase in 0_usize..3,
        ) {
            let mut after = before;
            after[phase] -= load;
            let judged = judge(phase as u8 + 1, &reading(before), &reading(after));
            prop_assert_eq!(judged.unwrap_err().reason, Reason::SignReversed);
        }

        #[test]
        fn a_reading_is_read_as_it_was_written(at in 0_i64..1_i64 << 50, powers in prop::array::uniform3(prop::option::of(any::<i32>()))) {
            let reading = PhaseReading { at, powers };
            prop_assert_eq!(PhaseReading::from_json(&reading.json()), Some(reading));
        }
    }
}
