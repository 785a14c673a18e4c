//! The messages of a battery.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| gateway::fuzz::payloads(input));
