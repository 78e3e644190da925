//! Uniform random page writes on drives with WOM-v codes against the plain drive on the same flash:
//! physical page writes per second of the whole replay, in turn in the same process; the medians
//! are compared.
//!
//! Prints one JSON object a line: name, value, unit, compared_with, ratio.

mod timed;

use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions};
use rewear_trace::Defaults;
use timed::{median, timed};

const DRIVE: &str = r#"
    name = "bench"
    [flash]
    channels = 4
    dies_per_channel = 2
    planes_per_die = 1
    blocks_per_plane = 512
    pages_per_block = 128
    page_bytes = 4096
    bits_per_cell = 4
    timing = { read_ns = [50_000], program_ns = [1_000_000], erase_ns = 3_000_000 }
    [ftl]
    over_provisioning = 0.28
    erase_unit = "drive"
"#;

const MODES: &[(&str, &[(&str, &str)])] = &[
    ("plain", &[]),
    ("base", &[("reuse.data_bits", "2")]),
    ("no_read", &[("reuse.data_bits", "2"), ("reuse.no_read", "true")]),
    ("gc_opt", &[("reuse.data_bits", "2"), ("reuse.reopen", "in-place")]),
    ("gc_opt_no_read", &[("reuse.data_bits", "2"), ("reuse.reopen", "in-place"), ("reuse.no_read", "true")]),
];

const ROUNDS: usize = 3;
const WRITES: u64 = 2_000_000;

fn main() {
    let mut rates = vec![Vec::new(); MODES.len()];
    for _ in 0..ROUNDS {
        for (rates, (_, settings)) in rates.iter_mut().zip(MODES) {
            rates.push(pages_per_second(settings));
        }
    }
    let medians: Vec<f64> = rates.into_iter().map(median).collect();
    for ((name, _), rate) in MODES.iter().zip(&medians).skip(1) {
        println!(
            r#"{{"name": "wom_v_writes_{name}", "value": {rate:.0}, "unit": "flash pages/s", "compared_with": "plain drive ({:.0}/s)", "ratio": {:.3}}}"#,
            medians[0],
            rate / medians[0]
        );
    }
}

fn pages_per_second(settings: &[(&str, &str)]) -> f64 {
    let scheme = (!settings.is_empty()).then_some(("reuse.scheme", "wom-v"));
    let overrides: Vec<_> = scheme
        .iter()
        .chain(settings)
        .map(|(key, value)| ((*key).to_string(), (*value).to_string()))
        .collect();
    let drive = Drive::from_toml(DRIVE, "bench", &overrides).expect("a valid drive");
    let derived = drive.derived().expect("a valid drive");
    let value = |key| derived.iter().find(|item| item.key == key).and_then(|item| item.value.as_u64());
    let defaults = Defaults {
        pages: value("exported_pages").expect("a number of pages"),
        page_bytes: value("logical_page_bytes").expect("a size"),
        requests: WRITES,
        seed: 7,
    };
    let mut workload = rewear_trace::workload("uniform", &defaults).expect("a valid workload");
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let timed = timed(&drive, &mut workload, &options);
    timed.report.pages_programmed.total as f64 * timed.share / timed.seconds
}
