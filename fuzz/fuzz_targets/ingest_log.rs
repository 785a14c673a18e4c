//! Rows of the sample log.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| telemetry::fuzz::ingest_log(input));
