//! Assembles the portal: the routes, the web app, and the layers around them.
use crate::form::MAX_BODY;
use crate::host::require_host;
use crate::request_id::{self, RequestId};
use crate::{Portal, assets, demo, error, headers, metrics, openapi, route_table};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use domain::Message;
use std::sync::LazyLock;
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::trace::{DefaultOnResponse, TraceLayer};

/// Clients have given up by then.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Built on first use, because most processes never need it.
static DOCUMENT: LazyLock<utoipa::openapi::OpenApi> = LazyLock::new(openapi::openapi);

/// Everything served on the portal's listener.
pub fn portal(portal: Portal) -> Router {
    let mut router = route_table::portal_routes(&portal)
        .route("/api/openapi.json", get(|| async { Json(&*DOCUMENT) }));
    if portal.demo.is_some() {
        router = router.merge(demo::routes());
    }
    router
        .fallback(assets::serve)
        .method_not_allowed_fallback(assets::method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(limit_time))
        .layer(CatchPanicLayer::custom(
            |_: Box<dyn std::any::Any + Send>| {
                axum::response::IntoResponse::into_response(error::Error::internal())
            },
        ))
        .layer(from_fn(require_host))
        .layer(from_fn(error::localise_errors))
        .layer(from_fn_with_state(
            portal.clone(),
            headers::add_security_headers,
        ))
        .layer(from_fn(metrics::count_requests))
        .layer(trace())
        .layer(from_fn_with_state(portal.clone(), request_id::assign))
        .with_state(portal)
}

/// Applies until the head of the answer. Streamed bodies have their own limits.
pub(crate) async fn limit_time(request: Request, next: Next) -> error::Result<Response> {
    let answer = tokio::time::timeout(REQUEST_TIMEOUT, next.run(request));
    let refused = error::Error::Refused(StatusCode::REQUEST_TIMEOUT, Message::TooSlow);
    answer.await.map_err(|_| refused)
}

/// Logs id, method, path and status; never a query, a header or a body, which may hold private data.
pub(crate) fn trace() -> TraceLayer<
    tower_http::classify::SharedClassifier<tower_http::classify::ServerErrorsAsFailures>,
    impl Fn(&Request) -> tracing::Span + Clone,
> {
    TraceLayer::new_for_http()
        .make_span_with(|request: &Request| {
            let id = request.extensions().get::<RequestId>();
            id.map_or_else(tracing::Span::none, |id| id.span(request))
        })
        .on_response(DefaultOnResponse::new().level(tracing::Level::DEBUG))
}
