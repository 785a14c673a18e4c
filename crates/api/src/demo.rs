//! Routes of `suncellar demo` only: the mails that would have been sent, switches and plugs of the batteries, and an adjustable
//! clock.

mod battery_controls;
mod fake_services;
mod page;
mod state;
mod weather;

pub use fake_services::fake_services;
pub use state::{BatteryControls, DemoBattery, DemoState, ManualAction, SentMail};
pub use weather::SunForecast;

use crate::Portal;
use crate::error::{Error, Result};
use crate::form::{Form, Query};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use domain::{Message, Serial};
use page::page;
use serde::Deserialize;

pub(crate) fn routes() -> Router<Portal> {
    Router::new()
        .route("/demo/demo.css", get(style))
        .route("/demo/mail/", get(mail_page))
        .route("/demo/mail.json", get(mail_list))
        .route("/demo/partner/", get(partner_page))
        .route("/demo/switch/", post(turn_switch))
        .route("/demo/cellar/", get(battery_controls::show))
        .route("/demo/batteries.json", get(battery_controls::list))
        .route(
            "/demo/main-switch/",
            post(battery_controls::set_main_switch),
        )
        .route(
            "/demo/switch-pattern/",
            post(battery_controls::perform_pattern),
        )
        .route("/demo/power/", post(battery_controls::set_plug))
        .route("/demo/appliance/", post(battery_controls::appliance))
        .route("/demo/bad-cell/", post(battery_controls::set_bad_cell))
        .route("/demo/clock/", post(move_clock))
}

async fn style() -> impl IntoResponse {
    (
        [(CONTENT_TYPE, "text/css; charset=utf-8")],
        include_str!("demo/demo.css"),
    )
}

async fn mail_list(State(portal): State<Portal>) -> Json<Vec<SentMail>> {
    Json(
        portal
            .demo
            .as_ref()
            .map(|demo| demo.mails())
            .unwrap_or_default(),
    )
}

async fn mail_page(State(portal): State<Portal>) -> Result<Response> {
    let mails = portal
        .demo
        .as_ref()
        .map(|demo| demo.mails())
        .unwrap_or_default();
    let mails: Vec<_> = mails.into_iter().map(parts).collect();
    page(
        include_str!("demo/mail.html"),
        minijinja::context! { mails },
    )
}

#[derive(Deserialize)]
struct PartnerRedirect {
    #[serde(default)]
    code: String,
    #[serde(default)]
    error: String,
    #[serde(default)]
    state: String,
}

/// Replaces the partner app that the browser returns to.
async fn partner_page(Query(query): Query<PartnerRedirect>) -> Result<Response> {
    let PartnerRedirect { code, error, state } = query;
    page(
        include_str!("demo/partner.html"),
        minijinja::context! { code, error, state },
    )
}

/// Separates the link of a mail from its text, so that the page can make it clickable.
fn parts(mail: SentMail) -> minijinja::Value {
    let link = mail
        .text
        .lines()
        .find(|line| line.starts_with("http"))
        .unwrap_or_default()
        .to_owned();
    let lines: Vec<_> = mail
        .text
        .lines()
        .filter(|line| *line != link)
        .map(str::to_owned)
        .collect();
    minijinja::context! { to => mail.to, subject => mail.subject, text => lines.join("\n"), link }
}

#[derive(Deserialize)]
struct Switch {
    #[serde(default)]
    sn: String,
}

/// Makes the portal believe that the pattern was performed at a main switch, even for a battery that is not part of the demo.
async fn turn_switch(State(portal): State<Portal>, Form(form): Form<Switch>) -> Result<StatusCode> {
    let sn: Serial = form
        .sn
        .parse()
        .map_err(|message| Error::field("sn", message))?;
    portal
        .store
        .report_switch_cycle(&sn, portal.now(), portal.now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct Advance {
    advance_ms: i64,
}

async fn move_clock(State(portal): State<Portal>, Form(form): Form<Advance>) -> Result<StatusCode> {
    if form.advance_ms < 0 {
        return Err(Error::field("advance_ms", Message::InvalidForm));
    }
    portal.clock.advance(form.advance_ms);
    Ok(StatusCode::NO_CONTENT)
}
