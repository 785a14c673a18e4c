//! NA-Schutz: grid protection by VDE-AR-N 4105. It disconnects from a bad grid and reconnects after a minute of good grid.
use crate::grid::Conditions;
use domain::EventCode;
use domain::clock::{MINUTE, Millis, SECOND};

/// Limits in tenths of a volt and hundredths of a hertz, each with the time that it may be exceeded.
const LOW_VOLTAGE: (i32, Millis) = (1_840, 3 * SECOND);
const VERY_LOW_VOLTAGE: (i32, Millis) = (1_035, 300);
const VERY_HIGH_VOLTAGE: (i32, Millis) = (2_875, 100);
const LOW_FREQUENCY: (i32, Millis) = (4_750, 100);
const HIGH_FREQUENCY: (i32, Millis) = (5_150, 100);
/// Limit for the ten-minute mean, in tenths of a volt.
const HIGH_MEAN_VOLTAGE: i32 = 2_530;

/// The grid must be good for this long before it reconnects.
pub const RECONNECT_WAIT: Millis = 60 * SECOND;

const SLOT: Millis = 30 * SECOND;
const SLOTS: usize = (10 * MINUTE / SLOT) as usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    VoltageLow,
    VoltageHigh,
    FrequencyLow,
    FrequencyHigh,
}

