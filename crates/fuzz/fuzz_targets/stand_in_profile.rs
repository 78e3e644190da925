#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rewear_fuzz::workloads::stand_in_profile(input));
