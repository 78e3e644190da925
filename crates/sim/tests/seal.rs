//! The benchmark of extended P/E cycles (Margaglia and Brinkmann, MSST '15, section V) on the drive
//! of the paper.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::CompactWriter;
use rewear_trace::{Defaults, OpenOptions, Source};

const BENCHMARK: &str = "overwrite-regions:region=0.05,skew=0.8,dataset_pages=196608,writes=393216";

fn preset(name: &str, overrides: &[(&str, &str)]) -> Drive {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../presets/{name}.toml"));
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Drive::from_toml(&std::fs::read_to_string(path).unwrap(), name, &overrides).unwrap()
}

fn openssd(overrides: &[(&str, &str)]) -> Drive {
    preset("openssd", overrides)
}

fn run(drive: &Drive, source: &mut dyn Source) -> Report {
    let report = replay(drive, source, &ReplayOptions::default(), &mut |_| true).unwrap();
    assert!(report.complete);
    report
}

fn benchmark(drive: &Drive) -> Report {
    benchmark_of(drive, BENCHMARK)
}

fn benchmark_of(drive: &Drive, spec: &str) -> Report {
    let defaults = Defaults { page_bytes: 32768, ..Defaults::default() };
    run(drive, &mut *rewear_trace::workload(spec, &defaults).unwrap())
}

/// Skew and region of the benchmark, and what the firmware that the authors released counts when
/// it is compiled for a host: erases of the baseline and of seal. It has 73 blocks a bank.
const FIRMWARE: [(f64, f64, u64, u64); 5] = [
    (0.40, 0.05, 4608, 3859),
    (0.60, 0.05, 4704, 4729),
    (0.60, 0.15, 4341, 4576),
    (0.80, 0.05, 3712, 554),
    (0.80, 0.25, 3776, 2791),
];

/// Largest deviation at a point. The firmware draws its requests itself, from another generator.
const OF_FIRMWARE: f64 = 0.05;

#[test]
fn the_released_firmware_erases_as_much_point_by_point() {
    let baseline = preset("openssd-73", &[]);
    let seal = preset("openssd-73", &[("reuse.scheme", "seal"), ("reuse.victims", "seal")]);
    for (skew, region, of_baseline, of_seal) in FIRMWARE {
        let spec =
            format!("overwrite-regions:dataset_pages=196608,writes=393216,skew={skew},region={region}");
        for (scheme, drive, expected) in [("baseline", &baseline, of_baseline), ("seal", &seal, of_seal)] {
            let erases = benchmark_of(drive, &spec).cleaning.erases;
            let deviation = erases as f64 / expected as f64 - 1.0;
            println!(
                "skew {skew}, region {region}, {scheme}: {erases}, firmware {expected}: {deviation:+.3}"
            );
            assert!(
                deviation.abs() < OF_FIRMWARE,
                "skew {skew}, region {region}, {scheme}: {erases} erases, the firmware {expected}"
            );
        }
    }
}

#[test]
fn a_region_of_five_percent_under_a_skew_of_eighty_saves_four_of_five_erases() {
    let plain = benchmark(&openssd(&[]));
    let seal = benchmark(&openssd(&[("reuse.scheme", "seal")]));
    assert_eq!(plain.cleaning.garbage_collections, plain.cleaning.erases, "erased in cleaning only");
    assert_eq!((plain.events.overwrites, plain.cleaning.reprograms, plain.cleaning.seals), (0, 0, 0));
    let relative = seal.cleaning.erases as f64 / plain.cleaning.erases as f64;
    println!(
        "{} erases instead of {}: {relative:.3}; the paper: 0.15",
        seal.cleaning.erases, plain.cleaning.erases
    );
    assert!((0.10..0.20).contains(&relative));
    // Every overwrite is programmed in place or not, and most are.
    assert!(
        seal.cleaning.reprograms < seal.events.overwrites
            && seal.cleaning.reprograms > seal.events.overwrites * 3 / 4
    );
    let latency = |report: &Report| report.latency_ns.write.as_ref().unwrap().mean;
    assert!(latency(&seal) < latency(&plain));
}

#[test]
fn the_same_writes_as_a_compact_trace_give_the_same_counts() {
    let defaults = Defaults { page_bytes: 32768, ..Defaults::default() };
    let spec = "overwrite-regions:region=0.2,skew=0.6,dataset_pages=196608,writes=200000";
    let mut workload = rewear_trace::workload(spec, &defaults).unwrap();
    let folder = std::env::temp_dir().join(format!("rewear-seal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("benchmark.rwt");
    let mut writer = CompactWriter::new(std::fs::File::create(&path).unwrap(), spec, 0).unwrap();
    writer.copy(&mut *workload).unwrap();
    writer.finish().unwrap();
    let mut trace = rewear_trace::open(&path, &OpenOptions::default()).unwrap();
    workload.rewind().unwrap();
    let drive = openssd(&[("reuse.scheme", "seal")]);
    let counts = |report: &Report| {
        let programmed = &report.pages_programmed;
        (
            (
                report.host.host_pages_written,
                report.events.overwrites,
                report.cleaning.reprograms,
                report.cleaning.seals,
                report.cleaning.erases,
            ),
            (programmed.host, programmed.moved, programmed.metadata, report.pages_read.metadata),
        )
    };
    let replay = |source: &mut dyn Source| {
        let options = ReplayOptions {
            arrival: Some(rewear_sim::options::ArrivalKind::Closed),
            ..ReplayOptions::default()
        };
        counts(&rewear_sim::replay(&drive, source, &options, &mut |_| true).unwrap())
    };
    let (of_workload, of_trace) = (replay(&mut *workload), replay(&mut *trace));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(of_workload, of_trace);
    assert!(of_workload.0.4 > 0);
}
