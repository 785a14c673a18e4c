//! HTTP/1.1 requires exactly one `Host` per request (RFC 9112, 3.2). Proxies could interpret several differently.
use crate::error::{Error, Result};
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;
use domain::Message;

pub(crate) async fn require_host(request: Request, next: Next) -> Result<Response> {
    let hosts = request.headers().get_all(HOST).iter().count();
    match (request.version(), hosts) {
        (Version::HTTP_11, 1) | (Version::HTTP_10, 0 | 1) => Ok(next.run(request).await),
        _ => Err(Error::Refused(
            StatusCode::BAD_REQUEST,
            Message::InvalidRequest,
        )),
    }
}
