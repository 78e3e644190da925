//! The indirection unit: writes below it are read, changed and written.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report};

fn filled() -> ReplayOptions {
    ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() }
}

fn with_unit(bytes: &str, workload: &str) -> Report {
    run(&drive(&[("ftl.indirection_unit_bytes", bytes)]), workload, &filled())
}

#[test]
fn a_write_below_the_unit_reads_it_and_programs_all_of_its_pages() {
    let report = with_unit("16384", "uniform:requests=10000,size=4KiB");
    assert_eq!(report.pages_programmed.host, 4 * 10_000);
    assert_eq!(report.pages_read.read_modify_write, 4 * 10_000);
    let amplification = report.amplification.write_amplification.unwrap();
    let moved = report.pages_programmed.moved as f64 / 10_000.0;
    assert!((amplification - 4.0 - moved).abs() < 1e-9, "{amplification} {moved}");
    // The least that is written is the unit, whatever part of it.
    assert!(moved > 0.0);
}

#[test]
fn writes_of_whole_units_go_as_on_flash_with_pages_of_that_size() {
    let workload = "uniform:requests=20000,size=16KiB";
    let wide = with_unit("16384", workload);
    let large =
        run(&drive(&[("flash.page_bytes", "16384"), ("flash.pages_per_block", "16")]), workload, &filled());
    assert_eq!(wide.pages_read.read_modify_write, 0);
    assert_eq!(wide.moves.pages_moved, large.moves.pages_moved);
    assert_eq!(wide.wear.flash_erased_bytes, large.wear.flash_erased_bytes);
    assert_eq!(wide.pages_programmed.host, 4 * large.pages_programmed.host);
}

#[test]
fn a_unit_of_one_page_is_the_drive_without_the_key() {
    let workload = "uniform:requests=20000";
    let (given, plain) = (with_unit("4096", workload), run(&drive(&[]), workload, &filled()));
    assert_eq!(
        (given.moves.pages_moved, given.wear.flash_erased_bytes),
        (plain.moves.pages_moved, plain.wear.flash_erased_bytes)
    );
}

#[test]
fn units_that_flash_or_scheme_cannot_have_are_refused() {
    let refused = |settings: &[(&str, &str)]| {
        let mut all = vec![("ftl.indirection_unit_bytes", "16384")];
        all.extend_from_slice(settings);
        let settings: Vec<_> = all.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        Drive::from_toml(crate::common::SMALL, "small", &settings)
            .and_then(|drive| drive.derived().map(|_| drive))
            .unwrap_err()
            .to_string()
    };
    assert!(refused(&[("ftl.indirection_unit_bytes", "6000")]).contains("a multiple of flash.page_bytes"));
    assert!(refused(&[("ftl.indirection_unit_bytes", "65536")]).contains("at most 12"));
    assert!(
        refused(&[("reuse.scheme", "wom-v"), ("reuse.data_bits", "3")]).contains("reuse.scheme = \"none\"")
    );
    assert!(refused(&[("flash.medium", "stored")]).contains("\"modelled\""));
}
