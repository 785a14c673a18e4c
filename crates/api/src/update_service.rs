//! The update service: its own address for batteries and for clients that go by the specification, with the same sessions and
//! the same table of who may do what. The portal answers its calls for people as well, so that a browser needs one address only.
use crate::form::MAX_BODY;
use crate::router::{Document, REQUEST, trace};
use crate::routes::{health, image, update};
use crate::{Portal, authenticate, error, headers, status};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::timeout::TimeoutLayer;
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What people ask about updates, here and under the portal's own address.
pub(crate) fn for_people() -> OpenApiRouter<Portal> {
    OpenApiRouter::new()
        .routes(routes!(update::has_update))
        .routes(routes!(update::start))
        .routes(routes!(update::history))
}

pub(crate) fn documented() -> OpenApiRouter<Portal> {
    OpenApiRouter::with_openapi(Document::openapi())
        .merge(for_people())
        .routes(routes!(image::image))
}

/// Everything served on the update service's listener.
pub fn update_service(portal: Portal) -> Router {
    let (calls, _) = documented().split_for_parts();
    let health = OpenApiRouter::<Portal>::new()
        .routes(routes!(health::alive))
        .routes(routes!(health::ready));
    let (health, _) = health.split_for_parts();
    calls
        .merge(health)
        .route_layer(from_fn_with_state(portal.clone(), authenticate::authorise))
        .fallback(|| async { error::Error::not_found() })
        .method_not_allowed_fallback(|| async {
            error::Error::Refused(
                StatusCode::METHOD_NOT_ALLOWED,
                domain::Message::MethodNotAllowed,
            )
        })
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            REQUEST,
        ))
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                axum::response::IntoResponse::into_response(error::Error::internal())
            },
        ))
        .layer(from_fn(error::speak))
        .layer(cors(&portal))
        .layer(from_fn_with_state(portal.clone(), headers::protect))
        .layer(from_fn(status::count))
        .layer(trace())
        .with_state(portal)
}

/// The portal's pages and nobody else's.
fn cors(portal: &Portal) -> CorsLayer {
    let origin = HeaderValue::from_str(&portal.settings.public_url);
    let origin = origin.map_or_else(|_| AllowOrigin::list([]), AllowOrigin::exact);
    CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([AUTHORIZATION, ACCEPT_LANGUAGE, CONTENT_TYPE])
}
