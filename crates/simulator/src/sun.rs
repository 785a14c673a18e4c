//! A simple solar model: day length and clear-sky strength for every day of the year.
use std::f64::consts::{PI, TAU};

/// A location on earth, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Location {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

/// The sun over a location on one day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SunDay {
    /// Solar noon, in hours UTC.
    pub(crate) noon: f64,
    /// From noon to sunset, in hours.
    pub(crate) half: f64,
    /// Output of south-facing panels at noon of a clear day, relative to their peak.
    pub(crate) strength: f64,
}

const TILT: f64 = 30.0;

impl SunDay {
    /// `day_of_year` counts from 0; fractions and values past the end of the year are allowed.
    pub(crate) fn new(location: Location, day_of_year: f64) -> Self {
        let angle = TAU * (day_of_year + 10.0) / 365.2425;
        let declination = -23.44_f64.to_radians() * angle.cos();
        let latitude = location.latitude.to_radians();
        let cosine = (-latitude.tan() * declination.tan()).clamp(-1.0, 1.0);
        let half = cosine.acos() / PI * 12.0;
        let height = PI / 2.0 - latitude + declination;
        let facing = (height + TILT.to_radians()).sin().max(0.0);
        let air = (-0.14 / height.sin().max(0.05)).exp();
        let season = TAU * (day_of_year - 80.0) / 365.2425;
        let equation = 9.87 * (2.0 * season).sin() - 7.53 * season.cos() - 1.5 * season.sin();
        Self {
            noon: 12.0 - location.longitude / 15.0 - equation / 60.0,
            half,
            strength: facing * air,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summer_days_are_long_and_strong_and_winter_days_short_and_weak() {
        let berlin = Location {
            latitude: 52.5,
            longitude: 13.4,
        };
        let (june, december) = (SunDay::new(berlin, 172.0), SunDay::new(berlin, 355.0));
        assert!((8.2..8.6).contains(&june.half), "{june:?}");
        assert!((3.6..4.0).contains(&december.half), "{december:?}");
        assert!(june.strength > 1.7 * december.strength);
        assert!((11.0..11.3).contains(&june.noon), "{june:?}");
    }
}
