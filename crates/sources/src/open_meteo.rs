//! Open-Meteo: irradiance on a tilted plane by quarter-hours, in W/m². One request for each plane of a roof.
use crate::client::{Client, SourceFailure, SourceRequest};
use crate::{PvYield, WeatherRequest};
use domain::Source;
use domain::clock::SECOND;
use domain::source::{QUARTER, SourceError};
use serde::Deserialize;

/// A module yields its peak power at this irradiance, in W/m².
const STANDARD_IRRADIANCE: f64 = 1_000.0;
/// Two days are needed; the service counts days in UTC, so the last one is cut off.
const FORECAST_DAYS: u8 = 3;

#[derive(Deserialize)]
struct Answer {
    minutely_15: Quarters,
}

#[derive(Deserialize)]
struct Quarters {
    time: Vec<i64>,
    #[serde(alias = "shortwave_radiation")]
    global_tilted_irradiance: Vec<Option<f64>>,
}

pub(crate) async fn fetch(
    client: &Client,
    question: WeatherRequest<'_>,
) -> Result<PvYield, SourceFailure> {
    let at = question.coordinates;
    let place = format!(
        "/v1/forecast?latitude={}&longitude={}&timeformat=unixtime&forecast_days={FORECAST_DAYS}",
        at.latitude(),
        at.longitude()
    );
    let mut planes: Vec<(String, i64)> = question
        .planes
        .iter()
        .map(|plane| {
            let tilted = format!(
                "{place}&minutely_15=global_tilted_irradiance&tilt={}&azimuth={}",
                plane.tilt(),
                plane.azimuth()
            );
            (tilted, plane.peak())
        })
        .collect();
    if planes.is_empty() {
        planes.push((format!("{place}&minutely_15=shortwave_radiation"), 1_000));
    }
    let mut whole: Option<PvYield> = None;
    for (path, peak) in planes {
        let asked = SourceRequest {
            path,
            ..SourceRequest::default()
        };
        let body = client.fetch(Source::OpenMeteo, asked).await?;
        let plane = parse(&body, peak)?;
        whole = Some(match whole {
            None => plane,
            Some(whole) => whole.plus(&plane)?,
        });
    }
    Ok(whole.ok_or(SourceError::Empty)?)
}

/// Each value is the mean of the quarter-hour that ends at its time.
fn parse(body: &[u8], peak: i64) -> Result<PvYield, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer = serde_json::from_slice(body).map_err(|_| unreadable)?;
    let Quarters {
        time,
        global_tilted_irradiance: sun,
    } = answer.minutely_15;
    let first = *time.first().ok_or(SourceError::Empty)?;
    let regular = (0..).zip(&time).all(|(n, at)| {
        first
            .checked_mul(SECOND)
            .is_some_and(|first| Some(first + n * QUARTER) == at.checked_mul(SECOND))
    });
    if !regular || time.len() != sun.len() || (first * SECOND) % QUARTER != 0 {
        return Err(unreadable);
    }
    // Now and then a value is slightly negative.
    let watt = |sun: f64| (sun.max(0.0) / STANDARD_IRRADIANCE * peak as f64).round() as i64;
    Ok(PvYield {
        start: first * SECOND - QUARTER,
        watts: sun.into_iter().map(|sun| sun.map(watt)).collect(),
    })
}

impl PvYield {
    /// Adds the yield of another plane for the same times.
    pub(crate) fn plus(mut self, other: &Self) -> Result<Self, SourceError> {
        if (self.start, self.watts.len()) != (other.start, other.watts.len()) {
            return Err(SourceError::Unreadable);
        }
        for (one, other) in self.watts.iter_mut().zip(&other.watts) {
            *one = one.zip(*other).map(|(one, other)| one + other);
        }
        Ok(self)
    }
}
