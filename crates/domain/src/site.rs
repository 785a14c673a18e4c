//! The site of a system: location, time zone and PV modules.

mod plane;

pub use plane::{Plane, Planes};

use crate::{Message, Zone, one_line};
use std::fmt;
use std::str::FromStr;

/// What is known of a system's site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub place: Option<Town>,
    pub coordinates: Option<Coordinates>,
    pub zone: Zone,
    pub planes: Planes,
}

/// A change of the site; `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteChange {
    pub place: Option<Option<Town>>,
    pub coordinates: Option<Option<Coordinates>>,
    pub zone: Option<Zone>,
    pub planes: Option<Planes>,
}

impl Site {
    /// The site after a change.
    pub fn with(&self, change: &SiteChange) -> Self {
        let change = change.clone();
        Self {
            place: change.place.unwrap_or_else(|| self.place.clone()),
            coordinates: change.coordinates.unwrap_or(self.coordinates),
            zone: change.zone.unwrap_or_else(|| self.zone.clone()),
            planes: change.planes.unwrap_or_else(|| self.planes.clone()),
        }
    }

    /// The names of the fields that differ.
    pub fn difference(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("place", self.place != other.place),
            ("coordinates", self.coordinates != other.coordinates),
            ("time_zone", self.zone != other.zone),
            ("planes", self.planes != other.planes),
        ];
        let differs = parts.into_iter().filter(|(_, differs)| *differs);
        differs.map(|(name, _)| name).collect()
    }
}

/// The town as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Town(String);

impl Town {
    /// In characters: enough for a town and its district, not for a full address.
    pub const MAX_LENGTH: usize = 80;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Empty text is no town.
    pub fn parse(text: &str) -> Result<Option<Self>, Message> {
        let town = one_line(text);
        match town.chars().count() {
            0 => Ok(None),
            1..=Self::MAX_LENGTH => Ok(Some(Self(town))),
            _ => Err(Message::TooLong),
        }
    }
}

/// Latitude and longitude in hundredths of a degree, about a kilometre: precise enough for the weather, and too coarse to
/// identify a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coordinates {
    latitude: Degrees,
    longitude: Degrees,
}

impl Coordinates {
    pub fn new(latitude: Latitude, longitude: Longitude) -> Self {
        Self {
            latitude: latitude.0,
            longitude: longitude.0,
        }
    }

    /// From the stored form.
    pub fn from_hundredths(latitude: i64, longitude: i64) -> Option<Self> {
        let within = |value: i64, most: i64| (-most..=most).contains(&value);
        (within(latitude, Latitude::MAX) && within(longitude, Longitude::MAX)).then_some(Self {
            latitude: Degrees(latitude),
            longitude: Degrees(longitude),
        })
    }

    pub fn latitude(self) -> Degrees {
        self.latitude
    }

    pub fn longitude(self) -> Degrees {
        self.longitude
    }
}

/// In hundredths; shown with two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Degrees(i64);

impl Degrees {
    pub const fn hundredths(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Degrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", size / 100, size % 100)
    }
}

/// Positive north of the equator, negative south of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latitude(Degrees);

/// Positive east of Greenwich, negative west of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longitude(Degrees);

impl Latitude {
    const MAX: i64 = 90 * 100;
}

impl Longitude {
    const MAX: i64 = 180 * 100;
}

impl FromStr for Latitude {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        degrees(text, Self::MAX, Message::LatitudeRange).map(Self)
    }
}

impl FromStr for Longitude {
    type Err = Message;

    fn from_str(text: &str) -> Result<Self, Message> {
        degrees(text, Self::MAX, Message::LongitudeRange).map(Self)
    }
}

/// Parses degrees with any number of decimals and rounds to two.
fn degrees(text: &str, most: i64, out_of_range: Message) -> Result<Degrees, Message> {
    let hundredths = decimal(text, 2)?;
    match (-most..=most).contains(&hundredths) {
        true => Ok(Degrees(hundredths)),
        false => Err(out_of_range),
    }
}

/// Parses a number with a point or a comma into a fixed-point integer with `kept` decimals, rounded half away from zero.
fn decimal(text: &str, kept: usize) -> Result<i64, Message> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Message::Required);
    }
    let (sign, number) = match text.strip_prefix(['-', '−']) {
        Some(number) => (-1, number),
        None => (1, text),
    };
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || text.len() > 20 {
        return Err(Message::NumberInvalid);
    }
    let padded = format!("{whole}{fraction:0<kept$}");
    let (head, tail) = padded.split_at(whole.len() + kept);
    let head: i64 = head.parse().map_err(|_| Message::NumberInvalid)?;
    let up = tail.bytes().next().is_some_and(|digit| digit >= b'5');
    Ok(sign * (head + i64::from(up)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(latitude: &str, longitude: &str) -> String {
        let at = Coordinates::new(latitude.parse().unwrap(), longitude.parse().unwrap());
        format!("{} {}", at.latitude(), at.longitude())
    }

    #[test]
    fn coordinates_are_kept_to_about_a_kilometre() {
        assert_eq!(at("48.137154", "11,576124"), "48.14 11.58");
        assert_eq!(at("-33.925", "-0.004"), "-33.93 0.00");
        assert_eq!(at("90", "-180"), "90.00 -180.00");
    }

    #[test]
    fn what_is_no_place_on_earth_is_refused() {
        let latitude = |text: &str| text.parse::<Latitude>().unwrap_err();
        assert_eq!(latitude("90.01"), Message::LatitudeRange);
        assert_eq!(latitude(""), Message::Required);
        for text in [
            "48°8'",
            "north",
            "1e1",
            "--1",
            "4.",
            "922337203685477580799",
        ] {
            assert_eq!(latitude(text), Message::NumberInvalid, "{text}");
        }
        let longitude = "180.006".parse::<Longitude>();
        assert_eq!(longitude.unwrap_err(), Message::LongitudeRange);
    }

    #[test]
    fn a_place_is_short_and_may_be_none() {
        let place = Town::parse(" Bad Tölz ").unwrap();
        assert_eq!(place.unwrap().as_str(), "Bad Tölz");
        assert_eq!(Town::parse("  "), Ok(None));
        assert!(Town::parse(&"ö".repeat(80)).is_ok());
        assert_eq!(Town::parse(&"ö".repeat(81)), Err(Message::TooLong));
    }

    proptest! {
        #[test]
        fn coordinates_that_are_shown_read_as_the_same(latitude in -9_000..=9_000_i64, longitude in -18_000..=18_000_i64) {
            let kept = Coordinates::from_hundredths(latitude, longitude).unwrap();
            let read = Coordinates::new(
                kept.latitude().to_string().parse().unwrap(),
                kept.longitude().to_string().parse().unwrap(),
            );
            prop_assert_eq!(read, kept);
        }

        #[test]
        fn no_text_stops_the_reading(text in ".*") {
            let _ = text.parse::<Latitude>();
            let _ = text.parse::<Planes>();
            let _ = Town::parse(&text);
        }
    }
}
