//! HTTP: the portal's calls and the web app on one listener, the update service on another. The only crate that depends on axum.

mod assets;
mod authenticate;
mod caller;
mod caller_systems;
mod chart;
mod claim;
pub mod client;
mod command;
mod commissioning;
mod confirmation_mail;
mod csv;
mod demo;
mod error;
mod flag_sets;
mod form;
#[cfg(any(test, fuzzing))]
pub mod fuzz;
mod grant;
mod guard;
mod headers;
mod host;
mod image_cache;
mod known_browser;
mod limits;
mod live;
mod login;
mod metrics;
mod number;
mod openapi;
mod own_account;
mod parameter;
mod passkey;
mod password;
mod path;
mod period;
mod photo;
mod plan_text;
mod protocol;
mod route_table;
mod router;
mod routes;
mod second_factor;
mod serve;
mod session_slots;
mod settings;
mod sliding_window;
mod state;
mod status;
mod token;
mod update;
mod update_names;
mod update_service;
mod write_timeout;

pub use demo::{
    BatteryControls, DemoBattery, DemoState, ManualAction, SentMail, SunForecast, fake_services,
};
pub use openapi::openapi;
pub use password::{Busy, Lane, Passwords};
pub use route_table::rights;
pub use router::portal;
pub use serve::{Tls, serve};
pub use state::{Links, Portal, PortalConfig, StreamOptions};
pub use status::status;
pub use token::Tokens;
pub use update_service::update_service;
