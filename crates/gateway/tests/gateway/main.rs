//! The device link over MQTT, on real sockets and both databases.
//! One binary for all modules, because linking is the cost of test binaries.
#![allow(clippy::unwrap_used)]

mod acknowledge;
mod clients;
mod connection_loss;
mod many_at_once;
mod operator;
mod outage;
mod quota;
mod refusals;
mod reports;
mod several_processes;
mod six_processes;
mod tls;
