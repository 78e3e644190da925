//! A device that is mounted: what is done to its file is in the trace.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rewear_record::{Device, RecordError, fingerprints, zeros};
use rewear_trace::{Batch, ContentColumn, Fingerprint, Operation, Source};

type Row = (Operation, u64, u64, Option<Vec<Fingerprint>>);

fn mounted(folder: &Path, trace: &Path, content: ContentColumn) -> Option<Device> {
    let out = File::create(trace).unwrap();
    match Device::mount(folder, (1 << 20) + 5, out, "a test", content) {
        Ok(device) => Some(device),
        Err(error @ RecordError::Mount { .. }) if std::env::var_os("REWEAR_NEEDS_FUSE").is_none() => {
            eprintln!("skipped: {error} (set REWEAR_NEEDS_FUSE to fail instead)");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn rows(trace: &Path) -> Vec<Row> {
    let mut source = rewear_trace::open(trace, &rewear_trace::OpenOptions::default()).unwrap();
    let (mut batch, mut rows, mut last) = (Batch::default(), Vec::new(), 0);
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            assert!(request.at_ns >= last, "arrivals are in order");
            last = request.at_ns;
            let content = batch.content_of(request).map(<[_]>::to_vec);
            rows.push((request.operation, request.offset_bytes, request.length_bytes, content));
        }
    }
    rows
}

/// Does what a loop device does, past the page cache of the file under it.
fn work(device: &Device) -> Vec<u8> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).open(device.path()).unwrap();
    assert_eq!(file.metadata().unwrap().len(), 1 << 20);
    let data: Vec<u8> = (0..12_288u32).map(|at| (at / 4096) as u8 * 3 + 1).collect();
    file.write_all_at(&data, 8192).unwrap();
    file.write_all_at(&data[..100], 4096 + 50).unwrap();
    file.sync_all().unwrap();
    for (mode, offset, length) in
        [(libc::FALLOC_FL_PUNCH_HOLE, 12_288, 4096), (libc::FALLOC_FL_ZERO_RANGE, 65_536, 10_000)]
    {
        // SAFETY: the descriptor is open; no memory is passed.
        let failed =
            unsafe { libc::fallocate(file.as_raw_fd(), mode | libc::FALLOC_FL_KEEP_SIZE, offset, length) };
        assert_eq!(failed, 0, "{}", std::io::Error::last_os_error());
    }
    assert!(file.write_at(&[1], 1 << 20).is_err(), "the device has an end");
    let mut back = vec![9; 16_384];
    file.read_exact_at(&mut back, 4096).unwrap();
    back
}

#[test]
fn what_is_done_to_the_file_is_in_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace.rwt");
    let mountpoint = folder.path().join("mounted");
    std::fs::create_dir(&mountpoint).unwrap();
    let Some(device) = mounted(&mountpoint, &trace, ContentColumn::Digests) else { return };
    let back = work(&device);
    assert!(back[50..150] == [1; 100] && back[..50] == [0; 50] && back[4096..8192] == [1; 4096]);
    assert_eq!((&back[8192..12_288], &back[12_288..]), (&[0; 4096][..], &[7; 4096][..]));
    let summary = device.finish().recorded.unwrap();
    let rows = rows(&trace);
    assert_eq!(summary.requests, rows.len() as u64);
    let pages = |byte: u8| fingerprints(0, &[byte; 4096])[0];
    let (mut written, mut trims, mut flushes) = (std::collections::BTreeMap::new(), Vec::new(), 0);
    for (operation, offset, length, content) in rows {
        match operation {
            Operation::Write => {
                let content = content.expect("every write has content");
                if length % 4096 == 0 {
                    written.extend((offset / 4096..).zip(content));
                } else {
                    assert_eq!(content.len(), if offset == 65_536 { 3 } else { 1 });
                }
            }
            Operation::Trim => trims.push((offset, length)),
            Operation::Flush => flushes += 1,
            Operation::Read => assert_eq!(content, None),
            Operation::Overwrite | Operation::UpdateHandle => panic!("no file system asks for it"),
        }
    }
    assert_eq!(written, [(2, pages(1)), (3, pages(4)), (4, pages(7))].into());
    assert_eq!((trims, flushes >= 1), (vec![(12_288, 4096)], true));
    assert_eq!(zeros(0, 4096), [pages(0)]);
    assert_eq!(summary.written_bytes, 12_288 + 100 + 10_000);
    assert!(!mountpoint.join("device").exists(), "unmounted");
}

#[test]
fn a_trace_may_go_without_digests_or_content() {
    for content in [ContentColumn::Numbers, ContentColumn::Nothing] {
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace.rwt");
        let mountpoint = folder.path().join("mounted");
        std::fs::create_dir(&mountpoint).unwrap();
        let Some(device) = mounted(&mountpoint, &trace, content) else { return };
        work(&device);
        device.finish().recorded.unwrap();
        let known = rows(&trace).into_iter().filter(|row| row.3.is_some()).count();
        assert_eq!(known > 0, content == ContentColumn::Numbers);
    }
}

#[test]
fn a_mountpoint_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let failed = Device::mount(&missing, 4096, Vec::new(), "", ContentColumn::Digests);
    let Err(error) = failed else { panic!("mounted on nothing") };
    assert!(error.to_string().contains("missing"), "{error}");
}
