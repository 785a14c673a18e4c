//! A sample: what a battery measured at one moment, as integers in the units in which they are stored.
use crate::clock::Millis;
use crate::flags::Flags;
use crate::names::variants;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// Which message of which boot. Together with the serial number it uniquely identifies what a battery sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    /// Which of the site's successive units sent it: 0 until the first exchange. Every unit counts its boots from 1, so this
    /// keeps their messages apart.
    pub unit: u8,
    /// Counts the starts of the device.
    pub boot: u32,
    /// Counts the messages since that start.
    pub seq: u32,
}

impl MessageId {
    /// The id as the battery knows it, without the number of the unit.
    pub const fn new(boot: u32, seq: u32) -> Self {
        Self { unit: 0, boot, seq }
    }

    pub const fn with_unit(self, unit: u8) -> Self {
        Self { unit, ..self }
    }

    /// Unit and boot as one number, the stored form.
    pub const fn stored_boot(self) -> i64 {
        (self.unit as i64) << 32 | self.boot as i64
    }

    /// From the [stored form](Self::stored_boot).
    pub fn from_stored(boot: i64, seq: i64) -> Option<Self> {
        let unit = u8::try_from(boot >> 32).ok()?;
        let (boot, seq) = (u32::try_from(boot & 0xffff_ffff), u32::try_from(seq));
        Some(Self {
            unit,
            boot: boot.ok()?,
            seq: seq.ok()?,
        })
    }
}

/// A counter of energy in Wh that never falls unless the device has a fault.
#[derive(EnumString, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    Import,
    FeedIn,
    Pv,
    Charge,
    Discharge,
}

impl Counter {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }
}

/// The operating state that the battery reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
#[strum(const_into_str, serialize_all = "snake_case")]
#[repr(u8)]
pub enum BatteryStatus {
    #[default]
    Off = 0,
    Standby = 1,
    Charging = 2,
    Discharging = 3,
    Full = 4,
    Empty = 5,
    Calibrating = 6,
    Fault = 7,
}

impl BatteryStatus {
    pub const ALL: [Self; Self::VARIANTS.len()] = variants();

    pub const fn as_str(self) -> &'static str {
        self.into_str()
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// `None` is a value that was not measured, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was measured, after clock correction, to the [tenth of a second](tenth_of_second).
    pub at: Millis,
    pub id: MessageId,
    /// Grid voltage per phase, in tenths of a volt.
    pub voltage: [Option<i32>; 3],
    /// In hundredths of a hertz.
    pub frequency: Option<i32>,
    /// Power at the meter per phase, in W; import is positive.
    pub meter_power: [Option<i32>; 3],
    /// In W; import is positive.
    pub grid_power: Option<i32>,
    /// In W, never negative.
    pub pv_power: Option<i32>,
    /// In W; discharge is positive.
    pub battery_power: Option<i32>,
    /// State of charge in tenths of a percent, 0 to 1000.
    pub soc: Option<i32>,
    /// Counter readings in Wh, in the order of [`Counter::ALL`].
    pub counters: [Option<i64>; 5],
    pub status: BatteryStatus,
    pub flags: Flags,
}

impl Sample {
    /// What the house consumes: PV + grid + battery. `None` if one of them is missing.
    pub fn house_power(&self) -> Option<i32> {
        Some(self.pv_power? + self.grid_power? + self.battery_power?)
    }

    pub fn counter(&self, counter: Counter) -> Option<i64> {
        self.counters[counter as usize]
    }

    /// The sort key of samples: by time, then by the order of sending.
    pub fn order(&self) -> (Millis, MessageId) {
        (self.at, self.id)
    }
}

/// The nearest tenth of a second. Finer digits are timer noise, and would take a quarter of a stored sample.
pub fn tenth_of_second(at: Millis) -> Millis {
    (at + 50).div_euclid(100) * 100
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn sample() -> Sample {
        Sample {
            at: 0,
            id: MessageId::new(1, 1),
            voltage: [None; 3],
            frequency: None,
            meter_power: [None; 3],
            grid_power: Some(-400),
            pv_power: Some(1500),
            battery_power: Some(-600),
            soc: None,
            counters: [None; 5],
            status: BatteryStatus::Charging,
            flags: Flags::default(),
        }
    }

    #[test]
    fn the_house_is_what_sun_grid_and_battery_give_it() {
        assert_eq!(sample().house_power(), Some(500));
    }

    #[test]
    fn a_missing_part_makes_the_house_missing() {
        let blind = Sample {
            grid_power: None,
            ..sample()
        };
        assert_eq!(blind.house_power(), None);
    }

    #[test]
    fn unit_and_boot_are_kept_as_one_number_in_which_a_later_unit_is_higher() {
        let old = MessageId::new(u32::MAX, 7);
        let new = MessageId::new(1, 1).with_unit(2);
        for id in [old, new, MessageId::new(1, 0).with_unit(u8::MAX)] {
            let kept = MessageId::from_stored(id.stored_boot(), i64::from(id.seq));
            assert_eq!(kept, Some(id));
        }
        assert!(old < new && old.stored_boot() < new.stored_boot());
        assert_eq!(MessageId::from_stored(-1, 1), None);
        assert_eq!(MessageId::from_stored(1 << 40, 1), None);
    }

    #[test]
    fn times_are_kept_to_the_nearest_tenth_of_a_second() {
        assert_eq!(
            [149, 150, -51, -50].map(tenth_of_second),
            [100, 200, -100, 0]
        );
    }

    #[test]
    fn a_status_is_sent_as_its_place_in_the_list() {
        for status in BatteryStatus::ALL {
            assert_eq!(
                BatteryStatus::from_number(status as u8),
                Some(status),
                "{}",
                status.as_str()
            );
        }
        assert_eq!(BatteryStatus::from_number(8), None);
    }
}
