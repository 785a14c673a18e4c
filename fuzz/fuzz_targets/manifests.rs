//! Manifests and assignments of firmware.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| service::fuzz::manifests(input));
