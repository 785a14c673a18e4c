//! Load and PV of a household. The daily profiles come from a real home; the seed sets scale, location, habits and noise.
use crate::seed::Seed;
use crate::sun::{Location, SunDay};
use crate::year::{HALF_HOURS, LoadDay, MEAN_LOAD, POINTS, PvDay, Year, is_weekend};
use domain::Zone;
use domain::clock::{DAY, HOUR, MINUTE, Millis, SECOND};

/// The size of a home.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Household {
    /// Yearly consumption in kWh.
    pub yearly_kwh: f64,
    /// PV panels in W peak; 0 for none.
    pub panels: f64,
}

impl Household {
    /// A typical home: 2,500 to 6,500 kWh a year, 4 to 12 kWp.
    pub fn random(seed: Seed) -> Self {
        Self {
            yearly_kwh: seed.with(1).between(2_500.0, 6_500.0).round(),
            panels: (seed.with(2).between(4.0, 12.0) * 10.0).round() * 100.0,
        }
    }
}

/// Sub-seeds, one for each quantity that is drawn.
mod part {
    pub(super) const LOCATION: u64 = 11;
    pub(super) const HABIT: u64 = 12;
    pub(super) const LOAD_DAY: u64 = 13;
    pub(super) const PV_DAY: u64 = 14;
    pub(super) const APPLIANCE: u64 = 15;
    pub(super) const BASE: u64 = 16;
    pub(super) const CLOUD: u64 = 17;
    pub(super) const PHASES: u64 = 18;
}

/// Share of the theoretical clear-sky power that the roof yields: panels face a little east or west, get dirty and warm.
const ROOF: f64 = 0.92;
/// Winter skies are greyer than the spring and autumn days that replace missing winter days.
const WINTER_SKY: f64 = 0.75;
const WINTER_LOAD: f64 = 1.15;

pub struct Home {
    seed: Seed,
    zone: Zone,
    location: Location,
    /// Load of this home relative to the real one.
    load_scale: f64,
    panels: f64,
    /// This household's day is later than the real one's by this much.
    later: Millis,
    /// Shares of the load on the three phases.
    phases: [f64; 3],
    offset: Offset,
    light: Light,
    load: Load,
}

/// Local time minus UTC, cached for one hour.
#[derive(Clone, Copy)]
struct Offset {
    hour: i64,
    millis: Millis,
}

/// PV profile of one day.
struct Light {
    day: i64,
    sun: SunDay,
    /// PV power at noon of a clear day, in W.
    clear: f64,
    shape: PvDay,
}

/// Load profile of one day.
struct Load {
    day: i64,
    shape: LoadDay,
}

impl Home {
    pub fn new(seed: Seed, household: Household, zone: Zone) -> Self {
        let habit = seed.with(part::HABIT);
        let phases = seed.with(part::PHASES);
        let weights = [0, 1, 2].map(|phase| phases.with(phase).between(0.6, 1.4));
        let location = Location {
            latitude: seed.with(part::LOCATION).between(47.6, 54.2),
            longitude: seed.with(part::LOCATION).with(1).between(6.5, 14.2),
        };
        Self {
            seed,
            zone,
            location,
            load_scale: household.yearly_kwh / (MEAN_LOAD * 8.766),
            panels: household.panels,
            later: (habit.between(-75.0, 75.0) as i64) * MINUTE,
            phases: weights.map(|weight| weight / weights.iter().sum::<f64>()),
            offset: Offset {
                hour: i64::MIN,
                millis: 0,
            },
            light: Light {
                day: i64::MIN,
                sun: SunDay::new(location, 0.0),
                clear: 0.0,
                shape: [0.0; POINTS],
            },
            load: Load {
                day: i64::MIN,
                shape: [0.0; HALF_HOURS],
            },
        }
    }

    /// The minute of the day in local time.
    pub fn minute_of_day(&mut self, at: Millis) -> u16 {
        (self.local(at).rem_euclid(DAY) / MINUTE) as u16
    }

    /// Load at that moment, in W.
    pub fn load(&mut self, at: Millis) -> i32 {
        let local = self.local(at) - self.later;
        let day = local.div_euclid(DAY);
        if self.load.day != day {
            self.load = self.load_of(day);
        }
        let half_hour = local.div_euclid(30 * MINUTE);
        let into = local.rem_euclid(30 * MINUTE) as f64 / (30 * MINUTE) as f64;
        let slot = half_hour.rem_euclid(HALF_HOURS as i64) as usize;
        let mean = f64::from(self.load.shape[slot]) * self.load_scale;

        let base_seed = self.seed.with(part::BASE);
        let base = mean.min(base_seed.between(120.0, 260.0) * self.load_scale.max(0.5));
        let hum = 1.0 + 0.03 * base_seed.noise(at, 20 * SECOND) + 0.08 * base_seed.wave(at, HOUR);
        let appliance = self.appliance(half_hour, into, mean - base);
        (base * hum + appliance).round() as i32
    }

    /// Load above the base is switched: an appliance runs at full power for part of the half hour, which keeps the mean.
    fn appliance(&self, half_hour: i64, into: f64, excess: f64) -> f64 {
        let drawn = self.seed.with(part::APPLIANCE).with(half_hour as u64);
        let power = drawn.between(250.0, 2_200.0).max(excess * 1.02);
        let share = excess / power;
        let start = drawn.with(1).unit() * (1.0 - share);
        if into >= start && into < start + share {
            power * (1.0 + 0.015 * drawn.noise((into * 1e6) as i64, 5_000))
        } else {
            0.0
        }
    }

