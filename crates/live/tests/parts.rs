//! A drive in parts does what a drive under one lock does.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_live::{LiveDrive, LiveError, LiveOptions};
use serde_json::Value;

use crate::common::{Scheme, config, fill, options};

const APART: Scheme = (
    "in parts",
    &[
        ("ftl.striping", "static-die"),
        ("flash.blocks_per_plane", "18"),
        ("flash.channels", "4"),
        ("flash.dies_per_channel", "2"),
    ],
);

/// Numbers below what is asked for.
fn draws(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// Requests of all kinds: parts of pages, pages, many pages, trims, zeros.
fn work(live: &LiveDrive) {
    let (size, mut bytes) = (live.size_bytes(), vec![0; 70_000]);
    let mut draw = draws(1);
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

/// The statistics, without what depends on when requests came, on who recorded them and on the parts.
fn counts(live: &LiveDrive) -> Value {
    let mut json = serde_json::to_value(live.snapshot().unwrap()).unwrap();
    let fields = json.as_object_mut().unwrap();
    for time in ["latency_ns", "mean_response_ns", "simulated_ns", "utilisation", "notes", "life"] {
        fields.remove(time).unwrap();
    }
    let own = fields.get_mut("live").unwrap().as_object_mut().unwrap();
    own.remove("uptime_ns");
    own.remove("requests_recorded");
    own.remove("parts");
    own.remove("one_state_because");
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

/// Four threads, each with pages of its own in all parts; requests cover pages of several.
#[test]
fn threads_at_once_are_read_as_their_shadows_say() {
    const THREADS: u64 = 4;
    const STEPS: u64 = 3000;
    let live = LiveDrive::open(options(APART)).unwrap();
    assert!(live.parts() == 4 && live.one_state_because().is_none());
    let bytes_of_thread = live.size_bytes() / 2048 / THREADS * 2048;
    let work = |thread: u64| {
        let base = thread * bytes_of_thread;
        let (mut shadow, mut draw) = (vec![0; bytes_of_thread as usize], draws(thread));
        let mut read = vec![0; 20_000];
        for step in 0..STEPS {
            let length = 1 + draw(20_000);
            let at = draw(bytes_of_thread - length);
            let (range, offset) = (at as usize..(at + length) as usize, base + at);
            match draw(9) {
                0 => live.flush().unwrap(),
                1 => {
                    live.zero(offset, length, step % 2 == 0, step % 3 == 0).unwrap();
                    shadow[range].fill(0);
                }
                2 => {
                    live.trim(offset, length, step % 3 == 0).unwrap();
                    let pages = (at.div_ceil(2048) * 2048) as usize..((at + length) / 2048 * 2048) as usize;
                    if pages.start < pages.end {
                        shadow[pages].fill(0);
                    }
                }
                3 | 4 => {
                    live.read(offset, &mut read[..length as usize]).unwrap();
                    assert!(read[..length as usize] == shadow[range], "thread {thread}, step {step}");
                }
                _ => {
                    fill(step ^ thread << 32, &mut shadow[range.clone()]);
                    live.write(offset, &shadow[range], step % 5 == 0).unwrap();
                }
            }
        }
        let mut all = vec![0xaa; shadow.len()];
        live.read(base, &mut all).unwrap();
        assert!(all == shadow, "thread {thread}");
    };
    std::thread::scope(|scope| {
        let work = &work;
        (0..THREADS).for_each(|thread| drop(scope.spawn(move || work(thread))));
    });
    live.audit().unwrap();
    let report = live.snapshot().unwrap().report;
    assert!(report.cleaning.erases > 1000, "{}", report.cleaning.erases);
}

/// A write over pages of several parts may have another one between its pages, never within one.
#[test]
fn writes_to_one_place_are_torn_between_pages_alone() {
    const PAGES: usize = 8;
    let live = LiveDrive::open(options(APART)).unwrap();
    let (page, at) = (live.page_bytes() as usize, 5 * u64::from(live.page_bytes()));
    live.write(at, &vec![1; PAGES * page], false).unwrap();
    std::thread::scope(|scope| {
        for content in 1..=3u8 {
            let live = &live;
            scope.spawn(move || {
                let mut read = vec![0; PAGES * page];
                for _ in 0..1500 {
                    live.write(at, &vec![content; PAGES * page], false).unwrap();
                    live.read(at, &mut read).unwrap();
                    assert!(
                        read.chunks(page).all(|page| page.iter().all(|&byte| byte == page[0] && byte > 0))
                    );
                }
            });
        }
    });
    live.audit().unwrap();
    assert_eq!(live.snapshot().unwrap().report.host.requests.write, 1 + 3 * 1500);
}

#[test]
fn a_drive_that_is_one_state_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let with = |key, value| LiveDrive::open(LiveOptions::new(config(APART, &[(key, value)]))).unwrap();
    for (key, value, named) in [
        ("ftl.striping", "dynamic", "ftl.striping"),
        ("ftl.victim.scheme", "cost-benefit", "ftl.victim"),
        ("recycle.scheme", "lx", "recycle.scheme"),
        ("flash.channels", "1", "flash.channels"),
    ] {
        let live = with(key, value);
        let because = live.one_state_because().unwrap();
        assert!(live.parts() == 1 && because.starts_with(named), "{key}: {because}");
        assert_eq!(live.snapshot().unwrap().live.one_state_because.as_deref(), Some(because));
    }
    let image = LiveOptions { image: Some(folder.path().join("image")), ..options(APART) };
    assert!(LiveDrive::open(image).unwrap().one_state_because().unwrap().starts_with("ftl.recovery"));
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
