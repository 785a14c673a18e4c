//! For operators and the browser's start: is it alive, is it ready, what are its figures and addresses.
use crate::client::Client;
use crate::error::{Error, Result};
use crate::{Links, Portal};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use serde::Serialize;
use utoipa::ToSchema;

/// The process runs.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, body = str)))]
pub(crate) async fn alive() -> &'static str {
    "ok"
}

/// Everything is served: the database answers, and takes what batteries report.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses((status = 200, body = str), (status = 503)))]
pub(crate) async fn ready(State(portal): State<Portal>) -> Result<&'static str> {
    let unavailable = Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::Unavailable);
    let answers = portal.store.ping().await.is_ok();
    if answers && portal.live.is_storing() {
        Ok("ready")
    } else {
        Err(unavailable)
    }
}

/// Figures in Prometheus' text format, for this machine only.
#[utoipa::path(get, path = "/metrics", tag = "operation", responses((status = 200, body = str), (status = 404)))]
pub(crate) async fn metrics(State(portal): State<Portal>, client: Client) -> Result<String> {
    if !client.0.is_loopback() {
        return Err(Error::not_found());
    }
    Ok(portal
        .metrics
        .as_ref()
        .map(metrics_exporter_prometheus::PrometheusHandle::render)
        .unwrap_or_default())
}

#[derive(Serialize, ToSchema)]
pub(crate) struct BrowserConfig {
    /// Address of the update service, for clients that go by the specification; pages ask the portal itself.
    updates: String,
    /// Whether this is `suncellar demo`.
    demo: bool,
    version: &'static str,
    links: Links,
}

/// What the browser has to know before anybody logs in.
#[utoipa::path(get, path = "/config.json", tag = "operation", responses((status = 200, body = BrowserConfig)))]
pub(crate) async fn config(State(portal): State<Portal>) -> Json<BrowserConfig> {
    Json(BrowserConfig {
        updates: portal.settings.updates_url.clone(),
        demo: portal.demo.is_some(),
        version: env!("CARGO_PKG_VERSION"),
        links: portal.settings.links.clone(),
    })
}
