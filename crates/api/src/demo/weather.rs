//! Fake of the external weather service for the demo, in Open-Meteo's format.
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use domain::Clock;
use domain::clock::{DAY, Millis, SECOND};
use domain::source::QUARTER;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Expected irradiance at a location (latitude, longitude), in W/m², for the quarter-hours that begin at these times. All of it
/// is diffuse: the simulated sky has no direction.
pub type SunForecast = Arc<dyn Fn((f64, f64), &[Millis]) -> Vec<f64> + Send + Sync>;

#[derive(Clone)]
struct WeatherService {
    clock: Clock,
    sun_forecast: SunForecast,
}

pub(super) fn weather(clock: Clock, sun_forecast: SunForecast) -> Router {
    Router::new()
        .route("/v1/forecast", get(open_meteo))
        .with_state(WeatherService {
            clock,
            sun_forecast,
        })
}

#[derive(Deserialize)]
struct WeatherQuery {
    latitude: f64,
    longitude: f64,
    forecast_days: i64,
}

/// Starts at midnight UTC. Each value is the mean of the quarter-hour that ends at its time.
async fn open_meteo(
    State(service): State<WeatherService>,
    Query(query): Query<WeatherQuery>,
) -> Response {
    if !(1..=16).contains(&query.forecast_days) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let midnight = service.clock.now().div_euclid(DAY) * DAY;
    let count = query.forecast_days * DAY / QUARTER;
    let starts: Vec<Millis> = (0..count).map(|n| midnight + (n - 1) * QUARTER).collect();
    let place = (query.latitude, query.longitude);
    let sun = (service.sun_forecast)(place, &starts);
    let times: Vec<i64> = starts.iter().map(|at| (at + QUARTER) / SECOND).collect();
    let direct = vec![0.0; sun.len()];
    let answer = json!({
        "latitude": place.0, "longitude": place.1, "utc_offset_seconds": 0,
        "minutely_15": { "time": times, "direct_radiation": direct, "diffuse_radiation": sun },
    });
    Json(answer).into_response()
}
