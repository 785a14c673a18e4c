//! The table of devices that the operator imports.
#![no_main]

// The binary that reads it has no library.
#[path = "../../crates/suncellar/src/admin/device_table.rs"]
mod device_table;

libfuzzer_sys::fuzz_target!(|input: &[u8]| device_table::check(input));
