//! The link to the batteries over MQTT, on real sockets and both databases.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod acknowledge;
mod clients;
mod outage;
mod refusals;
mod reports;
mod several_processes;
mod tls;
