//! Simulated batteries: correct measurements, correct control, and the real device link.
//! All modules are in one binary, because linking is the main cost of test binaries.
#![allow(clippy::unwrap_used)]

mod link;
mod physics;
mod plan;
mod settings;
mod updates;
