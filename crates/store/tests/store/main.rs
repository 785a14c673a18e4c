//! What is kept, on both databases.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod backup;
mod code;
mod device;
mod mail;
mod presence;
mod secret_keys;
mod telemetry;
mod telemetry_model;
mod telemetry_sealing;
mod telemetry_world;
