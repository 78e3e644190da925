//! Small live drives with every scheme.
#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

use rewear_ftl::DriveConfig;
use rewear_live::LiveOptions;
use rewear_sim::Drive;

/// 2 MiB of flash in all, of which about a half is exported, so that cleaning begins soon.
const SMALL: &str = r#"
name = "small"
[flash]
channels = 2
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 16
pages_per_block = 16
page_bytes = 2048
bits_per_cell = 4
medium = "stored"
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 2_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.9
"#;

/// A scheme and the settings that make it.
pub type Scheme = (&'static str, &'static [(&'static str, &'static str)]);

/// Traces tell contents of pages of 4 KiB, so recycling is replayed exactly where the drive has
/// such pages.
pub const SCHEMES: &[Scheme] = &[
    ("plain", &[]),
    ("plain, static", &[("ftl.striping", "static-die"), ("flash.blocks_per_plane", "18")]),
    (
        "buffered",
        &[
            ("ftl.write_buffer.scheme", "lru"),
            ("ftl.write_buffer.pages", "16"),
            ("ftl.write_buffer.survives_power_loss", "false"),
        ],
    ),
    ("early cleaning", &[("ftl.background.scheme", "each-request")]),
    (
        "wom-v",
        &[
            ("reuse.scheme", "wom-v"),
            ("reuse.data_bits", "2"),
            ("reuse.reopen", "in-place"),
            ("reuse.ecc_check", "pre"),
        ],
    ),
    ("wom-v, no read", &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "2"), ("reuse.no_read", "true")]),
    ("coset", &[("reuse.scheme", "coset"), ("reuse.rate", "0.8")]),
    (
        "second-write",
        &[
            ("reuse.scheme", "second-write"),
            ("reuse.guard", "none"),
            ("flash.bits_per_cell", "1"),
            ("flash.page_bytes", "4096"),
        ],
    ),
    ("fingerprints", &[("recycle.scheme", "lx"), ("flash.page_bytes", "4096")]),
    ("differentiated-ecc", &[("effort.scheme", "differentiated-ecc"), ("flash.bits_per_cell", "2")]),
    (
        "seal",
        &[
            ("flash.bits_per_cell", "2"),
            ("flash.timing.read_ns", "[50000, 60000]"),
            ("flash.timing.program_ns", "[500000, 900000]"),
            ("flash.page_order", "paired"),
            ("reuse.scheme", "seal"),
        ],
    ),
    ("agcr", &[("effort.scheme", "agcr"), ("flash.bits_per_cell", "2")]),
];

/// The configuration of a scheme on the small drive, with further settings.
pub fn config((name, settings): Scheme, more: &[(&str, &str)]) -> DriveConfig {
    let owned: Vec<_> =
        settings.iter().chain(more).map(|(key, value)| ((*key).to_string(), (*value).to_string())).collect();
    match Drive::from_toml(SMALL, name, &owned) {
        Ok(drive) => drive.configuration().clone(),
        Err(error) => panic!("{name}: {error}"),
    }
}

pub fn options(scheme: Scheme) -> LiveOptions {
    LiveOptions::new(config(scheme, &[]))
}

/// Bytes that follow from a number.
pub fn fill(seed: u64, bytes: &mut [u8]) {
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(seed);
    rng.fill_bytes(bytes);
}
