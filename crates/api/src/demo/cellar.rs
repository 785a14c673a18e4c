//! The cellar of the demo: the main switch, the plug and a cell of each battery, for whoever plays the owner in front of it.
use super::page;
use crate::Portal;
use crate::error::{Error, Result};
use crate::form::{Form, ticked};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use domain::Serial;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What somebody does to a battery with their hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    MainSwitch(bool),
    /// The main switch, in the pattern that a claimant is shown.
    SwitchPattern,
    /// Into the socket, or out of it.
    Plug(bool),
    /// Something in the house that draws so many W from a phase; 0 is off.
    Appliance {
        phase: u8,
        power: i32,
    },
    /// A cell goes bad, or is well again: hands could not do that.
    BadCell(bool),
}

/// A battery as it looks from the outside.
#[derive(Clone, Debug, Serialize)]
pub struct InCellar {
    pub sn: String,
    pub powered: bool,
    pub switched_on: bool,
    pub faulty: bool,
}

/// The batteries that can be touched.
pub trait Cellar: Send + Sync {
    fn batteries(&self) -> Vec<InCellar>;
    /// Whether there is such a battery.
    fn touch(&self, sn: &Serial, touch: Touch) -> bool;
}

impl fmt::Debug for dyn Cellar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cellar")
    }
}

#[derive(Deserialize)]
pub(super) struct Hand {
    #[serde(default)]
    sn: String,
    #[serde(default)]
    on: String,
    /// Of an appliance.
    #[serde(default)]
    phase: String,
    /// From the page, which wants to be seen again.
    #[serde(default)]
    from_page: String,
}

pub(super) async fn show(State(portal): State<Portal>) -> Result<Response> {
    let batteries = batteries(&portal).into_iter().map(|battery| {
        let InCellar {
            sn,
            powered,
            switched_on,
            faulty,
        } = battery;
        minijinja::context! { sn, powered, switched_on, faulty }
    });
    let batteries: Vec<_> = batteries.collect();
    page(
        include_str!("cellar.html"),
        minijinja::context! { batteries },
    )
}

pub(super) async fn list(State(portal): State<Portal>) -> Json<Vec<InCellar>> {
    Json(batteries(&portal))
}

pub(super) async fn turn(state: State<Portal>, Form(hand): Form<Hand>) -> Result<Response> {
    touch(&state, &hand, Touch::MainSwitch(ticked(&hand.on)))
}

pub(super) async fn perform_pattern(
    state: State<Portal>,
    Form(hand): Form<Hand>,
) -> Result<Response> {
    touch(&state, &hand, Touch::SwitchPattern)
}

pub(super) async fn plug(state: State<Portal>, Form(hand): Form<Hand>) -> Result<Response> {
    touch(&state, &hand, Touch::Plug(ticked(&hand.on)))
}

/// What a kettle draws.
const KETTLE: i32 = 2_000;

pub(super) async fn appliance(state: State<Portal>, Form(hand): Form<Hand>) -> Result<Response> {
    let appliance = Touch::Appliance {
        phase: hand.phase.parse().unwrap_or(1),
        power: if ticked(&hand.on) { KETTLE } else { 0 },
    };
    touch(&state, &hand, appliance)
}

pub(super) async fn spoil(state: State<Portal>, Form(hand): Form<Hand>) -> Result<Response> {
    touch(&state, &hand, Touch::BadCell(ticked(&hand.on)))
}

fn batteries(portal: &Portal) -> Vec<InCellar> {
    let cellar = portal.demo.as_ref().and_then(|demo| demo.cellar.clone());
    let mut batteries = cellar.map(|cellar| cellar.batteries()).unwrap_or_default();
    batteries.sort_by(|one, other| one.sn.cmp(&other.sn));
    batteries
}

fn touch(portal: &Portal, hand: &Hand, touch: Touch) -> Result<Response> {
    let sn: Serial = hand
        .sn
        .parse()
        .map_err(|message| Error::field("sn", message))?;
    let cellar = portal.demo.as_ref().and_then(|demo| demo.cellar.clone());
    if !cellar.is_some_and(|cellar| cellar.touch(&sn, touch)) {
        return Err(Error::not_found());
    }
    Ok(match ticked(&hand.from_page) {
        true => Redirect::to("/demo/cellar/").into_response(),
        false => StatusCode::NO_CONTENT.into_response(),
    })
}
