//! For operators, in every process: liveness, readiness and metrics. It has its own address, because not every role has another
//! listener.
use crate::error::{Error, Result};
use crate::metrics::render_metrics;
use crate::routes::health::{alive, ready};
use crate::{Portal, error};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use std::time::Duration;
use tower_http::timeout::TimeoutLayer;

const STATUS_REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// Everything served on the status listener. Anyone who can reach it may read it: it contains no personal data.
pub fn status(portal: Portal) -> Router {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .fallback(|| async { Error::not_found() })
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            STATUS_REQUEST_TIMEOUT,
        ))
        .layer(axum::middleware::from_fn(error::localise_errors))
        .with_state(portal)
}

async fn metrics(State(portal): State<Portal>) -> Result<String> {
    Ok(render_metrics(&portal).await)
}
