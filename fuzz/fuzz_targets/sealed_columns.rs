//! Sealed days and other packed columns.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| telemetry::fuzz::sealed_columns(input));
