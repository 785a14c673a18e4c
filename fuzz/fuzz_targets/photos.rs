//! Photos that people upload.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| api::fuzz::photos(input));
