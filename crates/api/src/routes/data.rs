//! Live data of the caller's systems, from memory.
use crate::Portal;
use crate::caller_systems::Systems;
use crate::error::{Refusal, Result, language};
use crate::flag_sets::NamedFlags;
use crate::form::Query;
use crate::live::{self, LiveData, LiveFormat};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct DataQuery {
    /// `all` (default) lists every flag with true or false, `set` only the flags that are set.
    #[serde(default)]
    #[param(inline, required = false)]
    flags: NamedFlags,
}

/// Get the latest report of every system of the caller.
#[utoipa::path(get, path = "/api/auth/data/", tag = "live", params(DataQuery),
    responses((status = 200, body = LiveData), (status = 400, body = Refusal)))]
pub(crate) async fn data(
    State(portal): State<Portal>,
    systems: Systems,
    Query(query): Query<DataQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let format = LiveFormat {
        lang: language(&headers),
        named: query.flags,
    };
    portal.hold(systems.allowed.iter()).await?;
    let body = live::write(
        &portal.live,
        &systems.allowed,
        |_| true,
        format,
        portal.now(),
    );
    Ok(([(CONTENT_TYPE, "application/json")], body).into_response())
}
