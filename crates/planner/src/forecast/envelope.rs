//! What a plant yields under a clear sky, learned from its clear days or computed from its site; and how much of a weather
//! forecast it yields.
use super::history::{KnownHistory, mean};
use crate::{QUARTER, QUARTERS_A_DAY};
use domain::clock::{DAY, Millis};
use domain::weather::SunDirection;
use std::f64::consts::TAU;
use std::ops::Range;

/// The clear-sky yield in W by quarter-hours of UTC, as the sun has no daylight saving time.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub(super) clear: Vec<f64>,
    pub(super) highest: f64,
}

/// The days that an envelope is learned from: few enough for one season, enough for some clear days.
const TRAINING_DAYS: usize = 30;
/// The quantile of the values at one time of day that counts as clear sky.
const CLEAR_SKY_QUANTILE: f64 = 0.92;
/// A typical roof in Central Europe, in degrees.
const TYPICAL_LATITUDE: f64 = 50.0;
const TYPICAL_TILT: f64 = 25.0;
/// Below this share of the peak a forecast treats it as night.
const NIGHT_SHARE: f64 = 0.01;

impl Default for Envelope {
    /// The envelope of a system without PV.
    fn default() -> Self {
        Self {
            clear: vec![0.0; QUARTERS_A_DAY],
            highest: 1.0,
        }
    }
}

