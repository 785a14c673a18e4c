//! Live data of the caller's systems, from memory.
use crate::Portal;
use crate::error::{Refusal, Result, language};
use crate::live::{self, LiveData};
use crate::own::Systems;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// What every system of the caller reported last.
#[utoipa::path(get, path = "/api/auth/data/", tag = "live",
    responses((status = 200, body = LiveData), (status = 401, body = Refusal)))]
pub(crate) async fn data(
    State(portal): State<Portal>,
    systems: Systems,
    headers: HeaderMap,
) -> Result<Response> {
    let lang = language(&headers);
    let body = live::write(&portal.live, &systems.allowed, |_| true, lang, portal.now());
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}
