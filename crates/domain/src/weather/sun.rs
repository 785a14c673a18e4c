//! Where the sun is.
use crate::clock::{DAY, Millis};

/// The direction from a place to the sun, as a vector of length one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SunDirection {
    pub south: f64,
    pub west: f64,
    /// The sine of the elevation above the horizon; negative at night.
    pub up: f64,
}

impl SunDirection {
    /// Seen from a latitude and a longitude, in degrees.
    pub fn at(latitude: f64, longitude: f64, time: Millis) -> Self {
        // Days since 2000-01-01 12:00 UTC. The formulas are exact to a hundredth of a degree in this century.
        let days = (time - 946_728_000_000) as f64 / DAY as f64;
        let mean_longitude = 280.460 + 0.985_647_4 * days;
        let anomaly = (357.528 + 0.985_600_3 * days).to_radians();
        let ecliptic =
            (mean_longitude + 1.915 * anomaly.sin() + 0.020 * (2.0 * anomaly).sin()).to_radians();
        let tilt = (23.439 - 0.000_000_4 * days).to_radians();
        let declination = (tilt.sin() * ecliptic.sin()).asin();
        let ascension = (tilt.cos() * ecliptic.sin()).atan2(ecliptic.cos());
        let turned = 280.460_618_37 + 360.985_647_366_29 * days + longitude;
        let (hour_sine, hour_cosine) = (turned.to_radians() - ascension).sin_cos();
        let (sine, cosine) = latitude.to_radians().sin_cos();
        // Towards the pole, and along the equator.
        let (polar, equatorial) = declination.sin_cos();
        Self {
            south: sine * equatorial * hour_cosine - cosine * polar,
            west: equatorial * hour_sine,
            up: sine * polar + cosine * equatorial * hour_cosine,
        }
    }

    /// The cosine of the angle between the sun and the normal of a plane: degrees of tilt from horizontal, and of azimuth from
    /// the south to the west. Negative when the sun is behind the plane.
    pub fn incidence(self, tilt: f64, azimuth: f64) -> f64 {
        let (lean, flat) = tilt.to_radians().sin_cos();
        let (west, south) = azimuth.to_radians().sin_cos();
        lean * (south * self.south + west * self.west) + flat * self.up
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{HOUR, MINUTE};

    /// 2026-02-13 00:00 UTC.
    const FEBRUARY: Millis = 1_770_940_800_000;
    /// 2026-03-20 00:00 UTC, the day of the equinox.
    const MARCH: Millis = 1_773_964_800_000;
    /// 2026-06-21 00:00 UTC, the day of the solstice.
    const JUNE: Millis = 1_782_000_000_000;

    fn highest(latitude: f64, day: Millis) -> SunDirection {
        let minutes = (0..24 * 60).map(|n| SunDirection::at(latitude, 0.0, day + n * MINUTE));
        minutes.max_by(|a, b| a.up.total_cmp(&b.up)).unwrap()
    }

    #[test]
    fn at_noon_the_sun_is_as_high_as_latitude_and_season_say() {
        for (latitude, day, elevation) in [
            (48.1, MARCH, 41.9),
            (48.1, JUNE, 90.0 - 48.1 + 23.44),
            (-33.9, JUNE, 90.0 - 33.9 - 23.44),
        ] {
            let noon = highest(latitude, day);
            let found = noon.up.asin().to_degrees();
            assert!((found - elevation).abs() < 0.3, "{latitude}: {found}");
            assert!(noon.west.abs() < 0.01, "{noon:?}");
            assert_eq!(noon.south > 0.0, latitude > 0.0);
        }
    }

    #[test]
    fn it_rises_in_the_east_and_sets_in_the_west() {
        let at = |hour: i64| SunDirection::at(48.1, 0.0, MARCH + hour * HOUR);
        assert!(at(7).west < -0.9 && at(17).west > 0.9);
        assert!(at(7).up > 0.0 && at(17).up > 0.0);
        assert!(at(5).up < 0.0 && at(19).up < 0.0 && at(0).up < -0.6);
        let length = at(9).south.hypot(at(9).west).hypot(at(9).up);
        assert!((length - 1.0).abs() < 1e-9);
    }

    /// Duffie and Beckman, Solar Engineering of Thermal Processes, example 1.6.1: at 43° north on 13 February, 10:30 solar time,
    /// on a plane with a tilt of 45° and an azimuth of 15° to the west, the angle of incidence is 35°.
    #[test]
    fn the_angle_of_incidence_is_that_of_the_textbook() {
        // Solar noon is 14 minutes after noon on that day.
        let time = FEBRUARY + 10 * HOUR + 44 * MINUTE;
        let incidence = SunDirection::at(43.0, 0.0, time).incidence(45.0, 15.0);
        let angle = incidence.acos().to_degrees();
        assert!((angle - 35.0).abs() < 0.5, "{angle}");
    }
}
