//! How long a replay at steady state takes.

use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions};
use rewear_trace::Defaults;

use crate::timed::{Timed, timed};

/// Pages of a block of the arrays that are measured.
pub(crate) const PAGES_PER_BLOCK: u32 = 128;
const OVER_PROVISIONING: f64 = 0.28;

/// The array that is written.
pub(crate) struct Array {
    pub(crate) channels: u32,
    pub(crate) dies_per_channel: u32,
    pub(crate) planes_per_die: u32,
    pub(crate) blocks_per_plane: u32,
}

impl Array {
    pub(crate) fn blocks(&self) -> u32 {
        self.channels * self.dies_per_channel * self.planes_per_die * self.blocks_per_plane
    }

    pub(crate) fn logical_pages(&self) -> u32 {
        (f64::from(self.blocks() * PAGES_PER_BLOCK) / (1.0 + OVER_PROVISIONING)) as u32
    }
}

/// Time of the replay of so many page writes on a drive with these further tables of TOML, by
/// `options` and on a drive at its steady state. Preconditioning is left out.
#[allow(dead_code)] // Others look at the report, too.
pub(crate) fn seconds(
    array: &Array,
    tables: &str,
    workload: &str,
    writes: u64,
    options: ReplayOptions,
) -> f64 {
    let timed = replayed(array, tables, &[], workload, writes, options);
    timed.seconds / timed.share
}

/// The replay of so many page writes on a drive with these further tables of TOML and other values
/// of keys, by `options` and on a drive at its steady state. Preconditioning is left out.
pub(crate) fn replayed(
    array: &Array,
    tables: &str,
    overrides: &[(&str, &str)],
    workload: &str,
    writes: u64,
    options: ReplayOptions,
) -> Timed {
    let toml = format!(
        r#"
        name = "bench"
        [flash]
        channels = {}
        dies_per_channel = {}
        planes_per_die = {}
        blocks_per_plane = {}
        pages_per_block = {PAGES_PER_BLOCK}
        page_bytes = 8192
        bits_per_cell = 2
        timing = {{ read_ns = [50_000], program_ns = [500_000, 1_000_000], erase_ns = 3_000_000, channel_mb_per_s = 400 }}
        [ftl]
        over_provisioning = {OVER_PROVISIONING}
        {tables}
        "#,
        array.channels, array.dies_per_channel, array.planes_per_die, array.blocks_per_plane
    );
    let overrides: Vec<_> =
        overrides.iter().map(|&(key, value)| (key.to_string(), value.to_string())).collect();
    let drive = Drive::from_toml(&toml, "bench", &overrides).expect("a valid drive");
    let defaults =
        Defaults { pages: u64::from(array.logical_pages()), page_bytes: 8192, requests: writes, seed: 7 };
    let mut workload = rewear_trace::workload(workload, &defaults).expect("a valid workload");
    let options = ReplayOptions { precondition: PreconditionKind::Steady, ..options };
    timed(&drive, &mut workload, &options)
}
