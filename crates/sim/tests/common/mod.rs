//! Small drives and short runs for the tests of this crate.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::Defaults;

/// Four planes of MLC, 64 blocks each.
pub(crate) const SMALL: &str = r#"
name = "small"
[flash]
channels = 2
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 64
page_bytes = 4096
bits_per_cell = 4
[flash.timing]
read_ns = [50_000, 60_000, 70_000, 80_000]
program_ns = [500_000, 900_000, 1_300_000, 1_700_000]
erase_ns = 3_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.25
"#;

pub(crate) fn drive(overrides: &[(&str, &str)]) -> Drive {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Drive::from_toml(SMALL, "small", &overrides).unwrap()
}

pub(crate) fn run(drive: &Drive, workload: &str, options: &ReplayOptions) -> Report {
    let exported = drive.derived().unwrap();
    let value = |key| exported.iter().find(|item| item.key == key).unwrap().value.as_u64().unwrap();
    let defaults = Defaults {
        pages: value("exported_pages"),
        page_bytes: value("logical_page_bytes"),
        requests: 100_000,
        seed: 1,
    };
    let mut source = rewear_trace::workload(workload, &defaults).unwrap();
    replay(drive, &mut source, options, &mut |_| true).unwrap()
}
