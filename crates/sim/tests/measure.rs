//! The figures that lead a report: physical, and the same for every scheme and geometry.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run, run_with_content};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, Report};

/// Schemes beside those of the presets: codes of changing rate, records of the
/// layer's own, rewrites.
const SCHEMES: &[&[(&str, &str)]] = &[
    &[],
    &[
        ("ftl.summary_pages", "true"),
        ("ftl.wear_levelling.scheme", "static"),
        ("ftl.wear_levelling.spread", "2"),
    ],
    &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "3"), ("ftl.erase_unit", "drive")],
    &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "1"), ("reuse.reopen", "in-place")],
    &[("reuse.scheme", "coset"), ("reuse.rate", "0.75"), ("ftl.erase_unit", "drive")],
    &[("reuse.scheme", "second-write")],
    &[("flash.bits_per_cell", "2"), ("flash.page_order", "paired"), ("reuse.scheme", "seal")],
    &[("recycle.scheme", "lx"), ("recycle.entries", "5000")],
    &[("ftl.write_buffer.scheme", "lru"), ("ftl.write_buffer.pages", "300")],
];

/// With these times a plane is busy for as many nanoseconds as it programmed pages: the array
/// counts for itself.
const COUNTING_TIMES: [(&str, &str); 3] =
    [("flash.timing.read_ns", "[0]"), ("flash.timing.program_ns", "[1]"), ("flash.timing.erase_ns", "0")];

fn filled() -> ReplayOptions {
    ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() }
}

fn check_amplification(name: &str, report: &Report) {
    let flash = report.drive.configuration.coded_flash().unwrap();
    // A page of a code may take more cells, and longer.
    let programs = report.busy_ns.as_ref().unwrap().planes.iter().sum::<u64>() / flash.timing.program_ns[0];
    let programmed = programs * u64::from(flash.page_bytes);
    let host = report.host.host_bytes_written;
    let amplification = &report.amplification;
    let (cells, data) =
        (amplification.write_amplification.unwrap(), amplification.write_amplification_of_data.unwrap());
    assert!(report.cleaning.garbage_collections > 0, "{name}: nothing was cleaned");
    assert!(
        (cells - programmed as f64 / host as f64).abs() < 1e-9,
        "{name}: {cells}, array {programmed} / {host}"
    );
    let product = data * amplification.code_expansion.unwrap();
    assert!((product / cells - 1.0).abs() < 1e-9, "{name}: {product}");
    let answered =
        report.events.writes_recycled + report.events.writes_deduplicated + report.events.writes_absorbed;
    let least = 1.0 - answered as f64 / report.host.host_pages_written as f64;
    assert!(data > least - 1e-9, "{name}: {data} of data");
}

#[test]
fn write_amplification_is_what_the_array_programmed_over_what_the_host_wrote() {
    for scheme in SCHEMES {
        let overrides: Vec<_> = scheme.iter().copied().chain(COUNTING_TIMES).collect();
        for workload in ["uniform:requests=60000", "zipf:theta=0.9,read=0.3,requests=80000"] {
            let report = run_with_content(&drive(&overrides), workload, &filled());
            check_amplification(&format!("{scheme:?} {workload}"), &report);
        }
    }
}

#[test]
fn write_amplification_of_every_preset_is_that_of_its_array() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets");
    let mut presets: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    presets.sort();
    assert!(presets.len() >= 18);
    for path in presets {
        let text = std::fs::read_to_string(&path).unwrap();
        let small = [
            ("flash.channels", "2"),
            ("flash.dies_per_channel", "1"),
            ("flash.blocks_per_plane", "48"),
            ("flash.pages_per_block", "32"),
            ("flash.timing.channel_mb_per_s", "0"),
            ("ftl.over_provisioning", "0.4"),
            // Programs are counted by their time: every page has one of its own, and all last as long.
            ("flash.pages_per_program", "1"),
            ("ftl.slc_cache.scheme", "none"),
        ];
        let overrides: Vec<_> = small
            .iter()
            .chain(&COUNTING_TIMES)
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .collect();
        let drive = Drive::from_toml(&text, "preset", &overrides).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        check_amplification(&name, &run_with_content(&drive, "uniform:requests=40000", &filled()));
    }
}

/// The drive of `presets/qlc.toml`, a sixteenth of it.
fn qlc(overrides: &[(&str, &str)]) -> Report {
    qlc_under("uniform:requests=60000,page_bytes=4096", overrides)
}

fn qlc_under(workload: &str, overrides: &[(&str, &str)]) -> Report {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../presets/qlc.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let small = [("flash.channels", "2"), ("flash.dies_per_channel", "1")];
    let overrides: Vec<_> =
        small.iter().chain(overrides).map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let drive = Drive::from_toml(&text, "qlc", &overrides).unwrap();
    run(&drive, workload, &filled())
}

#[test]
fn two_geometries_of_one_drive_have_the_same_figures() {
    // Half the planes with blocks of twice the pages: the same superblocks.
    let (narrow, wide) = (qlc(&[]), qlc(&[("flash.planes_per_die", "1"), ("flash.pages_per_block", "64")]));
    assert!((wide.cleaning.erases as f64 / narrow.cleaning.erases as f64) < 0.51);
    let figures = |report: &Report| {
        [
            report.wear.flash_erased_bytes as f64,
            report.wear.flash_erased_per_byte.unwrap(),
            report.wear.pe_cycles.mean,
            f64::from(report.wear.pe_cycles.most),
            report.amplification.write_amplification.unwrap(),
            report.long_run.as_ref().unwrap().flash_erased_per_byte,
            report.life.as_ref().unwrap().tbw_bytes as f64,
        ]
    };
    for (narrow, wide) in figures(&narrow).into_iter().zip(figures(&wide)) {
        assert!((wide / narrow - 1.0).abs() < 0.01, "{narrow} and {wide}");
    }
}

