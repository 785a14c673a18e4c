//! What a plant yields under a clear sky, learned from its clear days or reckoned from its place; and what it makes of a weather
//! forecast.
use super::history::{Past, mean};
use crate::{QUARTER, QUARTERS_A_DAY};
use domain::clock::{DAY, Millis};
use std::f64::consts::TAU;
use std::ops::Range;

/// By quarter-hours of UTC, as the sun knows no summer time; in W.
#[derive(Clone, Debug)]
pub struct Envelope {
    clear: Vec<f64>,
    highest: f64,
}

/// Days that an envelope is learned from: few enough that the season does not blur it, enough for one of them to be clear.
const DAYS: usize = 30;
/// Of those at a time, the share that is below the envelope.
const CLEAR: f64 = 0.92;
/// Of a usual roof in the middle of Europe, in degrees: where it lies and how far it is tilted.
const LATITUDE: f64 = 50.0;
const TILT: f64 = 25.0;
/// Below this part of the highest it is night for a forecast.
const NIGHT: f64 = 0.01;

impl Default for Envelope {
    /// Of no plant at all.
    fn default() -> Self {
        Self {
            clear: vec![0.0; QUARTERS_A_DAY],
            highest: 1.0,
        }
    }
}

impl Envelope {
    /// From the last 30 days; `None` with fewer than ten, or when the sun never shone.
    pub fn learn(past: &Past<'_>) -> Option<Self> {
        let now = past.now();
        let window = now.saturating_sub(DAYS * QUARTERS_A_DAY)..now;
        if window.len() < 10 * QUARTERS_A_DAY {
            return None;
        }
        let longitude = longitude(past, window.clone());
        let mut by_time: Vec<Vec<f64>> = vec![Vec::new(); QUARTERS_A_DAY];
        for quarter in window {
            if let Some(pv) = past.pv[quarter] {
                let time = past.time(quarter);
                by_time[utc_quarter(time)].push(pv * season(longitude, time, past.time(now)));
            }
        }
        let high = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let place = CLEAR * values.len().saturating_sub(1) as f64;
            values.get(place.round() as usize).copied().unwrap_or(0.0)
        };
        let raw: Vec<f64> = by_time.iter_mut().map(high).collect();
        Self::of((0..QUARTERS_A_DAY).map(|n| {
            // Over an hour and a quarter: which of a few clear days was clear just then is chance.
            let near = (0..5).map(|off| raw[(n + QUARTERS_A_DAY + off - 2) % QUARTERS_A_DAY]);
            near.sum::<f64>() / 5.0
        }))
    }

    /// From the site's place and the plant's size, for a level plant: cold start, until it has shown what it does.
    pub fn at_place(latitude: f64, longitude: f64, kwp: f64, day: Millis) -> Option<Self> {
        Self::of((0..QUARTERS_A_DAY).map(|n| {
            let time = day.div_euclid(DAY) * DAY + n as Millis * QUARTER + QUARTER / 2;
            let height = sine_of_height(latitude, longitude, time);
            // A clear sky lets through the less the lower the sun stands; the plant loses a seventh to heat, wires and inverter.
            let irradiance = if height > 0.0 {
                1098.0 * height * (-0.057 / height).exp()
            } else {
                0.0
            };
            0.86 * kwp * irradiance
        }))
    }

    fn of(clear: impl Iterator<Item = f64>) -> Option<Self> {
        let clear: Vec<f64> = clear.collect();
        let highest = clear.iter().copied().fold(0.0, f64::max);
        (highest > 1.0).then_some(Self { clear, highest })
    }

    pub fn highest(&self) -> f64 {
        self.highest
    }

    pub(super) fn at(&self, past: &Past<'_>, quarter: usize) -> f64 {
        self.clear[utc_quarter(past.time(quarter))]
    }

    pub(super) fn is_day(&self, past: &Past<'_>, quarter: usize) -> bool {
        self.at(past, quarter) > NIGHT * self.highest
    }
}

/// What the plant yields of what the weather forecast says, by quarter-hours of UTC: where it looks and what shades it.
#[derive(Clone, Debug)]
pub struct PlantFactor {
    factor: Option<Vec<f64>>,
}

