//! The headers of every answer.
use crate::Portal;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, DATE, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY,
};
use axum::http::header::{X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use domain::site_time::http_date;

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

pub(crate) async fn add_security_headers(
    State(portal): State<Portal>,
    request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut set = |name, value: &'static str| headers.insert(name, HeaderValue::from_static(value));
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(X_FRAME_OPTIONS, "DENY");
    set(REFERRER_POLICY, "no-referrer");
    set(
        PERMISSIONS_POLICY,
        "camera=(), microphone=(), geolocation=(self), payment=(), usb=()",
    );
    set(OPENER_POLICY, "same-origin");
    set(CONTENT_SECURITY_POLICY, CONTENT_POLICY);
    if is_api {
        set(CACHE_CONTROL, "no-store");
    }
    if portal.config.behind_tls() {
        set(
            STRICT_TRANSPORT_SECURITY,
            "max-age=63072000; includeSubDomains",
        );
    }
    // Pages whose own clock is wrong use this date. It is the clock of the whole server.
    if let Some(Ok(date)) = http_date(portal.now()).map(HeaderValue::try_from) {
        headers.insert(DATE, date);
    }
    response
}

/// A page may contact only the server that it came from, under whichever host name it was opened.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
         connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; \
         object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
