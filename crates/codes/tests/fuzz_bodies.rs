//! The bodies of the fuzz targets in `crates/fuzz/` on a few made-up inputs, so that they compile
//! and hold without a fuzzer.
#![allow(unreachable_pub, dead_code)] // they are public for the fuzzer, and each test uses a part

#[path = "../../fuzz/src/ecc.rs"]
mod ecc;
#[path = "../../fuzz/src/input.rs"]
mod input;
#[path = "../../fuzz/src/wom.rs"]
mod wom;

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
fn polar_page_read() {
    run(wom::polar_page_read);
}

#[test]
fn polar_second_write() {
    run(wom::polar_second_write);
}

#[test]
fn polar_decode() {
    run(wom::polar_decode);
}

#[test]
fn wom_v() {
    run(wom::wom_v);
}

#[test]
fn coset() {
    run(wom::coset);
}

#[test]
fn rivest_shamir() {
    run(wom::rivest_shamir);
}

#[test]
fn flip_n_write() {
    run(wom::flip_n_write);
}

#[test]
fn bch_decode() {
    run(ecc::bch_decode);
}

#[test]
fn ldpc_decode() {
    run(ecc::ldpc_decode);
}

#[test]
fn sensing() {
    run(ecc::sensing);
}
