//! For operators, in every process: liveness, readiness and metrics. It has its own address, because not every role has another
//! listener.
use crate::error::{Error, Result};
use crate::routes::health::{alive, ready};
use crate::{Portal, error};
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use std::time::{Duration, Instant};
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
    Ok(render_metrics(&portal))
}

/// The text for Prometheus, including metrics that are computed only on request.
pub(crate) fn render_metrics(portal: &Portal) -> String {
    let (open, idle) = portal.store.db().connections();
    metrics::gauge!("database_connections", "state" => "open").set(f64::from(open));
    metrics::gauge!("database_connections", "state" => "idle").set(idle as f64);
    let age = portal.live.heartbeat_age().as_secs_f64();
    metrics::gauge!("notify_heartbeat_age_seconds").set(age);
    let online = portal.live.all().filter(|(_, system)| system.online);
    metrics::gauge!("systems_online").set(online.count() as f64);
    let handle = portal.metrics.as_ref();
    handle.map_or_else(String::new, |handle| handle.render())
}

/// Counts a request by its route, never by the path that someone typed.
pub(crate) async fn count_requests(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let began = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    metrics::counter!("http_requests_total", "route" => route, "status" => status).increment(1);
    metrics::histogram!("http_request_seconds").record(began.elapsed());
    response
}