impl Envelope {
    /// Learned from the last 30 days; `None` with fewer than ten, or without any yield.
    pub fn train(past: &KnownHistory<'_>) -> Option<Self> {
        let now = past.now();
        let window = now.saturating_sub(TRAINING_DAYS * QUARTERS_A_DAY)..now;
        if window.len() < 10 * QUARTERS_A_DAY {
            return None;
        }
        let longitude = longitude(past, window.clone());
        let mut by_time: Vec<Vec<f64>> = vec![Vec::new(); QUARTERS_A_DAY];
        for quarter in window {
            if let Some(pv) = past.pv[quarter] {
                let time = past.time(quarter);
                by_time[utc_quarter(time)]
                    .push(pv * seasonal_factor(longitude, time, past.time(now)));
            }
        }
        let high = |values: &mut Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let rank = CLEAR_SKY_QUANTILE * values.len().saturating_sub(1) as f64;
            values.get(rank.round() as usize).copied().unwrap_or(0.0)
        };
        let raw: Vec<f64> = by_time.iter_mut().map(high).collect();
        Self::of((0..QUARTERS_A_DAY).map(|n| {
            // Averaged over five quarter-hours, because which of a few clear days was clear at one moment is chance.
            let near = (0..5).map(|off| raw[(n + QUARTERS_A_DAY + off - 2) % QUARTERS_A_DAY]);
            near.sum::<f64>() / 5.0
        }))
    }

    /// Computed from the coordinates and the plant's size, for a horizontal plant: the cold start, until enough was measured.
    pub fn at_site(latitude: f64, longitude: f64, kwp: f64, day: Millis) -> Option<Self> {
        Self::of((0..QUARTERS_A_DAY).map(|n| {
            let time = day.div_euclid(DAY) * DAY + n as Millis * QUARTER + QUARTER / 2;
            let height = sine_of_height(latitude, longitude, time);
            // A clear sky lets less through the lower the sun is (Haurwitz model). The plant loses a seventh to heat, wires and
            // inverter.
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

    pub(super) fn at(&self, past: &KnownHistory<'_>, quarter: usize) -> f64 {
        self.clear[utc_quarter(past.time(quarter))]
    }

    pub(super) fn is_day(&self, past: &KnownHistory<'_>, quarter: usize) -> bool {
        self.at(past, quarter) > NIGHT_SHARE * self.highest
    }
}

/// The plant's yield divided by the weather forecast, by quarter-hours of UTC: orientation and shade.
#[derive(Clone, Debug)]
pub struct PlantFactor {
    pub(super) factor: Option<Vec<f64>>,
}

impl PlantFactor {
    pub(super) fn train(past: &KnownHistory<'_>) -> Self {
        let now = past.now();
        let window = now.saturating_sub(TRAINING_DAYS * QUARTERS_A_DAY)..now;
        let mut measured = vec![0.0; QUARTERS_A_DAY];
        let mut forecast = vec![0.0; QUARTERS_A_DAY];
        for quarter in window {
            let weather = past.weather.get(quarter).copied().flatten();
            if let Some((pv, weather)) = past.pv[quarter].zip(weather) {
                let time_of_day = utc_quarter(past.time(quarter));
                measured[time_of_day] += pv;
                forecast[time_of_day] += weather.max(0.0);
            }
        }
        let all_measured = measured.iter().sum::<f64>();
        let all_forecast = forecast.iter().sum::<f64>();
        if all_forecast <= 0.0 {
            return Self { factor: None };
        }
        let overall = all_measured / all_forecast;
        // A prior worth about two days of noon with the overall factor: times of day with little sun do not get extreme factors.
        let prior = 0.02 * all_forecast;
        let at = |n: usize| {
            let near = (0..5).map(|off| (n + QUARTERS_A_DAY + off - 2) % QUARTERS_A_DAY);
            let (measured, forecast) =
                near.fold((0.0, 0.0), |(a, b), n| (a + measured[n], b + forecast[n]));
            (measured + prior * overall) / (forecast + prior)
        };
        Self {
            factor: Some((0..QUARTERS_A_DAY).map(at).collect()),
        }
    }

    /// The weather forecast scaled to this plant; `None` where there is none.
    pub(super) fn at(&self, past: &KnownHistory<'_>, quarter: usize) -> Option<f64> {
        let weather = past.weather.get(quarter).copied().flatten()?;
        let factor = self.factor.as_ref()?[utc_quarter(past.time(quarter))];
        Some(weather.max(0.0) * factor)
    }

    /// How far the last quarter-hours were above the weather forecast, as a share of the clear-sky yield.
    pub(super) fn recent_bias(
        &self,
        past: &KnownHistory<'_>,
        envelope: &Envelope,
        long: usize,
    ) -> Option<f64> {
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

/// The longitude at which solar noon is when this plant yields most on average. That is its own longitude, unless its roof faces
/// east or west; then the shifted value fits the roof better.
fn longitude(past: &KnownHistory<'_>, window: Range<usize>) -> f64 {
    let (mut midnight, mut morning) = (0.0, 0.0);
    for quarter in window {
        let angle = utc_quarter(past.time(quarter)) as f64 / QUARTERS_A_DAY as f64 * TAU;
        let pv = past.pv[quarter].unwrap_or(0.0);
        midnight += pv * angle.cos();
        morning += pv * angle.sin();
    }
    180.0 - morning.atan2(midnight).to_degrees().rem_euclid(360.0)
}

/// The clear-sky yield at a time of day now, relative to the same time some days ago. Without it an envelope of 30 days would be
/// two weeks old: too low in spring and too high in autumn. It uses a typical roof, as only the change matters.
fn seasonal_factor(longitude: f64, then: Millis, now: Millis) -> f64 {
    let same_time = now.div_euclid(DAY) * DAY + then.rem_euclid(DAY);
    let clear = |start: Millis| {
        let time = start + QUARTER / 2;
        let height = sine_of_height(TYPICAL_LATITUDE, longitude, time).max(0.02);
        // A roof that faces south is like a horizontal one that many degrees of latitude farther south.
        let on_roof = sine_of_height(TYPICAL_LATITUDE - TYPICAL_TILT, longitude, time).max(0.0);
        (-0.1 / height).exp() * (0.8 * on_roof + 0.2 * height)
    };
    (clear(same_time) / clear(then)).clamp(0.5, 2.0)
}

/// The sine of the sun's elevation above the horizon.
fn sine_of_height(latitude: f64, longitude: f64, time: Millis) -> f64 {
    SunDirection::at(latitude, longitude, time).up
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
        let envelope = Envelope::train(&history.until(30 * 96)).unwrap();
        assert!((envelope.highest() - 4_000.0).abs() < 100.0);
        assert!(Envelope::train(&history.until(9 * 96)).is_none());
    }

    #[test]
    fn the_envelope_is_that_of_today_and_not_of_two_weeks_ago() {
        // Clear days that get shorter with a lower sun: 2024-08-12 to 2024-09-10 in Berlin.
        let start = SUMMER + 53 * DAY;
        let of_day = |day: usize| {
            let day = start + day as Millis * DAY;
            Envelope::at_site(52.5, 13.4, 5.0, day).unwrap().clear
        };
        let pv: Vec<_> = (0..30).flat_map(of_day).map(Some).collect();
        let history = History::new(start, &Zone::default(), pv.clone(), pv.clone());
        let envelope = Envelope::train(&history.until(30 * 96)).unwrap();
        let today = of_day(30);
        let off = |clear: &[f64]| {
            let off = clear.iter().zip(&today).map(|(a, b)| (a - b).abs());
            off.sum::<f64>() / today.iter().sum::<f64>()
        };
        // The yield of a horizontal plant falls faster towards autumn than that of the roof in the model.
        let (ours, before) = (off(&envelope.clear), off(&of_day(15)));
        assert!(ours < 0.75 * before, "{ours} {before}");
    }

    #[test]
    fn a_place_says_when_the_sun_is_highest_and_how_long_the_day_is() {
        let berlin = Envelope::at_site(52.5, 13.4, 5.0, SUMMER).unwrap();
        let noon = (0..QUARTERS_A_DAY).max_by(|a, b| berlin.clear[*a].total_cmp(&berlin.clear[*b]));
        // At 13.4° east solar noon is some 54 minutes before noon UTC, less two for the equation of time.
        assert!((43..=45).contains(&noon.unwrap()), "{noon:?}");
        let day = berlin.clear.iter().filter(|watt| **watt > 0.0).count();
        assert!((65..=68).contains(&day), "{day}");
        assert!((3_500.0..4_500.0).contains(&berlin.highest()));
        let winter = Envelope::at_site(52.5, 13.4, 5.0, SUMMER + 183 * DAY).unwrap();
        assert!(winter.highest() < 0.35 * berlin.highest());
        assert!(Envelope::at_site(80.0, 0.0, 5.0, SUMMER + 183 * DAY).is_none());
    }
}
