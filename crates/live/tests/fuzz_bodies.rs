//! The body of the fuzz target in `crates/fuzz/` on made-up inputs, so that it compiles and holds
//! without a fuzzer.
#![allow(unreachable_pub, dead_code, clippy::expect_used, clippy::panic)] // the fuzzer's own form

#[path = "../../fuzz/src/input.rs"]
mod input;
#[path = "../../fuzz/src/live.rs"]
mod live;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

#[test]
fn live_requests() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for round in 0..600 {
        let mut input = vec![0; round * 2];
        rng.fill_bytes(&mut input);
        live::live_requests(&input);
    }
}
