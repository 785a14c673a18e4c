//! From the irradiance on horizontal ground to the yield of a roof.
use super::{SunDirection, WeatherCell};
use crate::clock::Millis;
use crate::site::{Plane, Planes};
use crate::source::QUARTER;

/// A module yields its peak power at this irradiance, in W/m².
const STANDARD_IRRADIANCE: f64 = 1_000.0;
/// The share of the light that the ground reflects.
const ALBEDO: f64 = 0.2;
/// The sine of three degrees. With a lower sun the direct light on a plane would be the ratio of two tiny numbers.
const LOW_SUN: f64 = 0.052;
/// How many moments represent the sun's path in a quarter-hour.
const MOMENTS: i64 = 5;

/// The mean of a quarter-hour on horizontal ground, in W/m².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Irradiance {
    /// From the sun's disc.
    pub direct: i64,
    /// From the rest of the sky.
    pub diffuse: i64,
}

impl Irradiance {
    fn global(self) -> f64 {
        (self.direct + self.diffuse) as f64
    }

    /// The irradiance on a plane, while the sun is in these directions. The sky is assumed equally bright everywhere (isotropic),
    /// as Open-Meteo documents it for its own tilted irradiance.
    fn on_plane(self, plane: Plane, sun: &[SunDirection]) -> f64 {
        let (tilt, azimuth) = (plane.tilt() as f64, plane.azimuth() as f64);
        let sky_share = (1.0 + tilt.to_radians().cos()) / 2.0;
        let shining = sun.iter().filter(|sun| sun.up > 0.0);
        let (on_ground, on_plane) = shining.fold((0.0, 0.0), |(ground, plane), sun| {
            let incidence = sun.incidence(tilt, azimuth).max(0.0);
            (ground + sun.up, plane + incidence)
        });
        let direct_share = match on_ground / sun.len() as f64 > LOW_SUN {
            true => on_plane / on_ground,
            false => sky_share,
        };
        self.direct as f64 * direct_share
            + self.diffuse as f64 * sky_share
            + self.global() * ALBEDO * (1.0 - sky_share)
    }
}

