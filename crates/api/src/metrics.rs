//! Metrics for Prometheus.
use crate::Portal;
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// The text for Prometheus, including metrics that are computed only on request.
pub(crate) async fn render_metrics(portal: &Portal) -> String {
    let db = portal.store.db();
    let (open, idle) = db.connections();
    let open = f64::from(open);
    metrics::gauge!("database_connections", "state" => "open").set(open);
    metrics::gauge!("database_connections", "state" => "idle").set(idle as f64);
    metrics::gauge!("database_connections", "state" => "used").set((open - idle as f64).max(0.0));
    metrics::gauge!("database_connections_max").set(f64::from(db.max_connections()));
    let age = portal.live.heartbeat_age().as_secs_f64();
    metrics::gauge!("notify_heartbeat_age_seconds").set(age);
    // Without the database, the other metrics are still shown.
    if let Ok(online) = portal.store.count_online().await {
        metrics::gauge!("systems_online").set(online as f64);
    }
    let handle = portal.metrics.as_ref();
    handle.map_or_else(String::new, |handle| handle.render())
}

/// Counts a request by its route, never by the requested path.
pub(crate) async fn count_requests(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "other".to_owned(), |path| path.as_str().to_owned());
    let method = method_name(request.method());
    let began = Instant::now();
    let response = next.run(request).await;
    let status = response.status().as_u16();
    tracing::Span::current().record("status", status);
    let class = format!("{}xx", status / 100);
    metrics::histogram!("http_request_duration_seconds", "route" => route.clone(), "method" => method, "status" => class)
        .record(began.elapsed());
    let status = status.to_string();
    metrics::counter!("http_requests_total", "route" => route, "status" => status).increment(1);
    response
}

/// Clients may invent methods, and each name is stored.
fn method_name(method: &Method) -> &'static str {
    let known = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    let known = known.into_iter().find(|known| *known == method.as_str());
    known.unwrap_or("other")
}
