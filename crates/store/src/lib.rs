//! Everything that is kept. The only crate that knows SQL; one file per noun.
// The export is one JSON object with a list for each table.
#![recursion_limit = "256"]

#[macro_use]
mod db;

pub mod access;
pub mod account;
pub mod alarm;
pub mod backup;
pub mod claim;
pub mod code;
pub mod command;
pub mod commissioning;
mod database_file;
pub mod device;
pub mod end_user;
mod entered;
pub mod event;
pub mod export;
pub mod firmware;
pub mod grant;
pub mod group;
pub mod guard;
pub mod handover;
mod hidden;
mod in_force;
pub mod journal;
pub mod key;
mod keyring;
mod link_pulse;
pub mod mail;
pub mod mail_link;
mod migrations;
pub mod notify;
pub mod order;
pub mod partner;
pub mod planning;
pub mod presence;
pub mod registration;
pub mod reject;
pub mod replace;
pub mod report;
pub mod savings;
mod secret;
pub mod secret_keys;
pub mod server_clock;
pub mod session;
pub mod setting;
pub mod site;
pub mod source;
pub mod system;
pub mod tariff;
pub mod telemetry;
pub mod totp;
mod unit;

pub use access::Access;
pub use database_file::{DatabaseFile, DatabaseLock, FileError};
pub use db::{Error, Result, Store};
pub use keyring::{Keyring, Purpose};
pub use secret::{Secret, WeakSecret};
