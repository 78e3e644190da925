//! A drive in parts does what a drive under one lock does.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_live::{LiveDrive, LiveError, LiveOptions};
use serde_json::Value;

use crate::common::{Scheme, fill, options};

const APART: Scheme = (
    "in parts",
    &[
        ("ftl.striping", "static-die"),
        ("flash.blocks_per_plane", "18"),
        ("flash.channels", "4"),
        ("flash.dies_per_channel", "2"),
    ],
);

/// Requests of all kinds: parts of pages, pages, many pages, trims, zeros.
fn work(live: &LiveDrive) {
    let (size, mut bytes) = (live.size_bytes(), vec![0; 70_000]);
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for round in 0..4000 {
        let length = if draw(3) == 0 { draw(70_000) } else { 2048 };
        let offset = draw((size - length) / 512) * 512;
        let data = &mut bytes[..length as usize];
        match draw(12) {
            0 => live.trim(offset, length, false).unwrap(),
            1 => live.zero(offset, length, round % 2 == 0, false).unwrap(),
            2 => live.flush().unwrap(),
            3 | 4 => live.read(offset, data).unwrap(),
            _ => {
                fill(round, data);
                live.write(offset, data, round % 7 == 0).unwrap();
            }
        }
    }
}

/// The statistics, without what depends on when requests came and on who recorded them.
fn counts(live: &LiveDrive) -> Value {
    let mut json = serde_json::to_value(live.snapshot().unwrap()).unwrap();
    let fields = json.as_object_mut().unwrap();
    for time in ["latency_ns", "mean_response_ns", "simulated_ns", "utilisation", "notes", "life"] {
        fields.remove(time).unwrap();
    }
    let own = fields.get_mut("live").unwrap().as_object_mut().unwrap();
    own.remove("uptime_ns");
    own.remove("requests_recorded");
    json
}

#[test]
fn what_is_counted_is_the_same_and_so_is_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let parts = LiveDrive::open(options(APART)).unwrap();
    // A recording is of one order, so the drive is one state.
    let recorded = LiveOptions { record: Some(folder.path().join("trace.rwt")), ..options(APART) };
    let whole = LiveDrive::open(recorded).unwrap();
    whole.begin().unwrap();
    for live in [&parts, &whole] {
        work(live);
        live.audit().unwrap();
    }
    let (one, other) = (counts(&parts), counts(&whole));
    assert!(one["garbage_collections"].as_u64().unwrap() > 500, "{one}");
    assert_eq!(serde_json::to_string_pretty(&one).unwrap(), serde_json::to_string_pretty(&other).unwrap());
    let contents = [&parts, &whole].map(|live| {
        let mut bytes = vec![0xaa; live.size_bytes() as usize];
        live.read(0, &mut bytes).unwrap();
        bytes
    });
    assert!(contents[0] == contents[1]);
    let extents = [&parts, &whole].map(|live| {
        let mut found = Vec::new();
        live.extents(0, live.size_bytes(), &mut |extent| {
            found.push(extent);
            true
        })
        .unwrap();
        found
    });
    assert!(extents[0].len() > 1 && extents[0] == extents[1]);
}

#[test]
fn a_closed_drive_serves_nothing_more_and_still_tells_its_statistics() {
    let live = LiveDrive::open(options(APART)).unwrap();
    live.write(0, &[1; 5000], true).unwrap();
    live.finish().unwrap();
    live.finish().unwrap();
    assert!(matches!(live.write(0, &[1], false), Err(LiveError::Closed)));
    assert!(matches!(live.read(0, &mut [0]), Err(LiveError::Closed)));
    assert!(matches!(live.flush(), Err(LiveError::Closed)));
    assert!(live.extents(0, 1, &mut |_| true).is_err());
    assert_eq!(live.snapshot().unwrap().report.host.requests.write, 1);
}