/// The power of a roof in a cell, in W: the mean of the quarter-hour that begins at `start`, without losses. A roof without
/// planes counts as 1 kWp that lies flat.
pub fn roof_power(
    irradiance: Irradiance,
    cell: WeatherCell,
    planes: &Planes,
    start: Millis,
) -> f64 {
    if planes.is_empty() || irradiance.global() <= 0.0 {
        return irradiance.global();
    }
    let (latitude, longitude) = cell.middle();
    let moments = (0..MOMENTS).map(|n| start + (2 * n + 1) * QUARTER / (2 * MOMENTS));
    let sun: Vec<SunDirection> = moments
        .map(|time| SunDirection::at(latitude, longitude, time))
        .collect();
    let power =
        |plane: Plane| plane.peak() as f64 * irradiance.on_plane(plane, &sun) / STANDARD_IRRADIANCE;
    planes.iter().map(power).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{DAY, HOUR};
    use proptest::prelude::*;

    /// 2026-03-20 00:00 UTC, the day of the equinox. At Greenwich solar noon is at 12:07.
    const MARCH: Millis = 1_773_964_800_000;
    const NOON: Millis = MARCH + 12 * HOUR;
    /// 500 W/m² direct and 100 diffuse.
    const CLEAR: Irradiance = Irradiance {
        direct: 500,
        diffuse: 100,
    };

    /// The power of 1 kWp at 50° north on the meridian of Greenwich.
    fn kilowatt(irradiance: Irradiance, tilt: i64, azimuth: i64, start: Millis) -> f64 {
        let planes = format!("1/{tilt}/{azimuth}").parse().unwrap();
        roof_power(irradiance, "50.0,0.0".parse().unwrap(), &planes, start)
    }

    #[test]
    fn a_flat_plane_gets_what_the_ground_gets_at_any_time() {
        for quarter in 0..96 {
            let flat = kilowatt(CLEAR, 0, 0, MARCH + quarter * QUARTER);
            assert!((flat - 600.0).abs() < 1e-6, "{quarter}: {flat}");
        }
    }

    #[test]
    fn without_planes_a_kilowatt_lies_flat() {
        let none = Planes::default();
        let power = roof_power(CLEAR, "50.0,0.0".parse().unwrap(), &none, NOON);
        assert_eq!(power, 600.0);
    }

    #[test]
    fn a_plane_that_faces_the_sun_gets_all_of_its_beam() {
        // At the equinox a plane with the tilt of the latitude faces the noon sun, which is at an elevation of 40°.
        let beam = 500.0 / 40_f64.to_radians().sin();
        let sky_share = (1.0 + 50_f64.to_radians().cos()) / 2.0;
        let want = beam + 100.0 * sky_share + 600.0 * 0.2 * (1.0 - sky_share);
        let found = kilowatt(CLEAR, 50, 0, NOON);
        assert!((found - want).abs() < 0.005 * want, "{found} {want}");
    }

    /// The noon sun is at an elevation of 40°, so a roof of 35° gets 500 × sin 75° / sin 40° = 751 W/m² of it to the south and
    /// 500 × sin 5° / sin 40° = 68 W/m² to the north; sky and ground add 91 and 11.
    #[test]
    fn south_gets_most_north_least_and_east_and_west_take_turns() {
        for (azimuth, want) in [(0, 853.0), (180, 170.0), (-180, 170.0)] {
            let found = kilowatt(CLEAR, 35, azimuth, NOON);
            assert!((found - want).abs() < 3.0, "{azimuth}: {found}");
        }
        let east = |hour: i64| kilowatt(CLEAR, 35, -90, MARCH + hour * HOUR);
        let west = |hour: i64| kilowatt(CLEAR, 35, 90, MARCH + hour * HOUR);
        assert!(east(9) > 1.3 * west(9) && west(15) > 1.3 * east(15));
    }

    #[test]
    fn a_covered_sky_has_no_direction() {
        let covered = Irradiance {
            direct: 0,
            diffuse: 200,
        };
        let south = kilowatt(covered, 30, 0, NOON);
        assert_eq!(south, kilowatt(covered, 30, 180, NOON));
        // An upright plane sees half of the sky, and the ground.
        let upright = kilowatt(covered, 90, 0, NOON);
        assert!((upright - (100.0 + 200.0 * 0.2 / 2.0)).abs() < 1e-6);
    }

    #[test]
    fn night_yields_nothing() {
        let dark = Irradiance {
            direct: 0,
            diffuse: 0,
        };
        assert_eq!(kilowatt(dark, 30, 0, MARCH), 0.0);
    }

    #[test]
    fn planes_add_up_by_their_peaks() {
        let cell = "50.0,0.0".parse().unwrap();
        let both: Planes = "2/35/-90,3/35/90".parse().unwrap();
        let sum = 2.0 * kilowatt(CLEAR, 35, -90, NOON) + 3.0 * kilowatt(CLEAR, 35, 90, NOON);
        assert!((roof_power(CLEAR, cell, &both, NOON) - sum).abs() < 1e-6);
    }

    proptest! {
        /// The limit is twenty times the irradiance on the ground, at the lowest sun that counts.
        #[test]
        fn a_plane_never_gets_less_than_nothing_or_an_absurd_amount(
            direct in 0..1_000_i64, diffuse in 0..600_i64, tilt in 0..=90_i64, azimuth in -180..=180_i64, quarter in 0..35_040_i64,
        ) {
            let irradiance = Irradiance { direct, diffuse };
            let found = kilowatt(irradiance, tilt, azimuth, MARCH + quarter * QUARTER % (365 * DAY));
            prop_assert!(found >= 0.0 && found <= 20.0 * irradiance.global());
        }
    }
}
