//! Scheduled jobs, with a clock that the tests control.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod mail;
mod planning;
mod retention;
mod sharing;
mod smtp_server;
mod sources;
mod weather;