    /// PV power at that moment, in W.
    pub fn pv(&mut self, at: Millis) -> i32 {
        if self.panels == 0.0 {
            return 0;
        }
        let day = at.div_euclid(DAY);
        if self.light.day != day {
            self.light = self.light_of(day);
        }
        let light = &self.light;
        let hour = at.rem_euclid(DAY) as f64 / HOUR as f64;
        let across = (hour - light.sun.noon) / light.sun.half;
        if across.abs() >= 1.0 {
            return 0;
        }
        let point = (across + 1.0) / 2.0 * (POINTS - 1) as f64;
        let (low, rest) = (point as usize, point.fract());
        let value =
            f64::from(light.shape[low]) * (1.0 - rest) + f64::from(light.shape[low + 1]) * rest;
        let envelope = (across * std::f64::consts::FRAC_PI_2).cos();
        let clearness = value / envelope.max(0.02);
        // Clearness between overcast and clear means broken clouds, which make the power flicker.
        let broken = 1.0 - ((clearness - 0.5).abs() / 0.45).min(1.0);
        let cloud = self.seed.with(part::CLOUD);
        let flicker = 0.3 * broken * cloud.wave(at, 100 * SECOND) + 0.003 * cloud.noise(at, SECOND);
        let power = light.clear * value * (1.0 + flicker);
        power.clamp(0.0, self.panels).round() as i32
    }

    /// Splits a power over the three phases; the parts add up to it exactly.
    pub fn on_phases(&self, power: i32) -> [i32; 3] {
        let part = |phase: usize| (f64::from(power) * self.phases[phase]).round() as i32;
        let (first, second) = (part(0), part(1));
        [first, second, power - first - second]
    }

    fn local(&mut self, at: Millis) -> Millis {
        let hour = at.div_euclid(HOUR);
        if self.offset.hour != hour {
            self.offset = Offset {
                hour,
                millis: i64::from(self.zone.offset_minutes(at)) * MINUTE,
            };
        }
        at + self.offset.millis
    }

    fn load_of(&self, day: i64) -> Load {
        let season = season(day);
        let drawn = self.seed.with(part::LOAD_DAY).with(day as u64);
        let borrowed = Year::get().load(season as usize, is_weekend(day), drawn.unit());
        let mood = drawn.with(1).between(0.85, 1.15) as f32 * winter(season, WINTER_LOAD) as f32;
        Load {
            day,
            shape: borrowed.map(|load| load * mood),
        }
    }

    fn light_of(&self, day: i64) -> Light {
        let season = season(day);
        let sun = SunDay::new(self.location, season);
        let drawn = self.seed.with(part::PV_DAY).with(day as u64);
        Light {
            day,
            sun,
            clear: self.panels * ROOF * sun.strength * winter(season, WINTER_SKY),
            shape: *Year::get().pv(season as usize, drawn.unit()),
        }
    }
}

/// The day of the year from 0, in the tropical year.
fn season(day: i64) -> f64 {
    (day as f64).rem_euclid(365.2425)
}

/// 1 from March to October, `factor` in deep winter, linear in between.
fn winter(season: f64, factor: f64) -> f64 {
    let from_new_year = season.min(365.2425 - season);
    let depth = ((70.0 - from_new_year) / 30.0).clamp(0.0, 1.0);
    1.0 + (factor - 1.0) * depth
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW_YEAR: Millis = 1_767_225_600_000; // 2026-01-01T00:00:00Z

    fn home(number: u64) -> Home {
        let sn = "SC24A0001".parse().unwrap();
        let household = Household {
            yearly_kwh: 4_000.0,
            panels: 8_000.0,
        };
        Home::new(
            Seed::of(&sn, number),
            household,
            Zone::DEFAULT.parse().unwrap(),
        )
    }

    /// Load and PV in kWh over a range of days of the year.
    fn energy(home: &mut Home, days: std::ops::Range<i64>) -> (f64, f64) {
        let (mut load, mut pv) = (0.0, 0.0);
        for step in days.start * 288..days.end * 288 {
            let at = NEW_YEAR + step * 5 * MINUTE + 150 * SECOND;
            load += f64::from(home.load(at)) / 12_000.0;
            pv += f64::from(home.pv(at)) / 12_000.0;
        }
        (load, pv)
    }

    #[test]
    fn a_year_uses_and_gives_what_a_home_of_that_size_does() {
        for number in 0..4 {
            let (load, pv) = energy(&mut home(number), 0..365);
            assert!((3_400.0..4_600.0).contains(&load), "{load} kWh used");
            assert!((6_000.0..9_600.0).contains(&pv), "{pv} kWh from 8 kWp");
        }
    }

    #[test]
    fn winter_gives_a_fraction_of_summer() {
        let mut home = home(1);
        let (_, december) = energy(&mut home, 334..365);
        let (_, june) = energy(&mut home, 151..181);
        assert!(december > 0.05 * june, "{december} of {june} kWh");
        assert!(december < 0.35 * june, "{december} of {june} kWh");
    }

    #[test]
    fn nights_are_dark_and_nobody_lives_on_nothing() {
        let mut home = home(2);
        for day in 0..365 {
            let midnight = NEW_YEAR + day * DAY;
            assert_eq!(home.pv(midnight), 0);
            assert!(home.load(midnight) >= 0);
        }
    }

    #[test]
    fn a_moment_looks_the_same_from_wherever_it_is_reached() {
        let at = NEW_YEAR + 170 * DAY + 11 * HOUR;
        let (mut straight, mut wandering) = (home(3), home(3));
        energy(&mut wandering, 3..5);
        assert_eq!(straight.pv(at), wandering.pv(at));
        assert_eq!(straight.load(at), wandering.load(at));
    }

    #[test]
    fn phases_add_up_to_the_house() {
        let home = home(4);
        for power in [-7, 0, 1, 2, 333, 4_711] {
            assert_eq!(home.on_phases(power).iter().sum::<i32>(), power);
        }
    }
}
