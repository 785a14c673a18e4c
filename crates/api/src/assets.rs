//! The web app, embedded in the binary. Unknown paths get `index.html`; the browser routes them.
use crate::error::Error;
use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use domain::Message;

struct File {
    url: &'static str,
    mime: &'static str,
    etag: &'static str,
    raw: &'static [u8],
    br: Option<&'static [u8]>,
    gz: Option<&'static [u8]>,
}

/// Sorted by `url`.
static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

pub(crate) async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path();
    if path.starts_with("/api/") || path.starts_with("/assets/") && find(path).is_none() {
        return Error::not_found().into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return method_not_allowed().await;
    }
    let Some(file) = find(path).or_else(|| find("/index.html")) else {
        return Error::not_found().into_response();
    };
    let mut response = if headers
        .get(IF_NONE_MATCH)
        .is_some_and(|tag| tag == file.etag)
    {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        content(file, &headers)
    };
    let own = response.headers_mut();
    own.insert(ETAG, HeaderValue::from_static(file.etag));
    own.insert(VARY, HeaderValue::from_static("accept-encoding"));
    // Files under /assets/ have a hash in their name; all others must be revalidated each time.
    let cache = if file.url.starts_with("/assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    own.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

pub(crate) async fn method_not_allowed() -> Response {
    Error::Refused(StatusCode::METHOD_NOT_ALLOWED, Message::MethodNotAllowed).into_response()
}

fn find(url: &str) -> Option<&'static File> {
    FILES
        .binary_search_by(|file| file.url.cmp(url))
        .ok()
        .map(|index| &FILES[index])
}

fn content(file: &'static File, headers: &HeaderMap) -> Response {
    let offered = headers
        .get(ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let accepts = |coding: &str| {
        offered
            .split(',')
            .any(|offer| offer.trim().split(';').next() == Some(coding))
    };
    let (body, encoding) = match (file.br, file.gz) {
        (Some(br), _) if accepts("br") => (br, Some("br")),
        (_, Some(gz)) if accepts("gzip") => (gz, Some("gzip")),
        _ => (file.raw, None),
    };
    let mut response = Response::new(Body::from(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(file.mime));
    if let Some(encoding) = encoding {
        response
            .headers_mut()
            .insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}
