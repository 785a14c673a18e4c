//! A request names exactly one host. HTTP/1.1 requires one `Host` (RFC 9112, 3.2); HTTP/2 has `:authority`, which a `Host` beside it
//! must repeat (RFC 9113, 8.3.1). Proxies could interpret several differently.
use crate::error::{Error, Result};
use axum::extract::Request;
use axum::http::header::HOST;
use axum::http::{StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;
use domain::Message;

pub(crate) async fn require_host(request: Request, next: Next) -> Result<Response> {
    match names_one_host(&request) {
        true => Ok(next.run(request).await),
        false => Err(Error::Refused(
            StatusCode::BAD_REQUEST,
            Message::InvalidRequest,
        )),
    }
}

fn names_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    let authority = request.uri().authority().map(|name| name.as_str());
    match (request.version(), first, second) {
        (Version::HTTP_11, Some(_), None) | (Version::HTTP_10, _, None) => true,
        (Version::HTTP_2, None, None) => authority.is_some(),
        (Version::HTTP_2, Some(host), None) => authority.is_none_or(|name| host == name),
        _ => false,
    }
}
