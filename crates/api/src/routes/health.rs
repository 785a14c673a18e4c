//! For operators and for the web app at startup: liveness, readiness, metrics and configuration.
use crate::client::ClientAddress;
use crate::error::{Error, Result};
use crate::metrics::render_metrics;
use crate::serve::ShutdownSignal;
use crate::{Links, Portal};
use axum::Json;
use axum::extract::State;
use axum::http::header::FORWARDED;
use axum::http::{HeaderMap, StatusCode};
use domain::Message;
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

/// The answer must come within a second, even if the database is unreachable.
const READY_TIMEOUT: Duration = Duration::from_millis(800);

/// Check that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, body = str)))]
pub(crate) async fn alive() -> &'static str {
    "ok"
}

/// Check that the process is ready: the database answers, reports of batteries are stored, messages of other processes arrive, and
/// it is not about to end.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses((status = 200, body = str), (status = 503)))]
pub(crate) async fn ready(
    State(portal): State<Portal>,
    shutdown: ShutdownSignal,
) -> Result<&'static str> {
    let unavailable = Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::Unavailable);
    if shutdown.0.is_ending() {
        return Err(unavailable);
    }
    let ping = tokio::time::timeout(READY_TIMEOUT, portal.store.db().ping()).await;
    let answers = ping.is_ok_and(|answer| answer.is_ok());
    if answers && portal.live.is_storing() && portal.live.receives_peer_messages() {
        Ok("ready")
    } else {
        Err(unavailable)
    }
}

/// Get metrics in the Prometheus text format.
///
/// Available only from the same machine, and not through a proxy, even one that the operator has not configured.
#[utoipa::path(get, path = "/metrics", tag = "operation", responses((status = 200, body = str), (status = 404)))]
pub(crate) async fn metrics(
    State(portal): State<Portal>,
    client: ClientAddress,
    headers: HeaderMap,
) -> Result<String> {
    let is_forwarded = headers.contains_key("x-forwarded-for") || headers.contains_key(FORWARDED);
    if !portal.config.shows_metrics || is_forwarded || !client.0.is_loopback() {
        return Err(Error::not_found());
    }
    Ok(render_metrics(&portal).await)
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BrowserConfig {
    /// The address of the update service, for clients that follow the specification. The web app uses the portal's own address.
    updates: String,
    /// Whether this is `suncellar demo`.
    demo: bool,
    version: &'static str,
    links: Links,
}

/// Get the configuration that the web app needs before login.
#[utoipa::path(get, path = "/config.json", tag = "operation", responses((status = 200, body = BrowserConfig)))]
pub(crate) async fn config(State(portal): State<Portal>) -> Json<BrowserConfig> {
    Json(BrowserConfig {
        updates: portal.config.updates_url.clone(),
        demo: portal.demo.is_some(),
        version: env!("CARGO_PKG_VERSION"),
        links: portal.config.links.clone(),
    })
}
