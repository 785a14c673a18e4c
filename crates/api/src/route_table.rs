//! The authorisation table: every route, who may call it, and which right to a system it needs. Method and path are in the
//! handler's `#[utoipa::path]`. Both listeners and the OpenAPI document are built from it, so a route without a row is not
//! served. [`store::Access`] additionally proves rights to a single system.
use crate::Portal;
use crate::authenticate::authorise;
use crate::caller::{CallerKind, Rule};
use crate::form::BodyLimit;
use crate::routes::{
    account, alarm, alarm_comment, command, commissioning, company, company_invitation, customer,
    customer_code, data, energy_chart, export, forecast, grant, grant_request, graph, group,
    handover, health, image, journal, partner, partner_api, passkey, password_reset, personal_data,
    plan, price, protocol, registration, replace, savings, security_txt, session, setting_batch,
    setting_template, settings, site, stream, systems, tariff, totp, unit, update,
};
use axum::middleware::from_fn_with_state;
use axum::{Extension, Router};
use domain::company::CompanyRight;
use domain::grant::Right::{
    self, Acknowledge, Command, Commission, Configure, Describe, ManageGrants, ManageHousehold,
    Replace, SeeMoney, SeeSettings, SetMoney, Update, View,
};
use domain::partner::PartnerScope;
use utoipa::openapi::{OpenApi, PathItem};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

const GUEST: &[CallerKind] = &[CallerKind::Guest];
const OWNER: &[CallerKind] = &[CallerKind::Owner];
const KEYS: &[CallerKind] = &[CallerKind::Owner, CallerKind::Unlinked];
const PEOPLE: &[CallerKind] = &[CallerKind::Owner, CallerKind::Electrician];
const ELECTRICIAN: &[CallerKind] = &[CallerKind::Electrician];
/// The roles that have these rights are listed in `crates/domain/src/company.rs`.
const COMPANY: &[CallerKind] = &[CallerKind::Company(CompanyRight::ManageCompany)];
const ACCESS: &[CallerKind] = &[CallerKind::Company(CompanyRight::ManageAccess)];
const OWNER_OR_ACCESS: &[CallerKind] = &[
    CallerKind::Owner,
    CallerKind::Company(CompanyRight::ManageAccess),
];
const ENROL: &[CallerKind] = &[
    CallerKind::Owner,
    CallerKind::Electrician,
    CallerKind::Unenrolled,
];
const SYSTEMS: &[CallerKind] = &[
    CallerKind::Owner,
    CallerKind::Unlinked,
    CallerKind::Electrician,
];
const EVERYBODY: &[CallerKind] = &[
    CallerKind::Owner,
    CallerKind::Unlinked,
    CallerKind::Electrician,
    CallerKind::Unenrolled,
];
const PARTNER_SYSTEMS: &[CallerKind] = &[CallerKind::Partner(PartnerScope::Systems)];
const PARTNER_LIVE: &[CallerKind] = &[CallerKind::Partner(PartnerScope::Live)];
const BATTERY: &[CallerKind] = &[CallerKind::Battery];

/// One row: a handler with its method and path, and who may call it.
struct RouteRow {
    handler: UtoipaMethodRouter<Portal>,
    rule: Rule,
}

const fn route(handler: UtoipaMethodRouter<Portal>, callers: &'static [CallerKind]) -> RouteRow {
    let rule = Rule {
        callers,
        right: None,
    };
    RouteRow { handler, rule }
}

/// A route about the systems at which the caller has this right.
const fn systems_route(
    handler: UtoipaMethodRouter<Portal>,
    callers: &'static [CallerKind],
    right: Right,
) -> RouteRow {
    let rule = Rule {
        callers,
        right: Some(right),
    };
    RouteRow { handler, rule }
}

