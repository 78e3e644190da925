//! Measurements against published formulas.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::ReplayOptions;
use rewear_sim::options::PreconditionKind;

const PAGES_PER_BLOCK: f64 = 64.0;

/// Write amplification of greedy cleaning under uniform random writes: Desnoyers, "Analytic models
/// of SSD write performance", ACM Transactions on Storage 10(2), 2014. `alpha` is physical over
/// logical capacity. For large blocks it turns into the expression of Xiang and Kurkoski (2012),
/// which depends on alpha alone.
fn greedy_write_amplification(alpha: f64, pages_per_block: f64) -> f64 {
    let correction = 1.0 + 1.0 / (2.0 * pages_per_block);
    let alpha = alpha * correction;
    // The valid fraction of a block of age "one pass over the drive": x = exp(-alpha (1 - x)), the
    // root below 1.
    let mut valid = 0.5;
    for _ in 0..10_000 {
        valid = (-alpha * (1.0 - valid)).exp();
    }
    1.0 / (1.0 - valid) / correction
}

/// Of cleaning the unit written longest ago, which is the limit of large blocks for any size:
/// Desnoyers, section 4.1.
fn cyclic_write_amplification(alpha: f64) -> f64 {
    greedy_write_amplification(alpha, 1e12)
}

#[test]
fn the_formula_gives_the_published_value() {
    // Xiang and Kurkoski: 2.36 at an over-provisioning of 0.3 in the limit of large blocks.
    assert!((greedy_write_amplification(1.3, 1e9) - 2.36).abs() < 0.005);
}

/// Write amplification of uniform writes on one plane, beside what a closed form expects.
fn compare_with(settings: &[(&str, &str)], over_provisioning: f64, requests: u64, expected: f64) {
    let spare = over_provisioning.to_string();
    let base =
        [("flash.channels", "1"), ("flash.planes_per_die", "1"), ("ftl.over_provisioning", spare.as_str())];
    let options = ReplayOptions { precondition: PreconditionKind::Steady, ..ReplayOptions::default() };
    let report = run(&drive(&[&base, settings].concat()), &format!("uniform:requests={requests}"), &options);
    let measured = report.amplification.write_amplification.unwrap();
    let deviation = measured / expected - 1.0;
    println!(
        "over-provisioning {over_provisioning}: measured {measured:.4}, closed form {expected:.4}, {:+.2}%",
        deviation * 100.0
    );
    assert!(deviation.abs() < 0.01);
}

#[test]
fn greedy_cleaning_under_uniform_writes_amplifies_as_the_closed_form_says() {
    for over_provisioning in [0.05, 0.07, 0.11, 0.15, 0.28, 0.50] {
        let expected = greedy_write_amplification(1.0 + over_provisioning, PAGES_PER_BLOCK);
        compare_with(&[("flash.blocks_per_plane", "8192")], over_provisioning, 1_500_000, expected);
    }
}

#[test]
fn cyclic_cleaning_under_uniform_writes_amplifies_as_the_closed_form_says() {
    let cyclic = [("ftl.victim.scheme", "cyclic"), ("flash.blocks_per_plane", "4096")];
    for over_provisioning in [0.11, 0.28, 0.50] {
        compare_with(
            &cyclic,
            over_provisioning,
            800_000,
            cyclic_write_amplification(1.0 + over_provisioning),
        );
    }
}
