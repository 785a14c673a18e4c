//! What the meter shows on each phase.
use super::{Finding, FindingReason, InstallationStatus};
use crate::clock::Millis;
use serde_json::{Value, json};

/// Above this power the battery itself could hide or imitate the load.
const MAX_IDLE_POWER_W: i32 = 100;

/// What the meter showed at one moment, summed over all units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseReading {
    /// When the oldest sample in it was measured.
    pub at: Millis,
    /// Power at the meter per phase in W, import positive; `None` on phases without measurement.
    pub powers: [Option<i32>; 3],
}

impl PhaseReading {
    pub fn json(&self) -> Value {
        json!({ "at": self.at, "powers": self.powers })
    }

    pub fn from_json(value: &Value) -> Option<Self> {
        let power = |index: usize| {
            let power = value["powers"].get(index).and_then(Value::as_i64);
            power.and_then(|power| i32::try_from(power).ok())
        };
        Some(Self {
            at: value["at"].as_i64()?,
            powers: [power(0), power(1), power(2)],
        })
    }
}

/// What the meter shows now. Each unit reports its own phase, or one unit reports all three.
pub fn phase_reading(installation: &InstallationStatus) -> Result<PhaseReading, Finding> {
    let mut reading = PhaseReading {
        at: Millis::MAX,
        powers: [None; 3],
    };
    for unit in &installation.units {
        let sample = unit.sample.as_ref().filter(|_| unit.online);
        let sample = sample.ok_or_else(|| FindingReason::NotReporting.of_unit(&unit.sn))?;
        if sample.battery_power.unwrap_or(0).abs() > MAX_IDLE_POWER_W {
            return Err(FindingReason::BatteryBusy.of_unit(&unit.sn));
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
        false => Err(FindingReason::MeterSilent.alone()),
    }
}
