//! Prices and weather from outside, replayed by local servers.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod prices;
mod rules;
mod weather;
