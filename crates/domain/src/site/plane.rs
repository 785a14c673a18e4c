//! The planes of a roof: modules with the same orientation, as a PV forecast needs them.
use super::decimal;
use crate::Message;
use std::fmt;
use std::str::FromStr;

/// Modules with the same tilt and azimuth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// Wp.
    peak: i64,
    tilt: i64,
    azimuth: i64,
}

impl Plane {
    /// In Wp: from the smallest module to more than a farm has on one roof.
    const PEAK: std::ops::RangeInclusive<i64> = 10..=200_000;

    /// Peak power in Wp.
    pub const fn peak(self) -> i64 {
        self.peak
    }

    /// Degrees from horizontal (0) to vertical (90).
    pub const fn tilt(self) -> i64 {
        self.tilt
    }

    /// Degrees from the south, positive to the west: 0 is south, −90 east, 90 west, ±180 north, as in Open-Meteo.
    pub const fn azimuth(self) -> i64 {
        self.azimuth
    }
}

impl FromStr for Plane {
    type Err = Message;

    /// `kWp/tilt/azimuth`: `5.2/30/-45`.
    fn from_str(text: &str) -> Result<Self, Message> {
        let mut parts = text.split('/');
        let (Some(peak), Some(tilt), Some(azimuth), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Message::PlanesInvalid);
        };
        let number = |text: &str, kept, range: std::ops::RangeInclusive<i64>, message| {
            let number = decimal(text, kept)?;
            range.contains(&number).then_some(number).ok_or(message)
        };
        Ok(Self {
            peak: number(peak, 3, Self::PEAK, Message::PeakRange)?,
            tilt: number(tilt, 0, 0..=90, Message::TiltRange)?,
            azimuth: number(azimuth, 0, -180..=180, Message::AzimuthRange)?,
        })
    }
}

impl fmt::Display for Plane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.peak / 1000, self.peak % 1000);
        write!(f, "{whole}.{fraction:03}/{}/{}", self.tilt, self.azimuth)
    }
}

/// The planes that feed one system, in the order in which they were entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planes(Vec<Plane>);

impl Planes {
    pub const MAX: usize = 8;

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Plane> {
        self.0.iter().copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Peak power of all planes in Wp; `None` without any plane.
    pub fn peak(&self) -> Option<i64> {
        (!self.0.is_empty()).then(|| self.0.iter().map(|plane| plane.peak).sum())
    }
}

impl FromStr for Planes {
    type Err = Message;

    /// Planes separated by commas; empty text means none. This is also the stored form.
    fn from_str(text: &str) -> Result<Self, Message> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self::default());
        }
        if text.split(',').count() > Self::MAX {
            return Err(Message::TooManyPlanes);
        }
        text.split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for Planes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, plane) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{plane}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn planes(text: &str) -> Result<Planes, Message> {
        text.parse()
    }

    #[test]
    fn the_peak_of_a_roof_is_the_sum_of_its_planes() {
        let roof = planes("5.2/30/-90, 4.645/30/90").unwrap();
        assert_eq!(roof.peak(), Some(9_845));
        assert_eq!(roof.to_string(), "5.200/30/-90,4.645/30/90");
        assert_eq!(planes(" ").unwrap().peak(), None);
    }

    #[test]
    fn a_plane_is_judged_number_by_number() {
        for (text, message) in [
            ("5.2/30", Message::PlanesInvalid),
            ("5.2/30/0/1", Message::PlanesInvalid),
            ("5.2/30/0,", Message::PlanesInvalid),
            ("5,2/30/0", Message::PlanesInvalid),
            ("/30/0", Message::Required),
            ("much/30/0", Message::NumberInvalid),
            ("0/30/0", Message::PeakRange),
            ("200.001/30/0", Message::PeakRange),
            ("5/91/0", Message::TiltRange),
            ("5/-1/0", Message::TiltRange),
            ("5/30/181", Message::AzimuthRange),
            ("5/30/-181", Message::AzimuthRange),
        ] {
            assert_eq!(planes(text), Err(message), "{text}");
        }
        let many = ["1/30/0"; 9].join(",");
        assert_eq!(planes(&many), Err(Message::TooManyPlanes));
        assert!(planes(&many[..many.len() - 7]).is_ok());
    }

    proptest! {
        #[test]
        fn planes_are_kept_without_loss(roof in prop::collection::vec((10..=200_000_i64, 0..=90_i64, -180..=180_i64), 0..=8)) {
            let plane = |(peak, tilt, azimuth)| Plane { peak, tilt, azimuth };
            let kept = Planes(roof.into_iter().map(plane).collect());
            prop_assert_eq!(planes(&kept.to_string()), Ok(kept));
        }
    }
}
