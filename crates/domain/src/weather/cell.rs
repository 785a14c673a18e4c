//! The grid of weather requests: one request per cell, however many roofs it contains.
use crate::names::UnknownName;
use crate::site::Coordinates;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// All places that round to the same tenths of a degree: about eleven kilometres by seven in Central Europe. Weather models
/// are hardly finer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeatherCell {
    /// In tenths of a degree, as is the longitude.
    latitude: i64,
    longitude: i64,
}

impl WeatherCell {
    pub fn of(at: Coordinates) -> Self {
        let tenths = |hundredths: i64| (hundredths + 5).div_euclid(10);
        Self {
            latitude: tenths(at.latitude().hundredths()),
            longitude: tenths(at.longitude().hundredths()),
        }
    }

    /// Latitude and longitude of its middle, in degrees.
    pub fn middle(self) -> (f64, f64) {
        (self.latitude as f64 / 10.0, self.longitude as f64 / 10.0)
    }

    /// The latitudes in it, in hundredths of a degree.
    pub fn latitudes(self) -> RangeInclusive<i64> {
        hundredths(self.latitude)
    }

    /// The longitudes in it, in hundredths of a degree.
    pub fn longitudes(self) -> RangeInclusive<i64> {
        hundredths(self.longitude)
    }
}

fn hundredths(tenths: i64) -> RangeInclusive<i64> {
    10 * tenths - 5..=10 * tenths + 4
}

/// Its middle, as stored: `48.1,11.6`.
impl fmt::Display for WeatherCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (latitude, longitude) = self.middle();
        write!(f, "{latitude:.1},{longitude:.1}")
    }
}

impl FromStr for WeatherCell {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let (latitude, longitude) = text.split_once(',').ok_or(UnknownName)?;
        let (Ok(latitude), Ok(longitude)) = (latitude.parse(), longitude.parse()) else {
            return Err(UnknownName);
        };
        let cell = Self::of(Coordinates::new(latitude, longitude));
        (cell.to_string() == text)
            .then_some(cell)
            .ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(latitude: i64, longitude: i64) -> String {
        let at = Coordinates::from_hundredths(latitude, longitude).unwrap();
        WeatherCell::of(at).to_string()
    }

    #[test]
    fn places_that_round_to_the_same_tenths_share_a_cell() {
        for (latitude, longitude, want) in [
            (4_814, 1_158, "48.1,11.6"),
            (4_805, 1_155, "48.1,11.6"),
            (4_815, 1_164, "48.2,11.6"),
            (-4, 4, "0.0,0.0"),
            (-5, -6, "0.0,-0.1"),
            (-3_393, -15, "-33.9,-0.1"),
            (9_000, -18_000, "90.0,-180.0"),
        ] {
            assert_eq!(cell(latitude, longitude), want);
        }
    }

    #[test]
    fn a_text_that_is_no_cell_is_refused() {
        for text in [
            "",
            "48.1",
            "48.14,11.6",
            "48.1, 11.6",
            "91.0,0.0",
            "SC000001",
        ] {
            assert!(text.parse::<WeatherCell>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_place_is_within_its_cell_and_the_cell_is_stored_without_loss(
            latitude in -9_000..=9_000_i64, longitude in -18_000..=18_000_i64,
        ) {
            let cell = WeatherCell::of(Coordinates::from_hundredths(latitude, longitude).unwrap());
            prop_assert!(cell.latitudes().contains(&latitude) && cell.longitudes().contains(&longitude));
            prop_assert_eq!(cell.to_string().parse(), Ok(cell));
        }
    }
}
