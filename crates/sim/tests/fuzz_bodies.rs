//! The bodies of the fuzz targets in `crates/fuzz/` on a few made-up inputs, so that they compile
//! and hold without a fuzzer.
#![allow(unreachable_pub, dead_code)] // they are public for the fuzzer, and each test uses a part

#[path = "../../fuzz/src/configuration.rs"]
mod configuration;
#[path = "../../fuzz/src/edits.rs"]
mod edits;
#[path = "../../fuzz/src/input.rs"]
mod input;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Runs `body` on random bytes of many lengths.
fn run(body: fn(&[u8])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..300 {
        let mut input = vec![0; round];
        rng.fill_bytes(&mut input);
        body(&input);
    }
}

#[test]
fn drive_file() {
    run(configuration::drive_file);
}

#[test]
fn set() {
    run(configuration::set);
}

/// Thresholds beyond every pool, which a fuzzer found.
#[test]
fn any_threshold_of_cleaning_is_refused_with_a_remedy() {
    for value in ["1e300", "1.0", "4294967295"] {
        let settings = [("ftl.gc_threshold".to_owned(), value.to_owned())];
        let error = rewear_sim::Drive::from_toml(configuration::PRESETS[0], "drive.toml", &settings);
        assert!(error.is_err(), "a threshold of {value}");
    }
}
