//! The whole product: the real binary, and simulated batteries on the real link.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod backup;
mod command_line;
mod demo;
mod durability;
mod fleet;
mod obey;
mod orders;
mod plan;
mod roles;
mod secret;
mod server;
mod storm;
mod update;
