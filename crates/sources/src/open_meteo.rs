//! Open-Meteo: direct and diffuse irradiance on horizontal ground by quarter-hours, in W/m². One request for each cell.
use crate::client::{Client, SourceFailure, SourceRequest};
use domain::Source;
use domain::clock::SECOND;
use domain::source::{QUARTER, SourceError};
use domain::weather::{CellForecast, Irradiance, WeatherCell};
use serde::Deserialize;

/// Two days are needed. The service counts days in UTC, so a third one is requested.
const FORECAST_DAYS: u8 = 3;

#[derive(Deserialize)]
struct Answer {
    minutely_15: Quarters,
}

#[derive(Deserialize)]
struct Quarters {
    time: Vec<i64>,
    direct_radiation: Vec<Option<f64>>,
    diffuse_radiation: Vec<Option<f64>>,
}

pub(crate) async fn fetch(
    client: &Client,
    cell: WeatherCell,
) -> Result<CellForecast, SourceFailure> {
    let (latitude, longitude) = cell.middle();
    let asked = SourceRequest {
        path: format!(
            "/v1/forecast?latitude={latitude:.1}&longitude={longitude:.1}&timeformat=unixtime\
             &forecast_days={FORECAST_DAYS}&minutely_15=direct_radiation,diffuse_radiation"
        ),
        ..SourceRequest::default()
    };
    let body = client.fetch(Source::OpenMeteo, asked).await?;
    Ok(parse(&body)?)
}

/// Each value is the mean of the quarter-hour that ends at its time.
fn parse(body: &[u8]) -> Result<CellForecast, SourceError> {
    let unreadable = SourceError::Unreadable;
    let answer: Answer = serde_json::from_slice(body).map_err(|_| unreadable)?;
    let Quarters {
        time,
        direct_radiation: direct,
        diffuse_radiation: diffuse,
    } = answer.minutely_15;
    let first = *time.first().ok_or(SourceError::Empty)?;
    let regular = (0..).zip(&time).all(|(n, at)| {
        first
            .checked_mul(SECOND)
            .is_some_and(|first| Some(first + n * QUARTER) == at.checked_mul(SECOND))
    });
    let complete = direct.len() == time.len() && diffuse.len() == time.len();
    if !regular || !complete || (first * SECOND) % QUARTER != 0 {
        return Err(unreadable);
    }
    // Values are occasionally slightly negative.
    let whole = |irradiance: f64| irradiance.max(0.0).round() as i64;
    let quarter = |(direct, diffuse): (Option<f64>, Option<f64>)| {
        let (direct, diffuse) = direct.zip(diffuse)?;
        Some(Irradiance {
            direct: whole(direct),
            diffuse: whole(diffuse),
        })
    };
    Ok(CellForecast {
        start: first * SECOND - QUARTER,
        quarters: direct.into_iter().zip(diffuse).map(quarter).collect(),
    })
}
