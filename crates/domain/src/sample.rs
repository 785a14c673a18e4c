//! One report of a battery: what it measured at one moment. Integers in the units they are kept in.
use crate::clock::Millis;
use crate::flags::Flags;

/// Which message of which boot: together with the serial number it identifies what a battery sent, once and for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MessageId {
    /// Which of the units that stood at the site sent it: 0 until one was exchanged. Every unit counts its boots from 1, so
    /// that this keeps their messages apart.
    pub unit: u8,
    /// Counts the starts of the device.
    pub boot: u32,
    /// Counts the messages since that start.
    pub seq: u32,
}

impl MessageId {
    /// As a battery counts, which knows nothing of other units.
    pub const fn new(boot: u32, seq: u32) -> Self {
        Self { unit: 0, boot, seq }
    }

    pub const fn of_unit(self, unit: u8) -> Self {
        Self { unit, ..self }
    }

    /// Unit and boot as one number, which is how they are kept.
    pub const fn kept_boot(self) -> i64 {
        (self.unit as i64) << 32 | self.boot as i64
    }

    /// From what [was kept](Self::kept_boot).
    pub fn of_kept(boot: i64, seq: i64) -> Option<Self> {
        let unit = u8::try_from(boot >> 32).ok()?;
        let (boot, seq) = (u32::try_from(boot & 0xffff_ffff), u32::try_from(seq));
        Some(Self {
            unit,
            boot: boot.ok()?,
            seq: seq.ok()?,
        })
    }
}

/// A counter of energy in Wh that never falls while the device is well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Counter {
    Import,
    FeedIn,
    Pv,
    Charge,
    Discharge,
}

impl Counter {
    pub const ALL: [Self; 5] = [
        Self::Import,
        Self::FeedIn,
        Self::Pv,
        Self::Charge,
        Self::Discharge,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::FeedIn => "feed_in",
            Self::Pv => "pv",
            Self::Charge => "charge",
            Self::Discharge => "discharge",
        }
    }
}

/// What the battery says it is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    pub const ALL: [Self; 8] = [
        Self::Off,
        Self::Standby,
        Self::Charging,
        Self::Discharging,
        Self::Full,
        Self::Empty,
        Self::Calibrating,
        Self::Fault,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Standby => "standby",
            Self::Charging => "charging",
            Self::Discharging => "discharging",
            Self::Full => "full",
            Self::Empty => "empty",
            Self::Calibrating => "calibrating",
            Self::Fault => "fault",
        }
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// `None` is a value that was not measured; it is never a zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When it was measured, after the clock rules, to the [tenth of a second](tenth_of_second).
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
    /// What the house takes: PV + grid + battery. A missing part makes it missing.
    pub fn house_power(&self) -> Option<i32> {
        Some(self.pv_power? + self.grid_power? + self.battery_power?)
    }

    pub fn counter(&self, counter: Counter) -> Option<i64> {
        self.counters[counter as usize]
    }

    /// The order in which samples count: by time, then by what was sent first.
    pub fn order(&self) -> (Millis, MessageId) {
        (self.at, self.id)
    }
}

/// The nearest tenth of a second: finer times of a timer are noise, which would take a quarter of the room of a sample.
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
        let new = MessageId::new(1, 1).of_unit(2);
        for id in [old, new, MessageId::new(1, 0).of_unit(u8::MAX)] {
            let kept = MessageId::of_kept(id.kept_boot(), i64::from(id.seq));
            assert_eq!(kept, Some(id));
        }
        assert!(old < new && old.kept_boot() < new.kept_boot());
        assert_eq!(MessageId::of_kept(-1, 1), None);
        assert_eq!(MessageId::of_kept(1 << 40, 1), None);
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
