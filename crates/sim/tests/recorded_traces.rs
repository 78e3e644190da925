//! The project's own recording, and real traces where they are at hand: recognised and replayed to
//! the end.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use crate::common::drive;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_sim::options::FitKind;
use rewear_sim::{ReplayOptions, Report, check_separator, replay};
use rewear_trace::OpenOptions;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn replay_file(path: &Path, blocks_per_plane: &str) -> Report {
    let drive = drive(&[("flash.blocks_per_plane", blocks_per_plane)]);
    let mut source = rewear_trace::open(path, &OpenOptions::default()).unwrap();
    let options = ReplayOptions { fit: Some(FitKind::Dense), ..ReplayOptions::default() };
    replay(&drive, &mut source, &options, &mut |_| true).unwrap()
}

#[test]
fn the_recorded_day_replays_to_the_end() {
    let report = replay_file(&repository().join("recordings/day.rwt"), "1400");
    assert!(report.complete);
    assert_eq!(report.host.requests.write, 372_346);
    assert_eq!(report.host.requests.read, 91_902);
    assert_eq!(report.host.requests.trim, 30_807);
    assert_eq!(report.host.requests.flush, 62_210);
    assert!(report.cleaning.garbage_collections > 0);
}

/// Traces that are not part of the project, in the folder `REWEAR_TRACES` or `../shared/traces`
/// beside the repository.
fn real_traces() -> Vec<PathBuf> {
    let folder = std::env::var_os("REWEAR_TRACES")
        .map_or_else(|| repository().join("../shared/traces"), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: no folder {} with real traces", folder.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xz"));
    files.sort();
    files
}

#[test]
fn every_real_trace_replays_to_the_end() {
    for path in real_traces() {
        let report = replay_file(&path, "16000");
        assert!(report.complete, "{}", path.display());
        let programmed = &report.pages_programmed;
        assert_eq!(programmed.host, report.host.host_pages_written, "{}", path.display());
        assert_eq!(programmed.host + programmed.moved, programmed.total, "{}", path.display());
        assert!(report.latency_ns.write.as_ref().unwrap().mean > 0.0);
    }
}

/// Drives so small that cleaning has work, where the trace writes enough.
#[test]
fn real_traces_clean_a_small_drive_and_keep_their_counts() {
    let expected = [
        ("blkreplay_linux-webserver-2.load.xz", 148_674, 119_989, "2600"),
        ("disksim_ssd-iozone-aligned2-100K.trace.xz", 0, 100_000, "1400"),
        ("umass_Financial1_first10000.ssdsim.ascii.xz", 4_077, 5_923, "100"),
        ("msr_hm_1_revised_first5000.ssdsim.txt.xz", 1_096, 3_904, "100"),
    ];
    for path in real_traces() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some((_, reads, writes, blocks)) = expected.iter().find(|row| row.0 == name) else { continue };
        let report = replay_file(&path, blocks);
        assert!(report.complete, "{name}");
        assert_eq!((report.host.requests.read, report.host.requests.write), (*reads, *writes), "{name}");
        assert_eq!(report.cleaning.garbage_collections > 0, name.contains("iozone"), "{name}");
    }
}

/// 2 KiB of Bloom filters against exact sets of the same life, on the page of every access and on
/// pages drawn at random.
#[test]
fn the_separator_tells_the_pages_of_real_traces_apart() {
    let check = |path: &Path| {
        let mut source = rewear_trace::open(path, &OpenOptions::default()).unwrap();
        let check = check_separator(&mut source, 8192, &DifferentiatedEccConfig::default()).unwrap();
        assert_eq!(check.filter_bytes, 2048);
        for table in &check.tables {
            assert_eq!(table.counts.iter().flatten().sum::<u64>(), check.accesses.iter().sum::<u64>());
        }
        let same_life = |asked| {
            check.tables.iter().find(|table| (table.asked, table.reference) == (asked, "same-life")).unwrap()
        };
        // A page that was just accessed is known, and a Bloom filter never misses: what it calls
        // read-only or write-only is. What it misses there it calls overlapped, by a false hit of
        // the other kind.
        let accessed = same_life("accessed");
        for class in [1, 2] {
            assert!(accessed.precision[class].is_none_or(|precision| precision == 1.0));
            assert!(
                accessed.recall[class].is_none_or(|recall| recall > 0.7),
                "{}: {accessed:?}",
                path.display()
            );
        }
        assert!(accessed.recall[3].is_none_or(|recall| recall == 1.0));
        assert!(check.same_decisions.is_none_or(|same| same > 0.99), "{}", path.display());
        // Of pages at rest it knows little: most are unknown, and it may call them anything.
        assert!(same_life("at-rest").precision[0].is_none_or(|precision| precision == 1.0));
        assert!(same_life("at-rest").recall[0].is_none_or(|recall| recall > 0.6), "{}", path.display());
        check
    };
    let day = check(&repository().join("recordings/day.rwt"));
    assert!(day.false_hits.unwrap().iter().all(|&share| share > 0.0 && share < 0.3));
    real_traces().iter().for_each(|path| drop(check(path)));
}
