//! The bodies of the fuzz targets in `crates/fuzz/` on a few made-up inputs, so that they compile
//! and hold without a fuzzer.
#![allow(unreachable_pub, dead_code, missing_docs)] // they are public for the fuzzer
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // the fuzzer's own form

#[path = "../../fuzz/bodies/compact.rs"]
mod compact;
#[path = "../../fuzz/bodies/configuration.rs"]
mod configuration;
#[path = "../../fuzz/bodies/ecc.rs"]
mod ecc;
#[path = "../../fuzz/bodies/edits.rs"]
mod edits;
#[path = "../../fuzz/bodies/input.rs"]
mod input;
#[path = "../../fuzz/bodies/live.rs"]
mod live;
#[path = "../../fuzz/bodies/nvme.rs"]
mod nvme;
#[path = "../../nvme/tests/common/mod.rs"]
mod nvme_host;
#[path = "../../fuzz/bodies/traces.rs"]
mod traces;
#[path = "../../fuzz/bodies/wom.rs"]
mod wom;
#[path = "../../fuzz/bodies/workloads.rs"]
mod workloads;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const RUNS: usize = 600;
const LONGEST_BYTES: usize = 2000;
const TEXT: &[u8] = b"0123456789,;. \n\nRWread";

/// Runs `body` on random bytes of many lengths: as drawn, mostly zeros, and digits with separators.
fn run(body: fn(&[u8])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..RUNS {
        let mut input = vec![0; round * LONGEST_BYTES / RUNS];
        rng.fill_bytes(&mut input);
        match round % 3 {
            0 => {}
            1 => input.iter_mut().skip(8).for_each(|byte| *byte &= if *byte < 224 { 0 } else { 0xff }),
            _ => input.iter_mut().skip(2).for_each(|byte| *byte = TEXT[usize::from(*byte) % TEXT.len()]),
        }
        body(&input);
    }
}

/// A test for each body.
macro_rules! bodies {
    ($($module:ident: $($body:ident)*;)*) => {
        $($(
            #[test]
            fn $body() {
                run($module::$body);
            }
        )*)*
    };
}

bodies! {
    compact: compact_columns;
    configuration: drive_file set;
    ecc: bch_decode ldpc_decode sensing;
    live: live_requests;
    traces: open_trace compact_blocks;
    wom: polar_page_read polar_second_write polar_decode wom_v coset rivest_shamir flip_n_write;
    workloads: workload_spec stand_in_profile;
}

/// `REWEAR_NVME_UNITS` takes as many units.
#[test]
fn nvme_units() {
    let wanted: u64 = std::env::var("REWEAR_NVME_UNITS").map_or(50_000, |text| text.parse().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut input = vec![0; 512];
    let (mut units, mut inputs) = (0, 0);
    while units < wanted {
        rng.fill_bytes(&mut input);
        units += nvme::nvme_units(&input);
        inputs += 1;
    }
    println!("{units} units in {inputs} inputs");
    assert!(units > 2 * inputs, "most units are right, so that others follow");
}

#[test]
fn requests_before_damaged_columns_are_checked_as_all_are() {
    // A request of a volume without a name, and columns that end behind it.
    traces::compact_blocks(&[
        3, 0, 1, 0, 42, 16, 42, 41, 0, 0, 16, 0, 0, 25, 255, 255, 188, 0, 255, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4,
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 56, 4, 80, 80, 80, 80, 80, 80, 80, 80,
        80, 80, 176, 175, 251, 251, 4, 45, 4,
    ]);
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