impl PlantFactor {
    pub(super) fn learn(past: &Past<'_>) -> Self {
        let now = past.now();
        let window = now.saturating_sub(DAYS * QUARTERS_A_DAY)..now;
        let mut came = vec![0.0; QUARTERS_A_DAY];
        let mut said = vec![0.0; QUARTERS_A_DAY];
        for quarter in window {
            let weather = past.weather.get(quarter).copied().flatten();
            if let Some((pv, weather)) = past.pv[quarter].zip(weather) {
                let place = utc_quarter(past.time(quarter));
                came[place] += pv;
                said[place] += weather.max(0.0);
            }
        }
        let (all_came, all_said) = (came.iter().sum::<f64>(), said.iter().sum::<f64>());
        if all_said <= 0.0 {
            return Self { factor: None };
        }
        let overall = all_came / all_said;
        // As if two days' worth of noon had been as usual: times with little sun do not get wild factors.
        let doubt = 0.02 * all_said;
        let at = |n: usize| {
            let near = (0..5).map(|off| (n + QUARTERS_A_DAY + off - 2) % QUARTERS_A_DAY);
            let (came, said) = near.fold((0.0, 0.0), |(a, b), n| (a + came[n], b + said[n]));
            (came + doubt * overall) / (said + doubt)
        };
        Self {
            factor: Some((0..QUARTERS_A_DAY).map(at).collect()),
        }
    }

    /// What the weather forecast comes to for this plant; `None` where it says nothing.
    pub(super) fn at(&self, past: &Past<'_>, quarter: usize) -> Option<f64> {
        let weather = past.weather.get(quarter).copied().flatten()?;
        let factor = self.factor.as_ref()?[utc_quarter(past.time(quarter))];
        Some(weather.max(0.0) * factor)
    }

    /// How far the last quarter-hours came out above what was said, in parts of a clear sky.
    pub(super) fn off(&self, past: &Past<'_>, envelope: &Envelope, long: usize) -> Option<f64> {
        let now = past.now();
        let last = now.saturating_sub(long)..now;
        let off = mean(
            last.clone()
                .map(|quarter| Some(past.pv[quarter]? - self.at(past, quarter)?)),
        )?;
        let clear = mean(last.map(|quarter| Some(envelope.at(past, quarter))))?;
        (clear > 0.1 * envelope.highest()).then(|| off / clear)
    }
}

fn utc_quarter(time: Millis) -> usize {
    (time.rem_euclid(DAY) / QUARTER) as usize
}

/// Where the sun is highest when this plant yields most on the average: its longitude, unless its roof looks east or west, and then the better for it.
fn longitude(past: &Past<'_>, window: Range<usize>) -> f64 {
    let (mut midnight, mut morning) = (0.0, 0.0);
    for quarter in window {
        let angle = utc_quarter(past.time(quarter)) as f64 / QUARTERS_A_DAY as f64 * TAU;
        let pv = past.pv[quarter].unwrap_or(0.0);
        midnight += pv * angle.cos();
        morning += pv * angle.sin();
    }
    180.0 - morning.atan2(midnight).to_degrees().rem_euclid(360.0)
}

/// What a clear sky yields at a time of the day now, in parts of what it yielded at the same time some days ago: without it an envelope of 30 days is that
/// of two weeks ago, too low in spring and too high in autumn. Of a usual roof, as only the change matters.
fn season(longitude: f64, then: Millis, now: Millis) -> f64 {
    let same_time = now.div_euclid(DAY) * DAY + then.rem_euclid(DAY);
    let clear = |start: Millis| {
        let time = start + QUARTER / 2;
        let height = sine_of_height(LATITUDE, longitude, time).max(0.02);
        // A roof that looks south lies as a level one does so many degrees farther south.
        let on_roof = sine_of_height(LATITUDE - TILT, longitude, time).max(0.0);
        (-0.1 / height).exp() * (0.8 * on_roof + 0.2 * height)
    };
    (clear(same_time) / clear(then)).clamp(0.5, 2.0)
}

