//! Coset codes as a drive uses them: writes between erases, the size of pages.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SMALL, drive, run};
use rewear_sim::{Drive, ReplayOptions, Report};

type Settings = Vec<(&'static str, &'static str)>;

fn coset(settings: &[(&'static str, &'static str)]) -> Settings {
    [("reuse.scheme", "coset")].into_iter().chain(settings.iter().copied()).collect()
}

fn replay(settings: &Settings, workload: &str) -> Report {
    let report = run(&drive(settings), workload, &ReplayOptions::default());
    assert!(report.complete, "{settings:?}: {:?}", report.stopped_because);
    report
}

/// Under sequential rewriting nothing is moved, so a unit gets exactly the writes of its pages.
#[test]
fn a_unit_is_erased_after_as_many_passes_as_the_code_has_writes() {
    for (rate, pages_of_64, writes) in [("0.857", 54, 2), ("0.75", 48, 3), ("0.6", 38, 6), ("0.5", 32, 10)] {
        for reopen in ["after-moving", "in-place-any"] {
            let unit = ("ftl.erase_unit", "drive");
            let settings = coset(&[("reuse.rate", rate), ("reuse.reopen", reopen), unit]);
            // Ten cycles: 64 units of four blocks.
            let requests = 64 * 4 * pages_of_64 * writes * 10;
            let report = replay(&settings, &format!("sequential:requests={requests}"));
            let found = report.host.host_pages_written as f64
                / (report.cleaning.erase_equivalents * pages_of_64 as f64);
            assert!((found / writes as f64 - 1.0).abs() < 0.02, "{settings:?}: {found} of {writes}");
            assert_eq!(report.moves.pages_moved, 0);
            assert_eq!(report.pages_read.before_write, report.cleaning.reprograms);
        }
    }
}

#[test]
fn a_code_of_rate_1_is_the_drive_without_a_code() {
    let plain = replay(&vec![], "hot-cold:requests=60000");
    for reopen in ["after-moving", "in-place-any"] {
        let code =
            replay(&coset(&[("reuse.rate", "1.0"), ("reuse.reopen", reopen)]), "hot-cold:requests=60000");
        assert_eq!(code.cleaning.erases, plain.cleaning.erases);
        assert_eq!(code.moves.pages_moved, plain.moves.pages_moved);
        assert_eq!(code.cleaning.reprograms, 0);
    }
}

#[test]
fn a_page_takes_more_flash_and_time_in_inverse_proportion_to_the_rate() {
    let drive = drive(&coset(&[("reuse.rate", "0.75")]));
    let shape = rewear_ftl::Shape::new(drive.configuration()).unwrap();
    assert_eq!((shape.flash.pages_per_block, shape.flash.page_bytes), (48, 5461));
    // The mean of the four kinds, and a third more.
    assert_eq!(shape.flash.timing.program_ns, [1_466_667]);
    assert_eq!(shape.flash.timing.read_ns, [86_667]);
    assert_eq!(shape.layout.logical_page_bytes, 4096);
}

#[test]
fn impossible_parameters_are_refused_with_a_remedy() {
    for (settings, key, words) in [
        (vec![("reuse.rate", "0.9")], "reuse.rate", "0.857, 0.844"),
        (vec![("reuse.rate", "0.857"), ("reuse.ecc_threshold", "0.001")], "reuse.ecc_threshold", "lower"),
        (vec![("reuse.rate", "0.857"), ("reuse.ecc_threshold", "1.5")], "reuse.ecc_threshold", "fraction"),
        (
            vec![
                ("reuse.rate", "0.5"),
                ("flash.bits_per_cell", "1"),
                ("flash.timing.read_ns", "[50000]"),
                ("flash.timing.program_ns", "[900000]"),
            ],
            "flash.bits_per_cell",
            "2, 3 or 4",
        ),
        (vec![("reuse.rate", "0.75"), ("ftl.slc_cache.scheme", "dynamic")], "ftl.slc_cache", "none"),
    ] {
        let text = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let overrides: Vec<_> = coset(&settings).iter().map(text).collect();
        let error = Drive::from_toml(SMALL, "small", &overrides).unwrap_err();
        assert!(error.key.contains(key) && error.to_string().contains(words), "{error}");
    }
}

/// 0.49% of the bits are wrong before any is misread, so a page ends earlier, or cannot be at all.
#[test]
fn what_the_code_leaves_wrong_is_charged_to_the_life_of_blocks() {
    let life = [
        ("flash.life.cycles", "1000"),
        ("flash.life.source", "\"here\""),
        ("flash.life.retention_hours", "24"),
        ("flash.life.rber", "\"tlc-72-layers\""),
    ];
    let ends = |settings: &[(&'static str, &'static str)]| {
        let all: Settings = life.iter().chain(settings).copied().collect();
        let text = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let overrides: Vec<_> = all.iter().map(text).collect();
        let drive = Drive::from_toml(SMALL, "small", &overrides)?;
        let report = run(&drive, "uniform:requests=40000", &ReplayOptions::default());
        Ok::<f64, rewear_flash::ConfigError>(report.life.unwrap().uncorrectable_cycles.unwrap())
    };
    let code = |rate| [("reuse.scheme", "coset"), ("reuse.rate", rate)];
    let plain = ends(&[]).unwrap();
    let law = rewear_flash::MeasuredRber::Tlc72Layers.law();
    let misread = |cycles| law.rber(cycles, 24.0);
    for (rate, wrong_bits) in [("0.833", 0.000_458), ("0.844", 0.001_507)] {
        let found = ends(&code(rate)).unwrap();
        let left = misread(plain) - misread(found);
        assert!((left - wrong_bits).abs() < 2e-6, "{rate}: {left} after {found} of {plain} cycles");
    }
    let refused = ends(&code("0.857")).unwrap_err();
    assert!(refused.key.ends_with("flash.life.retention_hours"), "{refused}");
}
