//! The energy of a replay: what the counts say, and nothing where no figures are given.
#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::{drive, run};
use rewear_sim::ReplayOptions;

const ENERGY: [(&str, &str); 4] = [
    ("flash.energy.read_nj", "[1_000]"),
    ("flash.energy.program_nj", "[10_000, 20_000, 30_000, 40_000]"),
    ("flash.energy.erase_nj", "500_000"),
    ("flash.energy.source", "a test"),
];

#[test]
fn energy_follows_from_the_counts() {
    let report = run(&drive(&ENERGY), "uniform:requests=200000,read=0.3", &ReplayOptions::default());
    let energy = report.energy_j.unwrap();
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.abs();
    let (read, programmed) = (&report.pages_read, &report.pages_programmed);
    assert!(report.cleaning.erases > 0 && programmed.moved > 0 && read.host > 0);
    // The mean of the four kinds of pages is 25 uJ.
    assert!(near(energy.host_programs, programmed.host as f64 * 25e-6));
    assert!(near(energy.host_reads, read.host as f64 * 1e-6));
    assert!(near(energy.moved, programmed.moved as f64 * 25e-6 + read.moved as f64 * 1e-6));
    assert!(near(energy.erases, report.cleaning.erases as f64 * 500e-6));
    let parts = energy.host_programs + energy.host_reads + energy.moved + energy.erases;
    assert!(near(
        energy.total,
        parts + energy.rewritten + energy.read_modify_write + energy.before_write + energy.metadata
    ));
    assert!(report.notes.iter().any(|note| note.contains("estimate") && note.contains("a test")));
}

#[test]
fn without_figures_nothing_is_estimated_and_nothing_else_changes() {
    let options = ReplayOptions::default();
    let (with, without) = (
        run(&drive(&ENERGY), "uniform:requests=5000", &options),
        run(&drive(&[]), "uniform:requests=5000", &options),
    );
    assert!(without.energy_j.is_none());
    assert!(!without.notes.iter().any(|note| note.contains("Energy")));
    assert_eq!(
        (with.simulated_ns, with.pages_programmed.total),
        (without.simulated_ns, without.pages_programmed.total)
    );
}

#[test]
fn a_wrong_figure_is_refused_when_the_drive_is_read() {
    let mut overrides: Vec<_> =
        ENERGY.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    overrides[1].1 = "[1, 2]".to_string();
    let error =
        rewear_sim::Drive::from_toml(crate::common::SMALL, "small", &overrides).unwrap_err().to_string();
    assert!(error.contains("flash.energy.program_nj"), "{error}");
}

#[test]
fn the_order_of_pages_moves_times_and_not_their_sum() {
    let mlc = [
        ("flash.bits_per_cell", "2"),
        ("flash.timing.read_ns", "[50_000]"),
        ("flash.timing.program_ns", "[500_000, 1_500_000]"),
    ];
    let paired = [mlc.as_slice(), &[("flash.page_order", "paired")]].concat();
    let options = ReplayOptions::default();
    // 4 planes of 64 pages: whole blocks.
    let blocks = "sequential:requests=2560";
    let (one, other) = (run(&drive(&mlc), blocks, &options), run(&drive(&paired), blocks, &options));
    assert_eq!(one.busy_ns.as_ref().unwrap().planes, other.busy_ns.as_ref().unwrap().planes);
    // The first two pages of a block are low in the paired order.
    let begun = "sequential:requests=8";
    let (one, other) = (run(&drive(&mlc), begun, &options), run(&drive(&paired), begun, &options));
    assert_eq!(one.busy_ns.as_ref().unwrap().planes.iter().sum::<u64>(), 4 * (500_000 + 1_500_000));
    assert_eq!(other.busy_ns.as_ref().unwrap().planes.iter().sum::<u64>(), 4 * (500_000 + 500_000));
}

#[test]
fn other_modes_take_energy_by_their_time_if_that_is_asked_for() {
    let base = [
        ENERGY.as_slice(),
        &[
            ("flash.timing.read_ns", "[50_000]"),
            ("flash.timing.program_ns", "[1_000_000]"),
            ("effort.scheme", "differentiated-ecc"),
            ("effort.low_cost_program_ns", "[500_000]"),
            ("effort.low_cost_read_ns", "[150_000]"),
            ("effort.rewrite", "idle"),
        ],
    ]
    .concat();
    let by_time = [base.as_slice(), &[("flash.energy.modes", "by-time")]].concat();
    let (workload, options) =
        ("zipf:requests=100000,read=0.5,arrival=poisson,rate=200", ReplayOptions::default());
    let report = run(&drive(&by_time), workload, &options);
    let (with, without) =
        (report.energy_j.unwrap(), run(&drive(&base), workload, &options).energy_j.unwrap());
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-9 * other.abs();

    let [normal, low] = ["normal", "low-cost"].map(|name| {
        let modes = &report.effort.as_ref().unwrap().modes;
        modes.iter().find(|mode| mode.mode == name).unwrap().counts
    });
    assert!(normal.host_writes > 0 && low.host_writes > 0 && low.host_reads > 0 && low.moved > 0);
    // Programs in half the time take half of 25 uJ; reads in three times the time three times 1 uJ.
    assert!(near(with.host_programs, (normal.host_writes as f64 + low.host_writes as f64 / 2.0) * 25e-6));
    assert!(near(with.host_reads, (normal.host_reads as f64 + low.host_reads as f64 * 3.0) * 1e-6));
    let moved_reads = normal.moved_from as f64 + low.moved_from as f64 * 3.0;
    assert!(near(with.moved, (normal.moved as f64 + low.moved as f64 / 2.0) * 25e-6 + moved_reads * 1e-6));
    // Only low-cost pages are rewritten, in the normal mode.
    assert_eq!((normal.rewritten_from, low.rewritten_from), (0, normal.rewrites));
    assert!(normal.rewrites > 0);
    assert!(near(with.rewritten, normal.rewrites as f64 * 25e-6 + report.pages_read.rewritten as f64 * 3e-6));
    assert!(near(with.erases, without.erases));
    assert!(report.notes.iter().any(|note| note.contains("in proportion to their time")));
}
