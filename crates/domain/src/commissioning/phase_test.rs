//! The sign and phase test: a load is switched on by hand, and the meter must show it on that phase, as import.
use super::checks::meter_found;
use super::{CheckRecord, Finding, FindingReason, InstallationStatus, PhaseReading, phase_reading};
use serde_json::{Value, json};

/// The least power of a test load: a kettle, a hairdryer, a heater.
pub const MIN_LOAD_W: i32 = 300;

/// Measures a phase without or with the load and records the result. Records of another meter are discarded.
pub fn measure_phase(
    installation: &InstallationStatus,
    record: Option<&CheckRecord>,
    phase: u8,
    load: bool,
) -> CheckRecord {
    let found = meter_found(installation);
    let known = record.filter(|record| record.found == found);
    let mut measured = known.map_or_else(|| json!({}), |record| record.measured.clone());
    let name = phase.to_string();
    let off = PhaseReading::from_json(&measured["off"][&name]);
    let test = match (phase_reading(installation), load, off) {
        (Err(finding), ..) => refused(&finding),
        (Ok(now), false, _) => {
            measured["off"][&name] = now.json();
            Value::Null
        }
        (Ok(_), true, None) => refused(&FindingReason::NotPrepared.of_phase(phase)),
        (Ok(on), true, Some(off)) if on.at <= off.at => {
            refused(&FindingReason::NoNewReading.of_phase(phase))
        }
        (Ok(on), true, Some(off)) => {
            let index = usize::from(phase.clamp(1, 3)) - 1;
            let (before, after) = (off.powers[index], on.powers[index]);
            match phase_rise(phase, &off, &on) {
                Ok(rise) => json!({ "at": on.at, "before": before, "after": after, "rise": rise }),
                Err(finding) => refused(&finding),
            }
        }
    };
    measured["tests"][&name] = test;
    CheckRecord {
        stated: Value::Null,
        found,
        measured,
    }
}

fn refused(finding: &Finding) -> Value {
    json!({ "reason": finding.reason.code(), "phase": finding.phase })
}

/// By how many W the phase rose from the reading without the load to the one with it.
///
/// # Errors
/// What is wrong with the wiring, or with the test.
pub fn phase_rise(phase: u8, off: &PhaseReading, on: &PhaseReading) -> Result<i32, Finding> {
    let index = usize::from(phase.clamp(1, 3)) - 1;
    let change = |index: usize| Some(on.powers[index]?.saturating_sub(off.powers[index]?));
    let Some(rise) = change(index) else {
        return Err(FindingReason::PhaseNotMeasured.of_phase(phase));
    };
    let others = (0_u8..3).filter(|other| usize::from(*other) != index);
    let strongest = others
        .filter_map(|other| Some((change(usize::from(other))?.saturating_abs(), other + 1)))
        .max_by_key(|(change, _)| *change);
    let (disturbance, other) = strongest.unwrap_or((0, phase));
    let swing = rise.saturating_abs();
    if swing >= MIN_LOAD_W && disturbance <= swing / 2 {
        return match rise > 0 {
            true => Ok(rise),
            false => Err(FindingReason::SignReversed.of_phase(phase)),
        };
    }
    if disturbance >= MIN_LOAD_W && swing <= disturbance / 2 {
        return Err(FindingReason::PhaseSwapped.of_phase(other));
    }
    match swing >= MIN_LOAD_W {
        true => Err(FindingReason::Unclear.of_phase(phase)),
        false => Err(FindingReason::NoRise.of_phase(phase)),
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
            ([200, -1_201, 40], Err((FindingReason::NoRise, 2))),
            ([200, -3_500, 40], Err((FindingReason::SignReversed, 2))),
            ([2_200, -1_490, 40], Err((FindingReason::PhaseSwapped, 1))),
            ([200, -1_490, -1_960], Err((FindingReason::PhaseSwapped, 3))),
            ([1_400, 500, 40], Err((FindingReason::Unclear, 2))),
            ([200, -1_500, 40], Err((FindingReason::NoRise, 2))),
        ] {
            let found = phase_rise(2, &reading(before), &reading(after));
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
        let judged = phase_rise(3, &single, &single).unwrap_err();
        assert_eq!(judged.reason, FindingReason::PhaseNotMeasured);
        let rose = PhaseReading {
            powers: [Some(1_100), None, None],
            ..single
        };
        assert_eq!(phase_rise(1, &single, &rose), Ok(1_000));
    }

    proptest! {
        /// Whatever else runs in the house, a kettle on a phase passes the test of that phase and of no other.
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
                let passed = phase_rise(tested, &reading(before), &reading(after)).is_ok();
                prop_assert_eq!(passed, usize::from(tested) == phase + 1);
            }
        }

        /// A reversed current clamp is always detected.
        #[test]
        fn a_reversed_clamp_is_never_passed(
            before in prop::array::uniform3(-10_000_i32..10_000),
            load in 600_i32..9_000,
            phase in 0_usize..3,
        ) {
            let mut after = before;
            after[phase] -= load;
            let judged = phase_rise(phase as u8 + 1, &reading(before), &reading(after));
            prop_assert_eq!(judged.unwrap_err().reason, FindingReason::SignReversed);
        }

        #[test]
        fn a_reading_is_read_as_it_was_written(at in 0_i64..1_i64 << 50, powers in prop::array::uniform3(prop::option::of(any::<i32>()))) {
            let reading = PhaseReading { at, powers };
            prop_assert_eq!(PhaseReading::from_json(&reading.json()), Some(reading));
        }
    }
}
