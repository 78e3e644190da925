//! Mapping units that share a page of the chip: what is moved stays as it was, times and energies
//! are those of the page.
#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report};

const ENERGY: [(&str, &str); 4] = [
    ("flash.energy.read_nj", "[1_000]"),
    ("flash.energy.program_nj", "[10_000, 20_000, 30_000, 40_000]"),
    ("flash.energy.erase_nj", "500_000"),
    ("flash.energy.source", "a test"),
];

fn with(units: &str, more: &[(&str, &str)]) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let settings = [ENERGY.as_slice(), &[("flash.pages_per_program", units)], more].concat();
    run(&drive(&settings), "uniform:requests=40000,read=0.2", &options)
}

fn counts(report: &Report) -> (u64, u64, u64, u64) {
    (
        report.pages_programmed.host,
        report.pages_programmed.moved,
        report.pages_read.host,
        report.wear.flash_erased_bytes,
    )
}

#[test]
fn four_units_of_a_page_take_one_program_and_its_energy() {
    for more in [&[][..], &[("ftl.slc_cache.scheme", "static"), ("ftl.slc_cache.share", "0.05")]] {
        let (single, shared) = (with("1", more), with("4", more));
        assert_eq!(counts(&single), counts(&shared));
        assert!(single.pages_programmed.moved > 0 && single.cleaning.erases > 0);
        let programs = |report: &Report| report.energy_j.as_ref().unwrap().host_programs;
        assert!((programs(&single) - 4.0 * programs(&shared)).abs() < 1e-9 * programs(&single));
        assert!(shared.mean_response_ns.unwrap() < single.mean_response_ns.unwrap() / 2.0);
    }
}

#[test]
fn planes_are_busy_for_every_page_of_the_chip_once() {
    // Ten times all exported pages in order: nothing is moved or read.
    let [single, shared] = ["1", "4"].map(|units| {
        let drive = drive(&[("flash.pages_per_program", units)]);
        run(&drive, "sequential:requests=131072", &ReplayOptions::default())
    });
    let busy = |report: &Report| report.busy_ns.as_ref().unwrap().planes.iter().sum::<u64>();
    assert_eq!((single.moves.pages_moved, shared.moves.pages_moved), (0, 0));
    let erases = single.cleaning.erases * 3_000_000;
    assert_eq!(single.cleaning.erases, shared.cleaning.erases);
    assert_eq!(busy(&single) - erases, 4 * (busy(&shared) - erases));
}

#[test]
fn what_programs_units_one_by_one_is_refused() {
    let refused = |settings: &[(&str, &str)]| {
        let mut all = vec![("flash.pages_per_program", "4")];
        all.extend_from_slice(settings);
        let settings: Vec<_> = all.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        Drive::from_toml(crate::common::SMALL, "small", &settings)
            .and_then(|drive| drive.derived().map(|_| drive))
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&[("reuse.scheme", "wom-v"), ("reuse.data_bits", "3")]).contains("reuse.scheme"));
    assert!(refused(&[("ftl.indirection_unit_bytes", "16384")]).contains("ftl.indirection_unit_bytes"));
    let mlc = [
        ("flash.bits_per_cell", "2"),
        ("flash.timing.read_ns", "[50_000]"),
        ("flash.timing.program_ns", "[500_000]"),
        ("effort.scheme", "agcr"),
    ];
    assert!(refused(&mlc).contains("effort.scheme = \"uniform\""));
    let cache = [("ftl.slc_cache.scheme", "static"), ("flash.pages_per_block", "40")];
    assert!(refused(&cache).contains("blocks of the cache"));
}
