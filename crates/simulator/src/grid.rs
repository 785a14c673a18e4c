//! The grid at the house's connection: it drifts, sags under load, rises with feed-in, and now and then misbehaves.
use crate::chance::Seed;
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};

/// In tenths of a volt and hundredths of a hertz.
const NOMINAL_VOLTAGE: f64 = 2_300.0;
const NOMINAL_FREQUENCY: f64 = 5_000.0;
/// Below this there is no grid, in tenths of a volt.
const DEAD: i32 = 500;
/// Of the cable to the transformer, in ohm.
const IMPEDANCE: f64 = 0.22;

/// What the protection measures, in tenths of a volt and hundredths of a hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    pub voltage: [i32; 3],
    pub frequency: i32,
}

/// The grid operator allows no more than this to be drawn for charging, for a while (§14a EnWG).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimming {
    pub from: Millis,
    pub until: Millis,
    /// In W.
    pub limit: i32,
}

/// The grid out of its range for a while.
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
    /// Told by whoever plays with this grid.
    scripted: Vec<Excursion>,
    dimming: Option<Dimming>,
    /// The day that was looked at last, and what happens on it.
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

    /// What the grid operator says last counts.
    pub fn dim(&mut self, dimming: Dimming) {
        self.dimming = Some(dimming);
    }

    /// What may be drawn for charging at that moment, in W; `None` without a limit.
    pub fn dimmed(&self, at: Millis) -> Option<i32> {
        let now = self.dimming.filter(|it| (it.from..it.until).contains(&at));
        now.map(|it| it.limit)
    }

    /// The grid as it mostly is, with `load` W drawn from each phase.
    pub fn conditions(&self, at: Millis, load: [i32; 3]) -> Conditions {
        let phase = |number: usize| {
            let seed = self.seed.with(part::PHASE + number as u64);
            let drift = 28.0 * seed.wave(at, 3 * HOUR) + 9.0 * seed.wave(at, 7 * MINUTE);
            let noise = 3.0 * seed.noise(at, SECOND);
            let sag = f64::from(load[number]) * IMPEDANCE / 23.0;
            (NOMINAL_VOLTAGE + drift + noise - sag).round() as i32
        };
        // One frequency for all of Europe: the same wave for every seed.
        let common = Seed::of_all().with(part::FREQUENCY);
        let frequency = 2.5 * common.wave(at, 4 * MINUTE) + 1.5 * common.wave(at, 17 * SECOND);
        Conditions {
            voltage: [phase(0), phase(1), phase(2)],
            frequency: (NOMINAL_FREQUENCY + frequency).round() as i32,
        }
    }

    /// What goes wrong between two moments, if anything.
    pub fn excursion(&mut self, from: Millis, until: Millis) -> Option<Excursion> {
        let day = from.div_euclid(DAY);
        if self.today.0 != day {
            self.today = (day, self.trouble_of(day));
        }
        let touches = |it: &&Excursion| it.from < until && it.until > from;
        let scripted = self.scripted.iter().find(touches).copied();
        scripted.or_else(|| self.today.1.as_ref().filter(touches).copied())
    }

    /// Whether there is no grid all the time between two moments.
    pub fn is_dead(&mut self, from: Millis, until: Millis) -> bool {
        let whole = |it: &Excursion| it.from <= from && it.until >= until;
        let now = self.excursion(from, until).filter(whole);
        now.is_some_and(|it| matches!(it.to, Deviation::Voltage(voltage) if voltage < DEAD))
    }

    /// About five times a year a short dip, once in two years something stranger.
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
    /// `usual` with this deviation in it.
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
        Grid::new(Seed::of_all().with(number))
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