#[test]
fn two_geometries_with_as_much_spare_flash_for_cleaning_wear_alike() {
    // 274 superblocks less the one kept free are as much as 547 of half the size less one, and both
    // drives export the same.
    let exported = |report: &Report| {
        let derived = |key| report.drive.derived.iter().find(|item| item.key == key).unwrap().value.as_u64();
        derived("exported_bytes").unwrap() as f64
    };
    let over_provisioning = (274.0 * 64.0 / (547.0 * 32.0 / 1.28) - 1.0).to_string();
    let fine = [("flash.blocks_per_plane", "547"), ("ftl.over_provisioning", "0.28")];
    let coarse = [
        ("flash.pages_per_block", "64"),
        ("flash.blocks_per_plane", "274"),
        ("ftl.over_provisioning", over_provisioning.as_str()),
    ];
    let workload = "uniform:requests=250000,page_bytes=4096";
    let (fine, coarse) = (qlc_under(workload, &fine), qlc_under(workload, &coarse));
    assert!((exported(&coarse) / exported(&fine) - 1.0).abs() < 1e-4);
    assert!((coarse.cleaning.erases as f64 / fine.cleaning.erases as f64) < 0.52);
    let figures = |report: &Report| {
        let long_run = report.long_run.as_ref().unwrap();
        [
            report.wear.flash_erased_bytes as f64,
            report.wear.flash_erased_per_byte.unwrap(),
            report.wear.pe_cycles.mean,
            report.amplification.write_amplification.unwrap(),
            long_run.flash_erased_per_byte,
            report.life.as_ref().unwrap().tbw_bytes as f64,
        ]
    };
    for (fine, coarse) in figures(&fine).into_iter().zip(figures(&coarse)) {
        println!("{fine} and {coarse}: {}", coarse / fine - 1.0);
    }
    for (fine, coarse) in figures(&fine).into_iter().zip(figures(&coarse)) {
        assert!((coarse / fine - 1.0).abs() < 0.01, "{fine} and {coarse}");
    }
}

#[test]
fn where_larger_blocks_move_more_all_figures_say_so_alike() {
    // Superblocks of twice the size leave cleaning half as many spare ones: this drive does wear
    // more.
    let (fine, coarse) =
        (qlc(&[]), qlc(&[("flash.pages_per_block", "64"), ("flash.blocks_per_plane", "69")]));
    assert!(coarse.cleaning.erases < fine.cleaning.erases);
    let change = |figure: fn(&Report) -> f64| figure(&coarse) / figure(&fine);
    let amplification = change(|report| report.amplification.write_amplification.unwrap());
    assert!(amplification > 1.05, "{amplification}");
    let erased = change(|report| report.wear.flash_erased_per_byte.unwrap());
    // There is 0.7% more flash to spread it over.
    let cycles = change(|report| report.wear.pe_cycles.mean) * (69.0 * 64.0) / (137.0 * 32.0);
    for figure in [erased, cycles] {
        assert!((figure / amplification - 1.0).abs() < 0.01, "{figure} and {amplification}");
    }
}

#[test]
fn a_run_too_short_to_tell_says_how_long_it_would_have_to_be() {
    let plain = drive(&[]);
    let requests = |requests: u64| run(&plain, &format!("uniform:requests={requests}"), &filled());
    let short = requests(3_000);
    let needed = short.too_short.unwrap();
    assert!(!needed.because.is_empty());
    let factor = needed.host_bytes_needed.unwrap() as f64 / short.host.host_bytes_written as f64;
    let long = requests((3_000.0 * factor) as u64);
    assert!(long.wear.pe_cycles.mean >= 2.0 && long.too_short.is_none(), "{:?}", long.too_short);
    assert!(long.long_run.unwrap().steady);
}

#[test]
fn a_run_until_steady_goes_on_until_it_is() {
    use rewear_sim::options::Settled;
    let options = ReplayOptions { until: Some(Settled::Steady), ..ReplayOptions::default() };
    let report = run(&drive(&[]), "hot-cold:hot=0.2,hits=0.8,requests=25000", &options);
    assert!(report.replay.passes > 1 && report.too_short.is_none());
    let long_run = report.long_run.unwrap();
    assert!(long_run.steady && long_run.drift.unwrap().abs() <= 0.02 && long_run.pe_cycles >= 2.0);
    // The first writes went to an empty drive.
    assert!(long_run.flash_erased_per_byte > report.wear.flash_erased_per_byte.unwrap());
    let passes = report.replay.passes;
    let whole = ReplayOptions { loops: passes as u32, ..ReplayOptions::default() };
    let again = run(&drive(&[]), "hot-cold:hot=0.2,hits=0.8,requests=25000", &whole);
    assert_eq!(again.wear.flash_erased_bytes, report.wear.flash_erased_bytes);
    // Passes over a made-up workload are parts of one long one: draws that came back would leave
    // pages alone that chance has left out of the first pass.
    let spec = format!("hot-cold:hot=0.2,hits=0.8,requests={}", 25_000 * passes);
    let long = run(&drive(&[]), &spec, &ReplayOptions::default());
    assert_eq!(long.wear.flash_erased_bytes, report.wear.flash_erased_bytes);
}
