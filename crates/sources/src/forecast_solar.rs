//! forecast.solar: the yield of one plane in Wh since the previous time. The times are sunrise, full hours and sunset. Twelve
//! requests per hour are free; each plane needs one.
use crate::client::{Client, SourceFailure, SourceRequest};
use crate::{PvYield, RoofRequest};
use domain::Source;
use domain::clock::{DAY, HOUR, Millis, SECOND};
use domain::source::{QUARTER, SourceError};
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::slots::parse_timestamp;

/// Two days.
const MAX_QUARTERS_AHEAD: usize = 2 * 96;

#[derive(Deserialize)]
struct Answer {
    result: Option<Estimate>,
    message: Message,
}

#[derive(Deserialize)]
struct Estimate {
    watt_hours_period: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
struct Message {
    code: i64,
}

pub(crate) async fn fetch(
    client: &Client,
    request: RoofRequest<'_>,
) -> Result<PvYield, SourceFailure> {
    let at = request.coordinates;
    let place = format!("/estimate/{}/{}", at.latitude(), at.longitude());
    let kilowatt = |peak: i64| format!("{}.{:03}", peak / 1_000, peak % 1_000);
    let mut planes: Vec<String> = request
        .planes
        .iter()
        .map(|plane| {
            let (tilt, azimuth) = (plane.tilt(), plane.azimuth());
            format!("{place}/{tilt}/{azimuth}/{}", kilowatt(plane.peak()))
        })
        .collect();
    if planes.is_empty() {
        planes.push(format!("{place}/0/0/1.000"));
    }
    let start = request.now - request.now.rem_euclid(QUARTER);
    let mut whole: Option<PvYield> = None;
    for plane in planes {
        let asked = SourceRequest {
            path: format!("{plane}?time=utc"),
            ..SourceRequest::default()
        };
        let body = client.fetch(Source::ForecastSolar, asked).await?;
        let plane = parse(&body, start)?;
        whole = Some(match whole {
            None => plane,
            Some(whole) => whole.plus(&plane)?,
        });
    }
    Ok(whole.ok_or(SourceError::Empty)?)
}

fn parse(body: &[u8], start: Millis) -> Result<PvYield, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer = serde_json::from_slice(body).map_err(|_| unreadable)?;
    match (answer.message.code, answer.result) {
        (0, Some(result)) => spread(&result.watt_hours_period, start),
        (429, _) => Err(SourceError::RateLimited),
        (0, None) => Err(unreadable),
        _ => Err(SourceError::Rejected),
    }
}

/// Spreads the energy of each period evenly over its quarter-hours. There are no values beyond an hour after the last period.
fn spread(periods: &BTreeMap<String, f64>, start: Millis) -> Result<PvYield, SourceError> {
    let mut ends: Vec<(Millis, f64)> = Vec::new();
    for (at, energy) in periods {
        let at = match at.parse::<i64>() {
            Ok(seconds) => seconds.checked_mul(SECOND).ok_or(SourceError::Unreadable)?,
            Err(_) => parse_timestamp(at)?,
        };
        let sound = energy.is_finite() && (0.0..1e7).contains(energy);
        ends.push((at, sound.then_some(*energy).ok_or(SourceError::Unreadable)?));
    }
    ends.sort_by_key(|(at, _)| *at);
    let (Some((first, _)), Some((last, _))) = (ends.first(), ends.last()) else {
        return Err(SourceError::Empty);
    };
    if last - first > 20 * DAY {
        return Err(SourceError::Unreadable);
    }
    // The first time of each day is a sunrise: there is no yield before it.
    let until = last + HOUR;
    let quarters = (until - start)
        .div_euclid(QUARTER)
        .clamp(0, MAX_QUARTERS_AHEAD as i64);
    let mut energy = vec![0.0; usize::try_from(quarters).unwrap_or(0)];
    for pair in ends.windows(2) {
        let ((from, _), (to, wh)) = (pair[0], pair[1]);
        for (n, quarter) in energy.iter_mut().enumerate() {
            let begin = start + n as Millis * QUARTER;
            let shared = (begin + QUARTER).min(to) - begin.max(from);
            if shared > 0 && to > from {
                *quarter += wh * shared as f64 / (to - from) as f64;
            }
        }
    }
    let watts = energy.iter().map(|wh| Some((wh * 4.0).round() as i64));
    Ok(PvYield {
        start,
        watts: watts.collect(),
    })
}

impl PvYield {
    /// Adds the yield of another plane for the same times.
    fn plus(mut self, other: &Self) -> Result<Self, SourceError> {
        if (self.start, self.watts.len()) != (other.start, other.watts.len()) {
            return Err(SourceError::Unreadable);
        }
        for (one, other) in self.watts.iter_mut().zip(&other.watts) {
            *one = one.zip(*other).map(|(one, other)| one + other);
        }
        Ok(self)
    }
}
