//! The update service: a separate address for batteries and for clients that follow the specification, with the same sessions and
//! the same authorisation table. The portal also answers the calls for people, so a browser needs only one address.
use crate::form::MAX_BODY;
use crate::host::require_host;
use crate::request_id;
use crate::route_table::update_service_routes;
use crate::router::{limit_time, trace};
use crate::{Portal, error, headers, metrics};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// Everything served on the update service's listener.
pub fn update_service(portal: Portal) -> Router {
    update_service_routes(&portal)
        .fallback(|| async { error::Error::not_found() })
        .method_not_allowed_fallback(|| async {
            error::Error::Refused(
                StatusCode::METHOD_NOT_ALLOWED,
                domain::Message::MethodNotAllowed,
            )
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(limit_time))
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                axum::response::IntoResponse::into_response(error::Error::internal())
            },
        ))
        .layer(from_fn(require_host))
        .layer(from_fn(error::localise_errors))
        .layer(cors(&portal))
        .layer(from_fn_with_state(
            portal.clone(),
            headers::add_security_headers,
        ))
        .layer(from_fn(metrics::count_requests))
        .layer(trace())
        .layer(from_fn_with_state(portal.clone(), request_id::assign))
        .with_state(portal)
}

/// Allows the portal's pages and no other origin.
fn cors(portal: &Portal) -> CorsLayer {
    let origin = HeaderValue::from_str(&portal.config.public_url);
    let origin = origin.map_or_else(|_| AllowOrigin::list([]), AllowOrigin::exact);
    CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([AUTHORIZATION, ACCEPT_LANGUAGE, CONTENT_TYPE])
}
