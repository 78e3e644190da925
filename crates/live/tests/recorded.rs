//! What ran on a live drive, replayed: the simulator counts what the live drive counted.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, config, fill};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_live::{LiveDrive, LiveOptions};
use rewear_sim::{Drive, ReplayOptions, replay};
use rewear_trace::OpenOptions;

/// A file system's kind of work: whole pages mostly, some of them equal, parts of pages, reads,
/// trims, flushes.
fn work(live: &LiveDrive, requests: u32) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(9);
    let pages = live.size_bytes() / 4096;
    let mut bytes = vec![0; 16_384];
    for _ in 0..requests {
        // Low pages more often than high ones.
        let skewed = (u64::from(rng.next_u32()) * u64::from(rng.next_u32())) >> 32;
        let page = (skewed * pages) >> 32;
        let (offset, length) = (page * 4096, 4096 * (1 + rng.next_u64() as usize % 4));
        let length = length.min((live.size_bytes() - offset) as usize);
        match rng.next_u32() % 20 {
            0 => live.trim(offset, length as u64, false).unwrap(),
            1 => live.flush().unwrap(),
            2 | 3 => live.zero(offset, length as u64, rng.next_u32() % 2 == 0, false).unwrap(),
            4..=8 => live.read(offset, &mut bytes[..length]).unwrap(),
            _ => {
                fill(rng.next_u64() % 400, &mut bytes[..length]);
                live.write(offset, &bytes[..length], rng.next_u32() % 16 == 0).unwrap();
            }
        }
    }
}

#[test]
fn the_simulator_counts_what_the_live_drive_counted() {
    let folder = tempfile::tempdir().unwrap();
    for &scheme in SCHEMES {
        let path = folder.path().join("recording.rwt");
        let record = Some(path.clone());
        let config = config(scheme, &[]);
        let live = LiveDrive::open(LiveOptions { record, ..LiveOptions::new(config.clone()) }).unwrap();
        live.begin().unwrap();
        work(&live, 3000);
        live.finish().unwrap();
        let live = live.snapshot().unwrap().report;
        assert!(live.cleaning.erases > 100, "{}: {} erases", scheme.0, live.cleaning.erases);

        let mut trace = rewear_trace::open(&path, &OpenOptions::default()).unwrap();
        let options = ReplayOptions::default();
        let replayed = replay(&Drive::new(config).unwrap(), &mut trace, &options, &mut |_| true).unwrap();
        let figures = |report: &rewear_sim::Report| {
            let programmed = &report.pages_programmed;
            let counts = [
                report.cleaning.erases,
                programmed.total,
                report.moves.pages_moved,
                report.cleaning.reopens,
                report.events.writes_absorbed,
            ];
            (
                counts,
                report.events.writes_recycled,
                report.host.requests.read,
                report.host.requests.write,
                report.host.requests.flush,
            )
        };
        if scheme.0 == "wom-v" {
            // Which cells become invalid follows from the bytes, and a trace has none: other bytes,
            // nearly the same counts.
            let (live, replayed) = (live.cleaning.erases as f64, replayed.cleaning.erases as f64);
            assert!((live - replayed).abs() < 0.1 * live, "{live} and {replayed} erases");
            continue;
        }
        assert_eq!(figures(&live), figures(&replayed), "{}", scheme.0);
        let latency = |report: &rewear_sim::Report| serde_json::to_value(&report.latency_ns).unwrap();
        assert_eq!(latency(&live), latency(&replayed), "{}", scheme.0);
    }
}

#[cfg(unix)]
#[test]
fn a_recording_follows_no_link_and_what_tells_of_contents_is_its_owners_alone() {
    use rewear_live::options::RecordedContent;
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, victim) = (folder.path().join("live.rwt"), folder.path().join("victim"));
    std::fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, folder.path().join("live.rwt.part")).unwrap();
    for content in [RecordedContent::Digests, RecordedContent::Numbers, RecordedContent::None] {
        let options = LiveOptions::new(config(SCHEMES[0], &[]));
        let options = LiveOptions { record: Some(path.clone()), record_content: content, ..options };
        let live = LiveDrive::open(options).unwrap();
        live.begin().unwrap();
        live.write(0, &[1; 4096], false).unwrap();
        live.finish().unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let open_to_others = content == RecordedContent::None;
        // What others may do with a trace without contents is up to the umask.
        assert!(mode == 0o600 || open_to_others, "{content:?}: {mode:o}");
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "the trace, the victim, the link");
}
