#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rewear_fuzz::wom::coset(input));
