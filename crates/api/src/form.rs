//! Strict parsing of form bodies and queries: a duplicate parameter is refused, an unknown one is ignored.
use crate::error::{Error, Result};
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use domain::Message;
use serde::de::DeserializeOwned;
use std::collections::HashSet;

/// Largest request body of somebody who is logged in; a longer one is refused before it is read.
pub(crate) const MAX_BODY: usize = 1024 * 1024;

/// Largest body of a call that needs no login. Anybody can make the server keep as much for half a minute, over each of many
/// connections, and no form of guests needs a tenth.
pub(crate) const MAX_GUEST_BODY: usize = 64 * 1024;

/// The fields of a form-encoded body.
pub(crate) struct Form<T>(pub(crate) T);

/// The parameters of a query.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Form<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let bytes =
            Bytes::from_request(request, state)
                .await
                .map_err(|rejection| match rejection.into_response_status() {
                    StatusCode::PAYLOAD_TOO_LARGE => {
                        Error::Refused(StatusCode::PAYLOAD_TOO_LARGE, Message::TooLarge)
                    }
                    _ => Error::Refused(StatusCode::REQUEST_TIMEOUT, Message::TooSlow),
                })?;
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

pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(text).map_err(|_| invalid())?;
    let mut seen = HashSet::new();
    // PostgreSQL cannot store NUL, and no one types it.
    if pairs
        .iter()
        .any(|(name, value)| !seen.insert(name) || value.contains('\0'))
    {
        return Err(invalid());
    }
    serde_urlencoded::from_str(text).map_err(|_| invalid())
}

const fn invalid() -> Error {
    Error::Refused(StatusCode::BAD_REQUEST, Message::InvalidForm)
}

/// A checkbox value as browsers and scripts send it.
pub(crate) fn ticked(value: &str) -> bool {
    matches!(value, "true" | "1" | "on")
}

/// The id in a path. One that is not a number is unknown.
pub(crate) fn parse_id(text: &str) -> Result<i64> {
    text.parse().map_err(|_| Error::not_found())
}

trait Status {
    fn into_response_status(self) -> StatusCode;
}

impl<R: axum::response::IntoResponse> Status for R {
    fn into_response_status(self) -> StatusCode {
        self.into_response().status()
    }
}
