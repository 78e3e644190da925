//! What a report says of a cache of cells with one bit each, against counts worked out by hand.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::report::LifeEnds;
use rewear_sim::{Drive, ReplayOptions, Report};

/// Four planes of 64 blocks; of each, six are the cache, with 16 of their 64 pages.
const STATIC: [(&str, &str); 4] = [
    ("ftl.slc_cache.scheme", "static"),
    ("ftl.slc_cache.share", "0.1"),
    ("ftl.slc_cache.when_full", "fold"),
    ("flash.endurance_cycles", "1000000"),
];

fn with(settings: &[(&str, &str)]) -> Drive {
    let all: Vec<_> = STATIC.iter().chain(settings).copied().collect();
    drive(&all)
}

fn filled(drive: &Drive, workload: &str) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    run(drive, workload, &options)
}

#[test]
fn a_page_that_is_written_to_the_end_of_the_cache_and_over_again_never_leaves_it() {
    // Four planes, six blocks each, 16 pages: the cache holds 384, and 200 pages are written in turn.
    let workload = "sequential:pages=200,requests=20000";
    let options = ReplayOptions::default();
    let report = run(&with(&[]), workload, &options);
    let cache = report.slc_cache.clone().unwrap();
    assert_eq!((cache.bytes_cached, cache.bytes_direct, cache.bytes_folded), (20_000 * 4096, 0, 0));
    // Each plane takes a quarter of the pages, 16 a block. A block is erased when the seventh is
    // wanted: 5000 / 16 = 312.5 blocks are begun, and all but the last six were erased before.
    assert_eq!(cache.erases, 4 * (313 - 6));
    assert_eq!((cache.folds, cache.idle_folds, report.moves.pages_moved), (cache.erases, 0, 0));
    assert_eq!(report.amplification.write_amplification, Some(1.0));
    // The blocks of the cache alone are worn: 24 of 256, at a tenth of a cycle an erase. What was
    // measured of the second half is the same throughout, to within a block of each plane.
    let life = report.life.unwrap();
    assert_eq!(life.ends, LifeEnds::WornCache);
    let drive_bytes = 24.0 * 16.0 * 4096.0 * 1e6 / 0.1;
    let ratio = life.tbw_bytes as f64 / drive_bytes;
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}

#[test]
fn what_is_folded_is_programmed_twice_and_counts_as_moved() {
    // Every page is written once and then again: the whole drive goes through the cache.
    let report = filled(&with(&[]), "sequential:requests=40000");
    let cache = report.slc_cache.clone().unwrap();
    assert_eq!(cache.bytes_cached, 40_000 * 4096);
    let moved = report.pages_programmed.moved;
    assert!(cache.bytes_folded / 4096 <= moved && moved <= 41_000, "{moved}");
    // What lay in the cache at the start was folded, what lies there now was not.
    assert!((cache.bytes_folded / 4096).abs_diff(40_000) <= 384, "{}", cache.bytes_folded / 4096);
    assert_eq!(report.pages_programmed.total, 40_000 + moved);
    let amplification = report.amplification.write_amplification.unwrap();
    assert!((amplification - 2.0).abs() < 0.03, "{amplification}");
}

#[test]
fn a_drive_without_a_cache_says_nothing_of_one() {
    let report = filled(&drive(&[]), "uniform:requests=1000");
    assert!(report.slc_cache.is_none());
    assert!(!serde_json::to_string(&report).unwrap().contains("\"slc_cache\""));
}

#[test]
fn responses_are_those_of_the_cache_until_it_is_full() {
    // One write at a time, a second apart, without idle folds: four planes program in turn.
    let settings = [
        ("ftl.slc_cache.when_full", "direct"),
        ("ftl.slc_cache.program_ns", "200000"),
        ("ftl.slc_cache.idle_after_ns", "9000000000000"), // 2.5 hours
    ];
    let options =
        ReplayOptions { arrival: Some(rewear_sim::options::ArrivalKind::Trace), ..ReplayOptions::default() };
    let report = run(&with(&settings), "sequential:requests=384,arrival=fixed,rate=1", &options);
    // Transfers of 4 KiB at 400 MB/s take 10.24 us.
    assert_eq!(report.latency_ns.write.as_ref().unwrap().max, 200_000 + 10_240);
    let later = run(&with(&settings), "sequential:requests=385,arrival=fixed,rate=1", &options);
    assert_eq!(later.latency_ns.write.as_ref().unwrap().max, 500_000 + 10_240);
    assert_eq!(later.slc_cache.unwrap().bytes_direct, 4096);
}
