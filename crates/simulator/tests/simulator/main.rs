//! Simulated batteries: honest in what they measure, obedient, and real on the wire.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod link;
mod physics;
mod plan;
mod settings;
mod updates;
