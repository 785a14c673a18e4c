//! forecast.solar: what a plane yields, in Wh since the time before; times are those of sunrise, full hours and sunset. Twelve
//! questions an hour are free, one for each plane.
use crate::client::{Client, Failure, Question};
use crate::{Sunshine, WeatherQuestion};
use domain::Source;
use domain::clock::{DAY, HOUR, Millis, SECOND};
use domain::source::{QUARTER, SourceError};
use serde::Deserialize;
use std::collections::BTreeMap;

use crate::slots::moment;

/// Two days and a bit are looked at.
const AHEAD: usize = 2 * 96;

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

pub(crate) async fn ask(
    client: &Client,
    question: WeatherQuestion<'_>,
) -> Result<Sunshine, Failure> {
    let at = question.coordinates;
    let place = format!("/estimate/{}/{}", at.latitude(), at.longitude());
    let kilowatt = |peak: i64| format!("{}.{:03}", peak / 1_000, peak % 1_000);
    let mut planes: Vec<String> = question
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
    let start = question.now - question.now.rem_euclid(QUARTER);
    let mut whole: Option<Sunshine> = None;
    for plane in planes {
        let asked = Question {
            path: format!("{plane}?time=utc"),
            ..Question::default()
        };
        let body = client.ask(Source::ForecastSolar, asked).await?;
        let plane = read(&body, start)?;
        whole = Some(match whole {
            None => plane,
            Some(whole) => whole.plus(&plane)?,
        });
    }
    Ok(whole.ok_or(SourceError::Empty)?)
}

fn read(body: &[u8], start: Millis) -> Result<Sunshine, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer = serde_json::from_slice(body).map_err(|_| unreadable)?;
    match (answer.message.code, answer.result) {
        (0, Some(result)) => spread(&result.watt_hours_period, start),
        (429, _) => Err(SourceError::RateLimited),
        (0, None) => Err(unreadable),
        _ => Err(SourceError::Rejected),
    }
}

/// Energy of each period, evenly over its quarter-hours. Nothing is said beyond the last period.
fn spread(periods: &BTreeMap<String, f64>, start: Millis) -> Result<Sunshine, SourceError> {
    let mut ends: Vec<(Millis, f64)> = Vec::new();
    for (at, energy) in periods {
        let at = match at.parse::<i64>() {
            Ok(seconds) => seconds.checked_mul(SECOND).ok_or(SourceError::Unreadable)?,
            Err(_) => moment(at)?,
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
    // The first time of all, and the first of each day, is a sunrise: nothing before it.
    let until = last + HOUR;
    let quarters = (until - start).div_euclid(QUARTER).clamp(0, AHEAD as i64);
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
    Ok(Sunshine {
        start,
        watts: watts.collect(),
    })
}