/// Served by the portal only.
fn portal_rows() -> Vec<RouteRow> {
    vec![
        route(routes!(session::log_in), GUEST),
        route(routes!(passkey::ask), GUEST),
        route(routes!(passkey::log_in), GUEST),
        route(routes!(session::refresh), GUEST),
        // Authenticated by the session's access token, or by its refresh token if the access token has expired.
        route(routes!(session::log_out), GUEST),
        route(routes!(registration::register), GUEST),
        route(routes!(registration::confirm), GUEST),
        // Authenticated by the token in the answer to the registration.
        route(routes!(registration::claims), GUEST),
        route(routes!(password_reset::ask), GUEST),
        route(routes!(password_reset::confirm), GUEST),
        route(routes!(account::show), EVERYBODY),
        route(routes!(account::change), PEOPLE),
        route(routes!(personal_data::delete), EVERYBODY),
        route(routes!(personal_data::export), EVERYBODY),
        route(routes!(account::confirm_email), GUEST),
        route(routes!(totp::begin), ENROL),
        route(routes!(totp::end), PEOPLE),
        route(routes!(totp::confirm), ENROL),
        route(routes!(totp::renew_recovery_codes), PEOPLE),
        route(routes!(passkey::begin), ENROL),
        route(routes!(passkey::add), ENROL),
        route(routes!(passkey::rename), PEOPLE),
        route(routes!(passkey::remove), PEOPLE),
        route(routes!(company::show), COMPANY),
        route(routes!(company::invite), COMPANY),
        route(routes!(company::withdraw), COMPANY),
        route(routes!(company::set_role), COMPANY),
        route(routes!(company::remove), COMPANY),
        // Authenticated by the mailed token.
        route(routes!(company_invitation::open), GUEST),
        route(routes!(company_invitation::join), GUEST),
        systems_route(routes!(systems::list), SYSTEMS, View),
        route(routes!(systems::add), KEYS),
        route(routes!(systems::claims), KEYS),
        systems_route(routes!(systems::unlink), OWNER, ManageHousehold),
        systems_route(routes!(unit::list), PEOPLE, View),
        systems_route(routes!(site::show), PEOPLE, View),
        systems_route(routes!(site::describe), PEOPLE, Describe),
        systems_route(routes!(customer::show), ELECTRICIAN, View),
        systems_route(routes!(customer::save), ELECTRICIAN, View),
        systems_route(routes!(customer::add_photo), ELECTRICIAN, View),
        systems_route(routes!(customer::show_photo), ELECTRICIAN, View),
        systems_route(routes!(customer::delete_photo), ELECTRICIAN, View),
        systems_route(routes!(replace::replace), PEOPLE, Replace),
        systems_route(routes!(data::data), PEOPLE, View),
        systems_route(routes!(stream::open), PEOPLE, View),
        systems_route(routes!(graph::graph), PEOPLE, View),
        systems_route(routes!(energy_chart::energy_chart), PEOPLE, View),
        systems_route(routes!(export::samples), PEOPLE, View),
        systems_route(routes!(group::list), PEOPLE, View),
        systems_route(routes!(group::create), PEOPLE, View),
        systems_route(routes!(group::change), PEOPLE, View),
        route(routes!(group::delete), PEOPLE),
        systems_route(routes!(tariff::list), OWNER, SeeMoney),
        systems_route(routes!(tariff::set), OWNER, SetMoney),
        systems_route(routes!(price::list), OWNER, SeeMoney),
        systems_route(routes!(price::set), OWNER, SetMoney),
        systems_route(routes!(savings::savings), OWNER, SeeMoney),
        systems_route(routes!(forecast::forecast), PEOPLE, View),
        // The plan's reasons contain costs and savings.
        systems_route(routes!(plan::show), OWNER, SeeMoney),
        systems_route(routes!(plan::change), OWNER, Configure),
        systems_route(routes!(settings::show), PEOPLE, SeeSettings),
        systems_route(routes!(settings::save), PEOPLE, Configure),
        systems_route(routes!(settings::reset), PEOPLE, Configure),
        systems_route(routes!(setting_batch::list), ELECTRICIAN, Configure),
        systems_route(routes!(setting_batch::save), ELECTRICIAN, Configure),
        systems_route(routes!(setting_batch::undo_batch), ELECTRICIAN, Configure),
        route(routes!(setting_template::list), ELECTRICIAN),
        route(routes!(setting_template::create), ELECTRICIAN),
        route(routes!(setting_template::change), ELECTRICIAN),
        route(routes!(setting_template::delete), ELECTRICIAN),
        systems_route(routes!(command::give), PEOPLE, Command),
        route(routes!(command::show), PEOPLE),
        systems_route(routes!(journal::journal), PEOPLE, View),
        systems_route(routes!(alarm::list), PEOPLE, View),
        systems_route(routes!(alarm::acknowledge), PEOPLE, Acknowledge),
        systems_route(routes!(alarm_comment::comment), PEOPLE, Acknowledge),
        systems_route(routes!(alarm_comment::dismiss), PEOPLE, Acknowledge),
        route(routes!(alarm::choose_mail), PEOPLE),
        systems_route(routes!(grant::list), PEOPLE, View),
        systems_route(routes!(grant::invite), OWNER, ManageGrants),
        systems_route(routes!(grant::give), OWNER, ManageGrants),
        systems_route(routes!(grant::end), OWNER_OR_ACCESS, View),
        route(routes!(grant_request::accept), ACCESS),
        route(routes!(grant_request::ask), ACCESS),
        // Used on site, to commission the units that the company got the code for.
        route(routes!(grant_request::enter_code), ELECTRICIAN),
        systems_route(routes!(handover::offer), OWNER, ManageHousehold),
        route(routes!(handover::withdraw), OWNER),
        systems_route(routes!(commissioning::show), ELECTRICIAN, Commission),
        systems_route(routes!(commissioning::begin), ELECTRICIAN, Commission),
        systems_route(routes!(commissioning::cancel), ELECTRICIAN, Commission),
        systems_route(routes!(commissioning::step), ELECTRICIAN, Commission),
        systems_route(routes!(commissioning::phase), ELECTRICIAN, Commission),
        systems_route(routes!(commissioning::finish), ELECTRICIAN, Commission),
        systems_route(routes!(protocol::list), PEOPLE, View),
        systems_route(routes!(protocol::show), PEOPLE, View),
        systems_route(routes!(protocol::print), PEOPLE, View),
        systems_route(routes!(customer_code::issue), ELECTRICIAN, Commission),
        systems_route(routes!(customer_code::withdraw), ELECTRICIAN, Commission),
        systems_route(routes!(customer_code::print), ELECTRICIAN, Commission),
        systems_route(routes!(customer_code::mail), ELECTRICIAN, Commission),
        route(routes!(partner::list), OWNER),
        route(routes!(partner::consent), OWNER),
        route(routes!(partner::end), OWNER),
        route(routes!(partner::client), GUEST),
        route(routes!(partner_api::token), GUEST),
        route(routes!(partner_api::systems), PARTNER_SYSTEMS),
        route(routes!(partner_api::live), PARTNER_LIVE),
        route(routes!(health::metrics), GUEST),
        route(routes!(health::config), GUEST),
        route(routes!(security_txt::security_txt), GUEST),
    ]
}

