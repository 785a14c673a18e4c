//! For operators and the browser's start: is it alive, is it ready, what are its figures and addresses.
use crate::client::Client;
use crate::error::{Error, Result};
use crate::status::figures;
use crate::{Links, Portal};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Message;
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

/// Whoever asks wants to know within a second, also while the database is away.
const READY_LIMIT: Duration = Duration::from_millis(800);

/// The process runs.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses((status = 200, body = str)))]
pub(crate) async fn alive() -> &'static str {
    "ok"
}

/// Everything is served: the database answers, takes what batteries report, and brings what other processes say.
#[utoipa::path(get, path = "/readyz", tag = "operation", responses((status = 200, body = str), (status = 503)))]
pub(crate) async fn ready(State(portal): State<Portal>) -> Result<&'static str> {
    let unavailable = Error::Refused(StatusCode::SERVICE_UNAVAILABLE, Message::Unavailable);
    let ping = tokio::time::timeout(READY_LIMIT, portal.store.ping()).await;
    let answers = ping.is_ok_and(|answer| answer.is_ok());
    if answers && portal.live.is_storing() && portal.live.is_hearing() {
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
    Ok(figures(&portal))
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
