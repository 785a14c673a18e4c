//! The store on both databases. One binary for all modules, because linking is the main cost of test binaries.
#![allow(clippy::unwrap_used)]

mod backup;
mod code;
mod company;
mod connections;
mod device;
mod device_login;
mod job_lease;
mod limited_attempts;
mod mail;
mod old_rows;
mod presence;
mod secret_keys;
mod telemetry;
mod telemetry_fixture;
mod telemetry_log;
mod telemetry_model;
mod telemetry_months;
mod telemetry_objects;
mod telemetry_sealing;
