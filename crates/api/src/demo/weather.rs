//! The weather service that the demo asks instead of the outside world, in Open-Meteo's shape.
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

/// How strongly the sun will shine on panels at a place (latitude, longitude) in the quarter-hours that begin then, in W/m².
pub type Sky = Arc<dyn Fn((f64, f64), &[Millis]) -> Vec<f64> + Send + Sync>;

#[derive(Clone)]
struct Service {
    clock: Clock,
    sky: Sky,
}

pub(super) fn weather(clock: Clock, sky: Sky) -> Router {
    Router::new()
        .route("/v1/forecast", get(open_meteo))
        .with_state(Service { clock, sky })
}

#[derive(Deserialize)]
struct Question {
    latitude: f64,
    longitude: f64,
    forecast_days: i64,
}

/// From the midnight of UTC on. Each value is the mean of the quarter-hour that ends at its time.
async fn open_meteo(State(service): State<Service>, Query(question): Query<Question>) -> Response {
    if !(1..=16).contains(&question.forecast_days) {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let midnight = service.clock.now().div_euclid(DAY) * DAY;
    let count = question.forecast_days * DAY / QUARTER;
    let starts: Vec<Millis> = (0..count).map(|n| midnight + (n - 1) * QUARTER).collect();
    let place = (question.latitude, question.longitude);
    let sun = (service.sky)(place, &starts);
    let times: Vec<i64> = starts.iter().map(|at| (at + QUARTER) / SECOND).collect();
    let answer = json!({
        "latitude": place.0, "longitude": place.1, "utc_offset_seconds": 0,
        "minutely_15": { "time": times, "global_tilted_irradiance": sun },
    });
    Json(answer).into_response()
}
