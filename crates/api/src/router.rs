//! Puts the portal together: documented calls, the web app, and the layers around them.
use crate::form::MAX_BODY;
use crate::routes::{
    account, alarm, command, commissioning, data, energy_chart, export, forecast, grant,
    grant_request, graph, group, handover, health, journal, partner, partner_api, password_reset,
    personal_data, plan, price, protocol, registration, replace, savings, session, setting_batch,
    setting_template, settings, site, stream, systems, tariff, totp,
};
use crate::{Portal, assets, authenticate, demo, error, headers, status, update_service};
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use axum::{Json, Router};
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::{DefaultOnResponse, TraceLayer};
use utoipa::OpenApi as _;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(utoipa::OpenApi)]
#[openapi(info(
    title = "Suncellar",
    description = "The portal for home batteries. Form-encoded in, JSON out."
))]
pub(crate) struct Document;

/// A request that takes longer has lost its client anyway.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);

fn documented() -> OpenApiRouter<Portal> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(session::log_in))
        .routes(routes!(session::refresh))
        .routes(routes!(session::log_out))
        .routes(routes!(registration::register))
        .routes(routes!(registration::confirm))
        .routes(routes!(registration::claims))
        .routes(routes!(password_reset::ask))
        .routes(routes!(password_reset::confirm))
        .routes(routes!(
            account::show,
            account::change,
            personal_data::delete
        ))
        .routes(routes!(personal_data::export))
        .routes(routes!(account::confirm_email))
        .routes(routes!(totp::begin, totp::end))
        .routes(routes!(totp::confirm))
        .routes(routes!(totp::renew_recovery_codes))
        .routes(routes!(systems::list, systems::add))
        .routes(routes!(systems::claims))
        .routes(routes!(systems::unlink))
        .routes(routes!(site::show, site::describe))
        .routes(routes!(data::data))
        .routes(routes!(stream::open))
        .routes(routes!(graph::graph))
        .routes(routes!(energy_chart::energy_chart))
        .routes(routes!(export::samples))
        .routes(routes!(group::list, group::create))
        .routes(routes!(group::change, group::delete))
        .routes(routes!(tariff::list, tariff::set))
        .routes(routes!(price::list, price::set))
        .routes(routes!(savings::savings))
        .routes(routes!(forecast::forecast))
        .routes(routes!(plan::show, plan::change))
        .routes(routes!(settings::show, settings::save))
        .routes(routes!(settings::reset))
        .routes(routes!(setting_batch::list, setting_batch::save))
        .routes(routes!(setting_batch::take_back))
        .routes(routes!(setting_template::list, setting_template::create))
        .routes(routes!(setting_template::change, setting_template::delete))
        .routes(routes!(command::give))
        .routes(routes!(command::show))
        .routes(routes!(journal::journal))
        .routes(routes!(alarm::list, alarm::acknowledge))
        .routes(routes!(alarm::choose_mail))
        .routes(routes!(grant::list, grant::invite))
        .routes(routes!(grant::give, grant::end))
        .routes(routes!(grant_request::accept))
        .routes(routes!(grant_request::ask))
        .routes(routes!(grant_request::open))
        .routes(routes!(replace::replace))
        .routes(routes!(handover::offer))
        .routes(routes!(handover::withdraw))
        .routes(routes!(commissioning::show, commissioning::begin))
        .routes(routes!(commissioning::give_up))
        .routes(routes!(commissioning::step))
        .routes(routes!(commissioning::phase))
        .routes(routes!(commissioning::finish))
        .routes(routes!(protocol::list))
        .routes(routes!(protocol::show))
        .routes(routes!(protocol::print))
        .routes(routes!(partner::list, partner::consent))
        .routes(routes!(partner::end))
        .routes(routes!(partner::client))
        .routes(routes!(partner_api::token))
        .routes(routes!(partner_api::systems))
        .routes(routes!(partner_api::live))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(health::config))
        .merge(update_service::for_people())
}

/// The OpenAPI document, without a running server.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = documented().split_for_parts().1;
    // One document for both addresses; images are the update service's alone.
    document.merge(update_service::documented().split_for_parts().1);
    document
}

/// Everything served on the portal's listener.
pub fn portal(portal: Portal) -> Router {
    let (calls, _) = documented().split_for_parts();
    let document = openapi();
    let mut router = calls
        .route("/api/openapi.json", get(|| async move { Json(document) }))
        .route_layer(from_fn_with_state(portal.clone(), authenticate::authorise));
    if portal.demo.is_some() {
        router = router.merge(demo::routes());
    }
    router
        .fallback(assets::serve)
        .method_not_allowed_fallback(assets::method_not_allowed)
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
        .layer(from_fn_with_state(portal.clone(), headers::protect))
        .layer(from_fn(status::count))
        .layer(trace())
        .with_state(portal)
}

/// Logs method, path and status; never a query, a header or a body, which may hold what is nobody's business.
pub(crate) fn trace() -> TraceLayer<
    tower_http::classify::SharedClassifier<tower_http::classify::ServerErrorsAsFailures>,
    impl Fn(&axum::extract::Request) -> tracing::Span + Clone,
> {
    TraceLayer::new_for_http()
        .make_span_with(|request: &axum::extract::Request| {
            tracing::info_span!("request", method = %request.method(), path = ?request.uri().path())
        })
        .on_response(DefaultOnResponse::new().level(tracing::Level::DEBUG))
}
