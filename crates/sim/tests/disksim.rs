//! The `disksim` drive against figures that DiskSim 4.0 with Microsoft's SSD extension gave for the same device and workload.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, replay};
use rewear_trace::Defaults;

/// 8 elements of 512 blocks of 127 pages and a summary page, 8 KB, 75 us / 750 us / 3.8 ms, reserve 28%, cleaning at 5%,
/// greedy, copyback, starting full; a million uniform random writes below page 370,000, one every 1.5 ms.
#[test]
fn cleans_moves_and_response_time_agree_with_disksim() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../drives/disksim.toml");
    let drive = Drive::from_toml(&std::fs::read_to_string(path).unwrap(), "disksim", &[]).unwrap();
    let exported = drive.derived().unwrap().into_iter().find(|item| item.key == "exported_pages").unwrap();
    assert_eq!(exported.value, 373_888);
    let defaults = Defaults { page_bytes: 8192, ..Defaults::default() };
    let spec = "uniform:pages=370000,requests=1000000,arrival=fixed,rate=666.66666667";
    let mut workload = rewear_trace::workload(spec, &defaults).unwrap();
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let report = replay(&drive, &mut workload, &options, &mut |_| true).unwrap();
    let within = |what: &str, measured: f64, expected: f64, tolerance: f64| {
        let deviation = measured / expected - 1.0;
        println!("{what}: {measured:.3}, DiskSim {expected}, {:+.2}%", deviation * 100.0);
        assert!(deviation.abs() < tolerance, "{what}");
    };
    within("cleans", report.cleaning.garbage_collections as f64, 15_689.0, 0.02);
    within("pages moved", report.moves.pages_moved as f64, 1_111_129.0, 0.02);
    within("mean write response in ms", report.latency_ns.write.unwrap().mean / 1e6, 4.483, 0.05);
}