impl Trip {
    /// The event that the battery reports.
    pub const fn code(self) -> EventCode {
        match self {
            Self::VoltageLow => EventCode::NaULow,
            Self::VoltageHigh => EventCode::NaUHigh,
            Self::FrequencyLow => EventCode::NaFLow,
            Self::FrequencyHigh => EventCode::NaFHigh,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtectionState {
    Connected,
    /// Disconnected; the duration says how long the grid has been good.
    Tripped(Trip, Millis),
}

#[derive(Clone, Debug)]
pub struct Protection {
    state: ProtectionState,
    /// How long each limit has been exceeded, in the order of [`limits`].
    crossed: [Millis; 5],
    mean: TenMinutes,
}

impl Default for Protection {
    fn default() -> Self {
        Self {
            state: ProtectionState::Connected,
            crossed: [0; 5],
            mean: TenMinutes::default(),
        }
    }
}

/// Each limit: what it trips, how long it may be exceeded, and whether these conditions exceed it.
fn limits(now: Conditions) -> [(Trip, Millis, bool); 5] {
    let lowest = now.voltage.into_iter().min().unwrap_or(0);
    let highest = now.voltage.into_iter().max().unwrap_or(0);
    [
        (Trip::VoltageLow, LOW_VOLTAGE.1, lowest < LOW_VOLTAGE.0),
        (
            Trip::VoltageLow,
            VERY_LOW_VOLTAGE.1,
            lowest < VERY_LOW_VOLTAGE.0,
        ),
        (
            Trip::VoltageHigh,
            VERY_HIGH_VOLTAGE.1,
            highest > VERY_HIGH_VOLTAGE.0,
        ),
        (
            Trip::FrequencyLow,
            LOW_FREQUENCY.1,
            now.frequency < LOW_FREQUENCY.0,
        ),
        (
            Trip::FrequencyHigh,
            HIGH_FREQUENCY.1,
            now.frequency > HIGH_FREQUENCY.0,
        ),
    ]
}

impl Protection {
    pub fn connected(&self) -> bool {
        self.state == ProtectionState::Connected
    }

    /// The grid is good again and the reconnect wait is running.
    pub fn waiting(&self) -> bool {
        matches!(self.state, ProtectionState::Tripped(_, good) if good > 0)
    }

    pub fn state(&self) -> ProtectionState {
        self.state
    }

    /// The grid was like this for `millis`. Returns the new state if it connected or disconnected.
    pub fn observe(&mut self, now: Conditions, millis: Millis) -> Option<ProtectionState> {
        self.mean.add(now.voltage, millis);
        let mut trip = None;
        let mut good = true;
        for ((means, allowed, crossing), crossed) in limits(now).into_iter().zip(&mut self.crossed)
        {
            *crossed = if crossing { *crossed + millis } else { 0 };
            good &= !crossing;
            if *crossed >= allowed {
                trip = trip.or(Some(means));
            }
        }
        if self
            .mean
            .highest()
            .is_some_and(|mean| mean > HIGH_MEAN_VOLTAGE)
        {
            good = false;
            trip = trip.or(Some(Trip::VoltageHigh));
        }
        let next = match (self.state, trip) {
            (ProtectionState::Connected, Some(trip)) => ProtectionState::Tripped(trip, 0),
            (ProtectionState::Connected, None) => return None,
            (ProtectionState::Tripped(why, so_far), _)
                if good && so_far + millis < RECONNECT_WAIT =>
            {
                ProtectionState::Tripped(why, so_far + millis)
            }
            (ProtectionState::Tripped(..), _) if good => ProtectionState::Connected,
            (ProtectionState::Tripped(why, _), _) => ProtectionState::Tripped(why, 0),
        };
        let changed = matches!(self.state, ProtectionState::Connected)
            != matches!(next, ProtectionState::Connected);
        self.state = next;
        changed.then_some(next)
    }
}

/// Ten-minute moving average per phase.
#[derive(Clone, Debug)]
struct TenMinutes {
    slots: [[i16; 3]; SLOTS],
    /// Number of filled slots, and the slot to write next.
    filled: u8,
    next: u8,
    sum: [i64; 3],
    time: Millis,
}

impl Default for TenMinutes {
    fn default() -> Self {
        Self {
            slots: [[0; 3]; SLOTS],
            filled: 0,
            next: 0,
            sum: [0; 3],
            time: 0,
        }
    }
}

impl TenMinutes {
    fn add(&mut self, voltage: [i32; 3], mut millis: Millis) {
        while millis > 0 {
            let part = millis.min(SLOT - self.time);
            for (sum, voltage) in self.sum.iter_mut().zip(voltage) {
                *sum += i64::from(voltage) * part;
            }
            (self.time, millis) = (self.time + part, millis - part);
            if self.time == SLOT {
                self.slots[usize::from(self.next)] = self.sum.map(|sum| (sum / SLOT) as i16);
                self.next = (self.next + 1) % SLOTS as u8;
                self.filled = (self.filled + 1).min(SLOTS as u8);
                (self.sum, self.time) = ([0; 3], 0);
            }
        }
    }

    /// The highest mean of the three phases, once ten minutes are recorded.
    fn highest(&self) -> Option<i32> {
        let mean = |phase: usize| {
            let sum: i32 = self.slots.iter().map(|slot| i32::from(slot[phase])).sum();
            sum / SLOTS as i32
        };
        (usize::from(self.filled) == SLOTS).then(|| mean(0).max(mean(1)).max(mean(2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: Conditions = Conditions {
        voltage: [2_300; 3],
        frequency: 5_000,
    };

    fn volts(voltage: i32) -> Conditions {
        Conditions {
            voltage: [2_300, voltage * 10, 2_300],
            ..GOOD
        }
    }

    fn hertz(frequency: i32) -> Conditions {
        Conditions { frequency, ..GOOD }
    }

    #[test]
    fn each_limit_trips_after_its_time_and_not_before() {
        for (name, now, allowed, code) in [
            ("U<", volts(183), 3_000, EventCode::NaULow),
            ("U<<", volts(100), 300, EventCode::NaULow),
            ("U>>", volts(288), 100, EventCode::NaUHigh),
            ("f<", hertz(4_749), 100, EventCode::NaFLow),
            ("f>", hertz(5_151), 100, EventCode::NaFHigh),
        ] {
            let mut protection = Protection::default();
            assert_eq!(protection.observe(now, allowed - 1), None, "{name}");
            let Some(ProtectionState::Tripped(trip, 0)) = protection.observe(now, 1) else {
                panic!("{name} did not trip");
            };
            assert_eq!(trip.code(), code, "{name}");
        }
    }

    #[test]
    fn a_dip_shorter_than_allowed_is_forgotten() {
        let mut protection = Protection::default();
        for _ in 0..10 {
            assert_eq!(protection.observe(volts(180), 2_900), None);
            assert_eq!(protection.observe(GOOD, 100), None);
        }
    }

    #[test]
    fn a_high_voltage_trips_by_its_mean_of_ten_minutes() {
        let mut protection = Protection::default();
        assert_eq!(protection.observe(GOOD, 5 * MINUTE), None);
        let minutes = (1..).find(|_| protection.observe(volts(256), MINUTE).is_some());
        // 256 V for nine of ten minutes and 230 V for one give a mean of 253.4 V.
        assert_eq!(minutes, Some(9));
    }

    #[test]
    fn it_returns_after_a_minute_of_good_grid_that_begins_anew_with_each_fault() {
        let mut protection = Protection::default();
        protection.observe(volts(0), 300);
        assert!(!protection.connected() && !protection.waiting());
        protection.observe(GOOD, 59_999);
        assert!(protection.waiting());
        protection.observe(volts(180), 10);
        assert!(!protection.waiting());
        protection.observe(GOOD, 59_999);
        assert!(!protection.connected());
        assert_eq!(
            protection.observe(GOOD, 1),
            Some(ProtectionState::Connected)
        );
    }
}
