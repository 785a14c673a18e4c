//! Tests the rules that browser and server share against the tables in `cases`.
//! One binary for all modules, because linking is the main cost of test binaries.
#![allow(clippy::unwrap_used)]

mod setting_cases;
mod validation_cases;
