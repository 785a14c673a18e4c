//! Everything that is kept. The only crate that knows SQL; one file per noun.

#[macro_use]
mod db;

pub mod access;
pub mod account;
pub mod claim;
pub mod code;
pub mod export;
pub mod journal;
pub mod key;
mod keyring;
pub mod mail;
pub mod mail_link;
mod migrations;
pub mod partner;
pub mod registration;
pub mod session;
pub mod system;
pub mod telemetry;

pub use access::Access;
pub use db::{Error, Result, Store};
pub use keyring::{Keyring, Purpose, WeakSecret};
