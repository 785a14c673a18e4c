//! The grid at the house connection. Voltage and frequency drift; the voltage sags under load and rises with feed-in.
//! Excursions are rare.
use crate::seed::Seed;
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};

/// In tenths of a volt and hundredths of a hertz.
const NOMINAL_VOLTAGE: f64 = 2_300.0;
const NOMINAL_FREQUENCY: f64 = 5_000.0;
/// Below this there is no grid, in tenths of a volt.
const DEAD: i32 = 500;
/// Of the cable to the transformer, in ohms.
const IMPEDANCE: f64 = 0.22;

/// What the protection measures, in tenths of a volt and hundredths of a hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub voltage: [i32; 3],
    pub frequency: i32,
}

/// A temporary limit by the grid operator on the power drawn for charging (§14a EnWG).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimming {
    pub from: Millis,
    pub until: Millis,
    /// In W.
    pub limit: i32,
}

/// The grid is outside its normal range for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excursion {
    pub from: Millis,
    pub until: Millis,
    pub to: Deviation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// All phases at this voltage, in tenths of a volt.
    Voltage(i32),
    /// In hundredths of a hertz.
    Frequency(i32),
}

mod part {
    pub(super) const FREQUENCY: u64 = 21;
    pub(super) const DAY: u64 = 22;
    pub(super) const PHASE: u64 = 23;
}

pub struct Grid {
    seed: Seed,
    /// Excursions that a test or demo added.
    scripted: Vec<Excursion>,
    dimming: Option<Dimming>,
    /// The day that was checked last, and its random excursion.
    today: (i64, Option<Excursion>),
}

impl Grid {
    pub fn new(seed: Seed) -> Self {
        Self {
            seed,
            scripted: Vec::new(),
            dimming: None,
            today: (i64::MIN, None),
        }
    }

    pub fn script(&mut self, excursion: Excursion) {
        self.scripted.push(excursion);
    }

    /// The latest limit replaces the one before.
    pub fn dim(&mut self, dimming: Dimming) {
        self.dimming = Some(dimming);
    }

    /// The charging limit at that moment, in W; `None` without one.
    pub fn dimmed(&self, at: Millis) -> Option<i32> {
        let active = |dimming: &Dimming| (dimming.from..dimming.until).contains(&at);
        self.dimming.filter(active).map(|dimming| dimming.limit)
    }

    /// Normal conditions, with `load` W drawn from each phase.
    pub fn conditions(&self, at: Millis, load: [i32; 3]) -> Conditions {
        let phase = |number: usize| {
            let seed = self.seed.with(part::PHASE + number as u64);
            let drift = 28.0 * seed.wave(at, 3 * HOUR) + 9.0 * seed.wave(at, 7 * MINUTE);
            let noise = 3.0 * seed.noise(at, SECOND);
            let sag = f64::from(load[number]) * IMPEDANCE / 23.0;
            (NOMINAL_VOLTAGE + drift + noise - sag).round() as i32
        };
        // All of Europe has one frequency: the same wave for every seed.
        let common = Seed::shared().with(part::FREQUENCY);
        let frequency = 2.5 * common.wave(at, 4 * MINUTE) + 1.5 * common.wave(at, 17 * SECOND);
        Conditions {
            voltage: [phase(0), phase(1), phase(2)],
            frequency: (NOMINAL_FREQUENCY + frequency).round() as i32,
        }
    }

    /// The excursion between two moments, if there is one.
    pub fn excursion(&mut self, from: Millis, until: Millis) -> Option<Excursion> {
        let day = from.div_euclid(DAY);
        if self.today.0 != day {
            self.today = (day, self.trouble_of(day));
        }
        let overlaps = |excursion: &&Excursion| excursion.from < until && excursion.until > from;
        let scripted = self.scripted.iter().find(overlaps).copied();
        scripted.or_else(|| self.today.1.as_ref().filter(overlaps).copied())
    }

    /// Whether the grid is dead during the whole interval.
    pub fn is_dead(&mut self, from: Millis, until: Millis) -> bool {
        let whole = |it: &Excursion| it.from <= from && it.until >= until;
        let now = self.excursion(from, until).filter(whole);
        now.is_some_and(|it| matches!(it.to, Deviation::Voltage(voltage) if voltage < DEAD))
    }

    /// A short dip about five times a year, a high frequency once in two years.
    fn trouble_of(&self, day: i64) -> Option<Excursion> {
        let drawn = self.seed.with(part::DAY).with(day as u64);
        let (to, length) = match drawn.unit() {
            luck if luck < 0.010 => (
                Deviation::Voltage(drawn.with(1).between(1_500.0, 1_830.0) as i32),
                drawn.with(2).between(0.5, 12.0),
            ),
            luck if luck < 0.014 => (
                Deviation::Voltage(drawn.with(1).between(50.0, 1_000.0) as i32),
                drawn.with(2).between(0.1, 4.0),
            ),
            luck if luck < 0.0155 => (Deviation::Frequency(5_155), 1.0),
            _ => return None,
        };
        let from = day * DAY + drawn.with(3).between(0.0, (DAY - MINUTE) as f64) as i64;
        Some(Excursion {
            from,
            until: from + (length * SECOND as f64) as i64,
            to,
        })
    }
}

impl Deviation {
    /// `usual` with this deviation applied.
    pub fn of(self, usual: Conditions) -> Conditions {
        match self {
            Self::Voltage(voltage) => Conditions {
                voltage: [voltage; 3],
                ..usual
            },
            Self::Frequency(frequency) => Conditions { frequency, ..usual },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(number: u64) -> Grid {
        Grid::new(Seed::shared().with(number))
    }

    #[test]
    fn a_usual_year_stays_inside_the_usual_band() {
        let grid = grid(5);
        for step in 0..365 * 24 {
            let now = grid.conditions(step * HOUR, [1_500, -2_500, 300]);
            assert!(
                now.voltage.iter().all(|v| (2_180..2_420).contains(v)),
                "{now:?}"
            );
            assert!((4_990..=5_010).contains(&now.frequency), "{now:?}");
        }
    }

    #[test]
    fn phases_drift_apart_and_feeding_in_raises_the_voltage() {
        let grid = grid(6);
        let idle = grid.conditions(DAY, [0; 3]);
        assert!(idle.voltage[0] != idle.voltage[1] || idle.voltage[1] != idle.voltage[2]);
        let feeding = grid.conditions(DAY, [-4_000, 0, 0]);
        assert!(feeding.voltage[0] > idle.voltage[0] + 20);
        assert_eq!(feeding.voltage[1], idle.voltage[1]);
    }

    #[test]
    fn trouble_is_rare_and_short() {
        let mut grid = grid(7);
        let troubles: Vec<_> = (0..3_650)
            .filter_map(|day| grid.excursion(day * DAY, (day + 1) * DAY))
            .collect();
        assert!((20..120).contains(&troubles.len()), "{}", troubles.len());
        assert!(troubles.iter().all(|it| it.until - it.from <= 12 * SECOND));
    }
}