/// Of the sun above the horizon.
fn sine_of_height(latitude: f64, longitude: f64, time: Millis) -> f64 {
    // 2000-01-01 at noon in UTC; what follows is good to a hundredth of a degree for this century.
    let days = (time - 946_728_000_000) as f64 / DAY as f64;
    let mean_longitude = 280.460 + 0.985_647_4 * days;
    let anomaly = (357.528 + 0.985_600_3 * days).to_radians();
    let ecliptic =
        (mean_longitude + 1.915 * anomaly.sin() + 0.020 * (2.0 * anomaly).sin()).to_radians();
    let tilt = (23.439 - 0.000_000_4 * days).to_radians();
    let declination = (tilt.sin() * ecliptic.sin()).asin();
    let ascension = (tilt.cos() * ecliptic.sin()).atan2(ecliptic.cos());
    let turned = 280.460_618_37 + 360.985_647_366_29 * days + longitude;
    let hour_angle = turned.to_radians() - ascension;
    let latitude = latitude.to_radians();
    latitude.sin() * declination.sin() + latitude.cos() * declination.cos() * hour_angle.cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::History;
    use domain::Zone;

    /// 2024-06-20 00:00 UTC.
    const SUMMER: Millis = 1_718_841_600_000;

    fn bell(quarter: usize) -> f64 {
        let hours = (quarter % QUARTERS_A_DAY) as f64 / 4.0;
        (4_000.0 * (1.0 - ((hours - 11.0) / 7.0).powi(2))).max(0.0)
    }

    #[test]
    fn clear_days_among_dull_ones_show_the_envelope() {
        // Every fourth day is clear.
        let pv = (0..30 * 96).map(|n| Some(bell(n) * if n / 96 % 4 == 0 { 1.0 } else { 0.3 }));
        let pv: Vec<_> = pv.collect();
        let history = History::new(SUMMER, &Zone::default(), pv.clone(), pv);
        let envelope = Envelope::learn(&history.until(30 * 96)).unwrap();
        assert!((envelope.highest() - 4_000.0).abs() < 100.0);
        assert!(Envelope::learn(&history.until(9 * 96)).is_none());
    }

    #[test]
    fn the_envelope_is_that_of_today_and_not_of_two_weeks_ago() {
        // Days that grow shorter and lower, all clear: 2024-08-12 to 2024-09-10 in Berlin.
        let start = SUMMER + 53 * DAY;
        let of_day = |day: usize| {
            let day = start + day as Millis * DAY;
            Envelope::at_place(52.5, 13.4, 5.0, day).unwrap().clear
        };
        let pv: Vec<_> = (0..30).flat_map(of_day).map(Some).collect();
        let history = History::new(start, &Zone::default(), pv.clone(), pv.clone());
        let envelope = Envelope::learn(&history.until(30 * 96)).unwrap();
        let today = of_day(30);
        let off = |clear: &[f64]| {
            let off = clear.iter().zip(&today).map(|(a, b)| (a - b).abs());
            off.sum::<f64>() / today.iter().sum::<f64>()
        };
        // A level plant loses more of its summer than the roof that is reckoned with.
        let (ours, before) = (off(&envelope.clear), off(&of_day(15)));
        assert!(ours < 0.75 * before, "{ours} {before}");
    }

    #[test]
    fn a_place_says_when_the_sun_is_highest_and_how_long_the_day_is() {
        let berlin = Envelope::at_place(52.5, 13.4, 5.0, SUMMER).unwrap();
        let noon = (0..QUARTERS_A_DAY).max_by(|a, b| berlin.clear[*a].total_cmp(&berlin.clear[*b]));
        // 13.4° east the sun is highest some 54 minutes before noon in UTC, less two for the equation of time.
        assert!((43..=45).contains(&noon.unwrap()), "{noon:?}");
        let day = berlin.clear.iter().filter(|watt| **watt > 0.0).count();
        assert!((65..=68).contains(&day), "{day}");
        assert!((3_500.0..4_500.0).contains(&berlin.highest()));
        let winter = Envelope::at_place(52.5, 13.4, 5.0, SUMMER + 183 * DAY).unwrap();
        assert!(winter.highest() < 0.35 * berlin.highest());
        assert!(Envelope::at_place(80.0, 0.0, 5.0, SUMMER + 183 * DAY).is_none());
    }
}
