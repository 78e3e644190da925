//! Power that fails at any operation, for every scheme: everything flushed is there, nothing is
//! invented, and the drive works on.
#![allow(clippy::unwrap_used, missing_docs)]

mod cutting;
pub(crate) mod drives;
mod torture;
pub(crate) mod watched;

use cutting::cut_everywhere;
use rewear_ftl::DriveConfig;
use watched::workload;

/// Every operation, cut in every way.
const ALL: u64 = 1;
/// Every second operation, cut in one of four ways: searches of coset codes would take longer than
/// all other tests here. `make torture` makes every cut.
const SAMPLED: u64 = 2;

/// Cuts of a short workload; fewer steps where real codes are slow.
fn cut_short_workloads(drives: Vec<DriveConfig>, steps: usize, sampled: u64) {
    for config in drives {
        println!("{}: {:?}", config.name, cut_everywhere(&config, &workload(1, steps), sampled));
    }
}

#[test]
fn plain_drives_survive_every_cut() {
    cut_short_workloads(drives::plain(), 200, ALL);
}

#[test]
fn caches_of_cells_with_one_bit_survive_every_cut() {
    cut_short_workloads(drives::cached(), 160, ALL);
}

#[test]
fn wom_v_survives_every_cut() {
    cut_short_workloads(drives::wom_v(), 240, ALL);
}

#[test]
fn coset_codes_survive_sampled_cuts() {
    cut_short_workloads(drives::coset(), 200, SAMPLED);
}

#[test]
fn second_writes_survive_every_cut() {
    cut_short_workloads(drives::second_write(), 180, ALL);
}

#[test]
fn sealed_blocks_survive_every_cut() {
    cut_short_workloads(drives::seal(), 220, ALL);
}

#[test]
fn recycled_pages_survive_every_cut() {
    cut_short_workloads(drives::recycling(), 200, ALL);
}

#[test]
fn long_workloads_survive_sampled_cuts() {
    for config in drives::all() {
        println!("{}: {:?}", config.name, cut_everywhere(&config, &workload(2, 1200), 41));
    }
}

/// `make torture`: as many cuts as it is asked for, on all drives.
#[test]
#[ignore = "takes as long as it is asked to"]
fn many_workloads_survive_every_cut() {
    torture::run();
}
