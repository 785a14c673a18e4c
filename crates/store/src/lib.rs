//! Everything that is kept. The only crate that knows SQL; one file per noun.

#[macro_use]
mod db;

pub mod access;
pub mod account;
pub mod claim;
pub mod code;
pub mod command;
pub mod device;
mod entered;
pub mod event;
pub mod export;
pub mod group;
pub mod guard;
mod hidden;
pub mod journal;
pub mod key;
mod keyring;
pub mod mail;
pub mod mail_link;
mod migrations;
pub mod notify;
pub mod order;
pub mod partner;
pub mod presence;
pub mod registration;
pub mod reject;
pub mod report;
pub mod savings;
pub mod session;
pub mod setting;
pub mod system;
pub mod tariff;
pub mod telemetry;

pub use access::Access;
pub use db::{Error, Result, Store};
pub use keyring::{Keyring, Purpose, WeakSecret};
