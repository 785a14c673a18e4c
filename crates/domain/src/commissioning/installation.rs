//! What is known of the units during commissioning.
use crate::clock::Millis;
use crate::flags::{MESSAGE2, MESSAGE3, MESSAGE5, is_set};
use crate::hello::PartVersions;
use crate::setting::{Field, Ratings, Settings, Value};
use crate::{Sample, Serial};

#[derive(Clone, Debug)]
pub struct InstallationStatus {
    /// Sorted by phase and serial number; at least one.
    pub units: Vec<InstalledUnit>,
    /// All units have the same owner, or none of them has one.
    pub one_owner: bool,
    pub has_customer_name: bool,
    pub has_location: bool,
}

#[derive(Clone, Debug)]
pub struct InstalledUnit {
    pub sn: Serial,
    /// 1 to 3.
    pub phase: u8,
    pub hardware: Option<String>,
    /// Usable Wh.
    pub capacity: Option<i64>,
    pub ratings: Ratings,
    pub versions: PartVersions,
    pub online: bool,
    pub sample: Option<Sample>,
    pub settings: Settings,
    /// The settings that the battery reports as applied.
    pub reported: Settings,
    /// Fields that the battery refused.
    pub refused: Vec<Field>,
    /// The notice under §14a EnWG was acknowledged.
    pub acknowledged: bool,
    pub settings_changed_at: Option<Millis>,
    /// The newest test since the commissioning began.
    pub meter_test: Option<MeterTestResult>,
    pub update: PendingUpdate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterTestResult {
    /// When the test was requested.
    pub at: Millis,
    pub passed: bool,
}

/// Whether a unit has a firmware update that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingUpdate {
    None,
    Waiting,
    Running,
}

/// Flags that count as a fault of the battery. Meter and calibration are checked elsewhere.
const FAULTS: [&str; 9] = ["m", "i2", "i1", "i", "relay", "bat", "u", "hw", "na_schutz"];

impl InstalledUnit {
    fn flag(&self, set_of: fn(&crate::flags::Flags) -> u16, names: &[&str], name: &str) -> bool {
        let sample = self.sample.as_ref();
        sample.is_some_and(|sample| is_set(set_of(&sample.flags), names, name))
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

    /// The reported value in the JSON form of settings documents.
    pub(super) fn reported_json(&self, field: Field) -> serde_json::Value {
        let value = self.reported.get(field);
        value.map_or(serde_json::Value::Null, |value| value.json(field))
    }
}
