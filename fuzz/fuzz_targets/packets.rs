//! The bytes of a battery's connection.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| gateway::fuzz::packets(input));
