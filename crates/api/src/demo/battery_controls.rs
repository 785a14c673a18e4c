//! Manual controls of the demo's batteries: main switch, plug, and one cell.
use super::page::page;
use super::state::{DemoBattery, ManualAction};
use crate::Portal;
use crate::error::{Error, Result};
use crate::form::{Form, ticked};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use domain::Serial;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct ActionForm {
    #[serde(default)]
    sn: String,
    #[serde(default)]
    on: String,
    /// For an appliance.
    #[serde(default)]
    phase: String,
    /// Set if the request comes from the page, which is then shown again.
    #[serde(default)]
    from_page: String,
}

pub(super) async fn show(State(portal): State<Portal>) -> Result<Response> {
    let batteries = batteries(&portal).into_iter().map(|battery| {
        let DemoBattery {
            sn,
            powered,
            switched_on,
            faulty,
        } = battery;
        minijinja::context! { sn, powered, switched_on, faulty }
    });
    let batteries: Vec<_> = batteries.collect();
    page(
        include_str!("battery_controls.html"),
        minijinja::context! { batteries },
    )
}

pub(super) async fn list(State(portal): State<Portal>) -> Json<Vec<DemoBattery>> {
    Json(batteries(&portal))
}

pub(super) async fn set_main_switch(
    state: State<Portal>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    apply(&state, &form, ManualAction::MainSwitch(ticked(&form.on)))
}

pub(super) async fn perform_pattern(
    state: State<Portal>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    apply(&state, &form, ManualAction::SwitchPattern)
}

pub(super) async fn set_plug(
    state: State<Portal>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    apply(&state, &form, ManualAction::Plug(ticked(&form.on)))
}

/// The power of a kettle.
const KETTLE_WATTS: i32 = 2_000;

pub(super) async fn appliance(
    state: State<Portal>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    let appliance = ManualAction::Appliance {
        phase: form.phase.parse().unwrap_or(1),
        power: if ticked(&form.on) { KETTLE_WATTS } else { 0 },
    };
    apply(&state, &form, appliance)
}

pub(super) async fn set_bad_cell(
    state: State<Portal>,
    Form(form): Form<ActionForm>,
) -> Result<Response> {
    apply(&state, &form, ManualAction::BadCell(ticked(&form.on)))
}

fn batteries(portal: &Portal) -> Vec<DemoBattery> {
    let controls = portal.demo.as_ref().and_then(|demo| demo.controls.clone());
    let mut batteries = controls
        .map(|controls| controls.batteries())
        .unwrap_or_default();
    batteries.sort_by(|one, other| one.sn.cmp(&other.sn));
    batteries
}

fn apply(portal: &Portal, form: &ActionForm, action: ManualAction) -> Result<Response> {
    let sn: Serial = form
        .sn
        .parse()
        .map_err(|message| Error::field("sn", message))?;
    let controls = portal.demo.as_ref().and_then(|demo| demo.controls.clone());
    if !controls.is_some_and(|controls| controls.apply(&sn, action)) {
        return Err(Error::not_found());
    }
    Ok(match ticked(&form.from_page) {
        true => Redirect::to("/demo/cellar/").into_response(),
        false => StatusCode::NO_CONTENT.into_response(),
    })
}
