//! The bodies of the fuzz targets in `crates/fuzz/` on a few made-up inputs, so that they compile
//! and hold without a fuzzer.
#![allow(unreachable_pub, dead_code)] // they are public for the fuzzer, and each test uses a part

#[path = "../../fuzz/src/compact.rs"]
mod compact;
#[path = "../../fuzz/src/edits.rs"]
mod edits;
#[path = "../../fuzz/src/input.rs"]
mod input;
#[path = "../../fuzz/src/traces.rs"]
mod traces;
#[path = "../../fuzz/src/workloads.rs"]
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

#[test]
fn open_trace() {
    run(traces::open_trace);
}

#[test]
fn compact_blocks() {
    run(traces::compact_blocks);
}

#[test]
fn compact_columns() {
    run(compact::compact_columns);
}

#[test]
fn requests_before_damaged_columns_are_checked_as_all_are() {
    // A request of a volume without a name, and columns that end behind it.
    traces::compact_blocks(&[
        3, 0, 1, 0, 42, 16, 42, 41, 0, 0, 16, 0, 0, 25, 255, 255, 188, 0, 255, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4,
        4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 0, 0, 0, 56, 4, 80, 80, 80, 80, 80, 80, 80, 80,
        80, 80, 176, 175, 251, 251, 4, 45, 4,
    ]);
}

#[test]
fn workload_spec() {
    run(workloads::workload_spec);
}

#[test]
fn stand_in_profile() {
    run(workloads::stand_in_profile);
}
