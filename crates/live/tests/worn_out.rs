//! Drives that are served to the end of their life: they become read-only, once and for all, and
//! keep every byte that they took.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, Scheme, config, fill};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_live::{LiveDrive, LiveError, LiveOptions};

const PAGE: usize = 4096;
/// Rated cycles: few, so that a life is short.
const CYCLES: (&str, &str) = ("flash.endurance_cycles", "4");
const CACHES: [Scheme; 2] = [
    ("static SLC cache", &[("ftl.slc_cache.scheme", "static"), ("ftl.slc_cache.share", "0.2")]),
    ("dynamic SLC cache", &[("ftl.slc_cache.scheme", "dynamic"), ("ftl.slc_cache.share", "0.2")]),
];

/// Writes, and a few trims, until the drive takes no more; what it took, and the page of the write
/// that failed.
fn wear_out(live: &LiveDrive, rng: &mut Xoshiro256PlusPlus, memory: &mut [u8]) -> usize {
    let pages = memory.len() / PAGE;
    for step in 0..2000 * pages {
        let page = rng.next_u64() as usize % pages;
        let (offset, bytes) = ((page * PAGE) as u64, &mut memory[page * PAGE..][..PAGE]);
        if step % 50 == 49 {
            match live.trim(offset, PAGE as u64, false) {
                Ok(()) => bytes.fill(0),
                Err(LiveError::ReadOnly) => return page,
                Err(error) => panic!("{error}"),
            }
            continue;
        }
        let mut new = vec![0; PAGE];
        fill(rng.next_u64(), &mut new);
        match live.write(offset, &new, true) {
            Ok(()) => bytes.copy_from_slice(&new),
            Err(LiveError::ReadOnly) => return page,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("it does not wear out");
}

/// Everything but one page reads as it was written.
fn compare(live: &LiveDrive, memory: &[u8], failed: usize, context: &str) {
    let mut read = vec![0; PAGE];
    for (page, expected) in memory.chunks(PAGE).enumerate().filter(|&(page, _)| page != failed) {
        live.read((page * PAGE) as u64, &mut read).unwrap_or_else(|error| panic!("{context}: {error}"));
        assert!(read == expected, "{context}: page {page}");
    }
}

/// A flush or the end: it fails where a volatile buffer still holds the write that failed.
fn settles(outcome: Result<(), LiveError>, context: &str) {
    if context == "buffered" {
        assert!(matches!(outcome, Err(LiveError::ReadOnly)), "{context}: {outcome:?}");
    } else {
        outcome.unwrap_or_else(|error| panic!("{context}: {error}"));
    }
}

/// Nothing can be written any more.
fn is_read_only(live: &LiveDrive, pages: usize, context: &str) {
    for page in 0..pages {
        let offset = (page * PAGE) as u64;
        let attempts = [
            live.write(offset, &[1; PAGE], false),
            live.write(offset + 7, &[1; 100], true),
            live.trim(offset, PAGE as u64, false),
            live.zero(offset, PAGE as u64, page % 2 == 0, false),
        ];
        for attempt in attempts {
            assert!(matches!(attempt, Err(LiveError::ReadOnly)), "{context}: {attempt:?}");
        }
    }
    settles(live.flush(), context);
    assert!(live.snapshot().unwrap().live.read_only);
    live.audit().unwrap_or_else(|error| panic!("{context}: {error}"));
}

#[test]
fn a_worn_out_drive_can_be_read_and_not_written() {
    for (number, &scheme) in (0..).zip(SCHEMES.iter().chain(&CACHES)) {
        let live = LiveDrive::open(LiveOptions::new(config(scheme, &[CYCLES]))).unwrap();
        let mut memory = vec![0; live.size_bytes() as usize / PAGE * PAGE];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
        let failed = wear_out(&live, &mut rng, &mut memory);
        is_read_only(&live, memory.len() / PAGE, scheme.0);
        compare(&live, &memory, failed, scheme.0);
        settles(live.finish(), scheme.0);
    }
}

#[test]
fn a_worn_out_drive_comes_back_from_its_image() {
    let folder = tempfile::tempdir().unwrap();
    for (number, &scheme) in (0..).zip(SCHEMES) {
        let image = Some(folder.path().join(scheme.0));
        let options = LiveOptions { image, ..LiveOptions::new(config(scheme, &[CYCLES])) };
        let live = LiveDrive::open(options.clone()).unwrap();
        let mut memory = vec![0; live.size_bytes() as usize / PAGE * PAGE];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
        let failed = wear_out(&live, &mut rng, &mut memory);
        compare(&live, &memory, failed, scheme.0);
        if number % 2 == 0 {
            settles(live.finish(), scheme.0);
        }
        drop(live);
        let again = LiveDrive::open(options).unwrap_or_else(|error| panic!("{}: {error}", scheme.0));
        compare(&again, &memory, failed, scheme.0);
    }
}
