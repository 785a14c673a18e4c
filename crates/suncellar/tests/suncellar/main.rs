//! The whole product: the real binary, and simulated batteries on the real link.
//! All modules are in one binary, because linking is the main cost of test binaries.
#![allow(clippy::unwrap_used)]

mod abuse;
mod advisory;
mod backup;
mod certificates;
mod command_line;
mod demo;
mod device_commands;
mod drain;
mod durability;
mod first_steps;
mod fleet;
mod kills;
mod orders;
mod plan;
mod request_log;
mod roles;
mod secret;
mod server;
mod service_manager;
mod shared_options;
mod storm;
mod update;
