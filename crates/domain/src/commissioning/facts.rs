//! What is known of the units while they are brought into service.
use crate::clock::Millis;
use crate::flags::{MESSAGE2, MESSAGE3, MESSAGE5, is_set};
use crate::hello::Versions;
use crate::setting::{Field, Ratings, Settings, Value};
use crate::{Sample, Serial};

/// The installation as it is known now.
#[derive(Clone, Debug)]
pub struct Facts {
    /// By phase and serial number; at least one.
    pub units: Vec<Unit>,
    /// All units belong to the same owner, or all to nobody.
    pub one_owner: bool,
    /// Who lives there.
    pub named: bool,
    /// Somebody has said where it is.
    pub placed: bool,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub sn: Serial,
    /// 1 to 3.
    pub phase: u8,
    pub hardware: Option<String>,
    /// Usable Wh.
    pub capacity: Option<i64>,
    pub ratings: Ratings,
    pub versions: Versions,
    pub online: bool,
    pub sample: Option<Sample>,
    pub settings: Settings,
    /// What the battery says it works with.
    pub reported: Settings,
    /// Fields that the battery did not take.
    pub refused: Vec<Field>,
    /// The notice under §14a EnWG was acknowledged.
    pub acknowledged: bool,
    pub settings_changed_at: Option<Millis>,
    /// The newest one since the commissioning began.
    pub meter_test: Option<MeterTest>,
    pub update: Update,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterTest {
    /// When it was asked for.
    pub at: Millis,
    pub passed: bool,
}

/// Where a unit stands with its firmware.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    None,
    Waiting,
    Running,
}

/// Faults that a battery reports; the meter and a calibration are looked at elsewhere.
const FAULTS: [&str; 9] = ["m", "i2", "i1", "i", "relay", "bat", "u", "hw", "na_schutz"];

impl Unit {
    fn flag(&self, of: fn(&crate::flags::Flags) -> u16, names: &[&str], name: &str) -> bool {
        let sample = self.sample.as_ref();
        sample.is_some_and(|sample| is_set(of(&sample.flags), names, name))
    }

    pub(super) fn faulty(&self) -> bool {
        let set = |name: &&str| self.flag(|flags| flags.message2, MESSAGE2, name);
        FAULTS.iter().any(set)
    }

    pub(super) fn meter_silent(&self) -> bool {
        self.flag(|flags| flags.message2, MESSAGE2, "sm1")
    }

    pub(super) fn rotation_wrong(&self) -> bool {
        self.flag(|flags| flags.message3, MESSAGE3, "m3_rotation")
    }

    pub(super) fn ups_ready(&self) -> bool {
        self.flag(|flags| flags.message5, MESSAGE5, "m5_ups_enable")
    }

    pub(super) fn switched_on(&self) -> bool {
        self.sample.is_none_or(|sample| sample.flags.switched_on())
    }

    pub(super) fn whole(&self, field: Field) -> i64 {
        match self.reported.get(field) {
            Some(Value::Whole(number)) => number,
            _ => 0,
        }
    }

    pub(super) fn is_on(&self, field: Field) -> bool {
        self.reported.get(field) == Some(Value::Switch(true))
    }

    /// The reported value as documents hold it.
    pub(super) fn reported_json(&self, field: Field) -> serde_json::Value {
        let value = self.reported.get(field);
        value.map_or(serde_json::Value::Null, |value| value.json(field))
    }
}
