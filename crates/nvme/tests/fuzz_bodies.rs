//! The body of the fuzz target in `crates/fuzz/` on made-up inputs, so that it compiles and holds
//! without a fuzzer.
#![allow(unreachable_pub, dead_code, clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[path = "../../fuzz/src/input.rs"]
mod input;
#[path = "../../fuzz/src/nvme.rs"]
mod nvme;
#[path = "common/mod.rs"]
mod nvme_host;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

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
