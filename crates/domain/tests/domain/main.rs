//! The rules that browser and server share, held to the tables of cases in `cases`.
//! One binary for all modules: linking is what test binaries cost.
#![allow(clippy::unwrap_used)]

mod setting_cases;
mod validation_cases;
