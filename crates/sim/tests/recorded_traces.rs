//! The project's own recording, and real traces where they are at hand: recognised and replayed to
//! the end.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use crate::common::drive;
use rewear_sim::options::FitKind;
use rewear_sim::{ReplayOptions, Report, replay};
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
