//! What the planes of drives of all erase units are kept busy with.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use rewear_sim::options::{ArrivalKind, PreconditionKind};
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::Defaults;

/// Uniform writes in a closed loop on the drive `qlc` with fewer blocks.
fn report(erase_unit: &str, striping: &str, queue_depth: u32) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/qlc.toml");
    let settings =
        [("ftl.erase_unit", erase_unit), ("ftl.striping", striping), ("flash.blocks_per_plane", "48")];
    let settings = settings.map(|(key, value)| (key.to_string(), value.to_string()));
    let drive = Drive::from_toml(&std::fs::read_to_string(path).unwrap(), "qlc", &settings).unwrap();
    let exported = drive.derived().unwrap().into_iter().find(|item| item.key == "exported_pages").unwrap();
    let pages = exported.value.as_u64().unwrap();
    let mut workload =
        rewear_trace::workload("uniform:requests=100000", &Defaults { pages, ..Defaults::default() })
            .unwrap();
    let options = ReplayOptions {
        precondition: PreconditionKind::Fill,
        arrival: Some(ArrivalKind::Closed),
        queue_depth,
        ..ReplayOptions::default()
    };
    replay(&drive, &mut workload, &options, &mut |_| true).unwrap()
}

/// Writes go round the pools whatever they hold, so the drive is as fast as the pool with the most
/// work.
fn busiest(report: &Report) -> f64 {
    *report.busy_ns.as_ref().unwrap().planes.iter().max().unwrap() as f64
        / report.simulated_ns.unwrap() as f64
}

#[test]
fn superblocks_keep_all_planes_busy() {
    let [few, many] = [64, 512].map(|queue_depth| report("drive", "dynamic", queue_depth));
    println!(
        "planes busy: {:.3} and {:.3}",
        few.utilisation.as_ref().unwrap().planes,
        many.utilisation.as_ref().unwrap().planes
    );
    assert!(
        few.utilisation.as_ref().unwrap().planes > 0.9 && many.utilisation.as_ref().unwrap().planes > 0.9
    );
    assert_eq!(few.cleaning.erases, many.cleaning.erases);
}

#[test]
fn the_busiest_pool_of_dies_and_of_blocks_is_kept_busy() {
    for erase_unit in ["die", "block"] {
        let report = report(erase_unit, "dynamic", 512);
        println!(
            "{erase_unit}: the busiest plane {:.3}, all {:.3}",
            busiest(&report),
            report.utilisation.as_ref().unwrap().planes
        );
        assert!(busiest(&report) > 0.9, "{erase_unit}");
    }
}

#[test]
fn pools_that_hold_as_much_keep_all_planes_busy() {
    for erase_unit in ["die", "block"] {
        let [round, balanced] = ["dynamic", "balanced"].map(|striping| report(erase_unit, striping, 512));
        let busy = |report: &Report| report.utilisation.as_ref().unwrap().planes;
        let rate =
            |report: &Report| report.host.host_bytes_written as f64 / report.simulated_ns.unwrap() as f64;
        println!("{erase_unit}: planes busy {:.3}, balanced {:.3}", busy(&round), busy(&balanced));
        // What planes allow is the rate had all of them been busy. A plane of a drive of blocks
        // stays behind for as long as it cleans one alone.
        assert!(busy(&balanced) > if erase_unit == "die" { 0.9 } else { 0.75 }, "{erase_unit}");
        assert!(rate(&balanced) > 1.05 * rate(&round), "{erase_unit}");
        // Nothing is paid for it in wear.
        let erased = balanced.wear.flash_erased_bytes as f64 / round.wear.flash_erased_bytes as f64;
        assert!(erased < 1.01, "{erase_unit}: {erased}");
    }
}

#[test]
fn pools_that_hold_as_much_are_as_quick_with_few_requests_in_flight() {
    for (erase_unit, queue_depth) in [("die", 8), ("die", 64), ("block", 8), ("block", 64)] {
        let [round, balanced] =
            ["dynamic", "balanced"].map(|striping| report(erase_unit, striping, queue_depth));
        let rate =
            |report: &Report| report.host.host_bytes_written as f64 / report.simulated_ns.unwrap() as f64;
        let ratio = rate(&balanced) / rate(&round);
        println!("{erase_unit}, {queue_depth} in flight: balanced {ratio:.3} of dynamic");
        assert!(ratio > 0.98, "{erase_unit}, {queue_depth}: {ratio}");
    }
}