/// Served by the portal and by the update service.
fn shared_rows() -> Vec<RouteRow> {
    vec![
        route(routes!(health::alive), GUEST),
        route(routes!(health::ready), GUEST),
        systems_route(routes!(update::has_update), PEOPLE, View),
        systems_route(routes!(update::start), PEOPLE, Update),
        systems_route(routes!(update::history), PEOPLE, View),
    ]
}

/// Served by the update service only.
fn update_service_rows() -> Vec<RouteRow> {
    vec![route(routes!(image::image), BATTERY)]
}

fn all_rows() -> impl Iterator<Item = RouteRow> {
    let rows = [portal_rows(), shared_rows(), update_service_rows()];
    rows.into_iter().flatten()
}

/// The portal's routes, each behind its rule.
pub(crate) fn portal_routes(portal: &Portal) -> Router<Portal> {
    guarded([portal_rows(), shared_rows()], portal)
}

/// The update service's routes, each behind its rule.
pub(crate) fn update_service_routes(portal: &Portal) -> Router<Portal> {
    guarded([shared_rows(), update_service_rows()], portal)
}

fn guarded(rows: [Vec<RouteRow>; 2], portal: &Portal) -> Router<Portal> {
    let rows = rows.into_iter().flatten();
    let router = rows.fold(
        OpenApiRouter::new(),
        |router, RouteRow { handler, rule }| {
            let guard = from_fn_with_state((portal.clone(), rule), authorise);
            let limit = match rule.admits_guests() {
                true => BodyLimit::GUESTS,
                false => BodyLimit::PEOPLE,
            };
            router.routes(handler.map(|methods| methods.route_layer(guard).layer(Extension(limit))))
        },
    );
    router.into()
}

/// Adds every route to an OpenAPI document, completed by its rule: one for both listeners.
pub(crate) fn describe(document: OpenApi, complete: fn(&mut PathItem, &Rule)) -> OpenApi {
    let router = OpenApiRouter::with_openapi(document);
    let router = all_rows().fold(router, |router, RouteRow { mut handler, rule }| {
        let paths = handler.1.paths.values_mut();
        paths.for_each(|item| complete(item, &rule));
        router.routes(handler)
    });
    router.into_openapi()
}

/// Method, path and right of every row, for the tests that walk all of them.
pub fn rights() -> Vec<(&'static str, String, Option<Right>)> {
    let of_row = |row: RouteRow| {
        let paths = row.handler.1.paths.into_iter();
        paths.map(move |(path, item)| (method(&item), path, row.rule.right))
    };
    all_rows().flat_map(of_row).collect()
}

fn method(item: &PathItem) -> &'static str {
    match item {
        PathItem { get: Some(_), .. } => "GET",
        PathItem { post: Some(_), .. } => "POST",
        PathItem { patch: Some(_), .. } => "PATCH",
        PathItem {
            delete: Some(_), ..
        } => "DELETE",
        _ => "another method",
    }
}
