//! Strict parsing of form bodies and queries: a duplicate parameter is refused, an unknown one is ignored.
use crate::error::{Error, Result};
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use domain::Message;
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// The largest request body. A longer one is not read to its end.
pub(crate) const MAX_BODY: usize = 1024 * 1024;

/// How many bytes of a body are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLimit(usize);

impl BodyLimit {
    /// For logged-in callers, whose forms may name thousands of systems.
    pub(crate) const PEOPLE: Self = Self(MAX_BODY);
    /// For all other callers. A registration has a few hundred bytes, a code verifier 128 characters.
    pub(crate) const GUESTS: Self = Self(16 * 1024);
}

/// The raw body of any type.
pub(crate) struct Bytes(pub(crate) Vec<u8>);

/// The fields of a form-encoded body.
pub(crate) struct Form<T>(pub(crate) T);

/// The parameters of a query.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync> FromRequest<S> for Bytes {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let limit = request.extensions().get().copied();
        let body = read_body(request.into_body(), limit.unwrap_or(BodyLimit::GUESTS));
        body.await.map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let limit = request.extensions().get().copied();
        let is_form = is_form(request.headers());
        let bytes = read_body(request.into_body(), limit.unwrap_or(BodyLimit::GUESTS)).await?;
        if !is_form && !bytes.is_empty() {
            return Err(invalid());
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| invalid())?;
        parse(text).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        parse(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// A client that sends no content type means a form.
fn is_form(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_none_or(|value| {
        let essence = value.to_str().unwrap_or_default().split(';').next();
        let essence = essence.unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
    })
}

/// Reads a body. Bytes beyond the limit are read and dropped, up to [`MAX_BODY`], because a client that is still sending does not
/// read the refusal.
async fn read_body(body: Body, BodyLimit(limit): BodyLimit) -> Result<Vec<u8>> {
    let mut pieces = body.into_data_stream();
    let (mut kept, mut length) = (Vec::new(), 0);
    while length <= MAX_BODY
        && let Some(piece) = pieces.next().await
    {
        // The body ended early, or its chunks cannot be read.
        let piece = piece.map_err(|_| invalid())?;
        length += piece.len();
        match length <= limit {
            true => kept.extend_from_slice(&piece),
            false => kept = Vec::new(),
        }
    }
    match length <= limit {
        true => Ok(kept),
        false => Err(too_large()),
    }
}

pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(text).map_err(|_| invalid())?;
    let mut seen = HashSet::new();
    // PostgreSQL cannot store NUL, and nobody types it.
    if pairs
        .iter()
        .any(|(name, value)| !seen.insert(name) || value.contains('\0'))
    {
        return Err(invalid());
    }
    serde_urlencoded::from_str(text).map_err(|_| invalid())
}

pub(crate) const fn invalid() -> Error {
    Error::Refused(StatusCode::BAD_REQUEST, Message::InvalidForm)
}

pub(crate) const fn too_large() -> Error {
    Error::Refused(StatusCode::PAYLOAD_TOO_LARGE, Message::TooLarge)
}

/// A checkbox value as browsers and scripts send it.
pub(crate) fn ticked(value: &str) -> bool {
    matches!(value, "true" | "1" | "on")
}

/// The token of a mailed link. An unreadable one is treated as unknown.
pub(crate) fn parse_mailed_token(text: &str) -> Result<Vec<u8>> {
    BASE64.decode(text).map_err(|_| Error::link_invalid())
}

/// The id in a path. One that is not a number is treated as unknown.
pub(crate) fn parse_id(text: &str) -> Result<i64> {
    text.parse().map_err(|_| Error::not_found())
}
