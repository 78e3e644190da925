//! An image in which one bit has changed since its server was killed or stopped: every page is
//! right or an error.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, fill, options};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::medium::progress::PROGRESS_BYTES;
use rewear_live::{LiveDrive, LiveOptions};

const PAGE: usize = 4096;
/// The cells begin behind the header.
const HEADER_BYTES: usize = 1 << 16;
/// The header ends in what is known of the operations on the cells.
const PROGRESS: std::ops::Range<usize> = HEADER_BYTES - PROGRESS_BYTES..HEADER_BYTES;

/// Writes, trims and flushes; the device as it must be read from now on.
fn work(live: &LiveDrive, rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut memory = vec![0; live.size_bytes() as usize / PAGE * PAGE];
    let pages = memory.len() / PAGE;
    for step in 0..3 * pages {
        let page = (rng.next_u64() as usize) % pages;
        let bytes = &mut memory[page * PAGE..][..PAGE];
        if step % 9 == 8 {
            bytes.fill(0);
            live.trim((page * PAGE) as u64, PAGE as u64, false).unwrap();
        } else {
            fill(rng.next_u64(), bytes);
            live.write((page * PAGE) as u64, bytes, false).unwrap();
        }
    }
    live.flush().unwrap();
    memory
}

#[test]
fn one_changed_bit_is_never_served() {
    let folder = tempfile::tempdir().unwrap();
    let (mut trials, mut errors) = (0, 0);
    for &scheme in SCHEMES {
        let image = folder.path().join(scheme.0);
        let open = || LiveDrive::open(LiveOptions { image: Some(image.clone()), ..options(scheme) });
        for is_stopped in [false, true] {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(trials);
            let live = open().unwrap();
            let memory = work(&live, &mut rng);
            if is_stopped {
                live.finish().unwrap();
            }
            drop(live);
            let whole = std::fs::read(&image).unwrap();
            for _ in 0..8 {
                trials += 1;
                let mut damaged = whole.clone();
                let byte = HEADER_BYTES + (rng.next_u64() as usize) % (whole.len() - HEADER_BYTES);
                damaged[byte] ^= 1 << (rng.next_u64() % 8);
                std::fs::write(&image, &damaged).unwrap();
                let context = format!("{}, byte {byte}, stopped: {is_stopped}", scheme.0);
                let live = open().unwrap_or_else(|error| panic!("{context}: {error}"));
                let mut page = vec![0; PAGE];
                for (offset, expected) in (0..).step_by(PAGE).zip(memory.chunks(PAGE)) {
                    match live.read(offset, &mut page) {
                        Ok(()) => assert!(page == expected, "{context}: wrong bytes at {offset}"),
                        Err(_) => errors += 1,
                    }
                }
            }
            std::fs::remove_file(&image).unwrap();
        }
    }
    println!("{trials} flipped bits, {errors} pages of 4 KiB in error");
    assert!(errors > 0, "no bit that was flipped mattered");
}

#[test]
fn one_changed_bit_of_what_was_under_way_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (number, &scheme) in (0..).zip(SCHEMES) {
        let image = folder.path().join(scheme.0);
        let open = || LiveDrive::open(LiveOptions { image: Some(image.clone()), ..options(scheme) });
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number);
        let live = open().unwrap();
        let fresh = std::fs::read(&image).unwrap();
        let memory = work(&live, &mut rng);
        if number % 2 == 0 {
            live.finish().unwrap();
        }
        drop(live);
        let whole = std::fs::read(&image).unwrap();
        // Bytes that operations have changed, and some of the others.
        for byte in PROGRESS.filter(|&byte| whole[byte] != fresh[byte] || byte % 61 == 0) {
            let mut damaged = whole.clone();
            damaged[byte] ^= 1 << (rng.next_u64() % 8);
            std::fs::write(&image, &damaged).unwrap();
            let context = format!("{}, byte {}", scheme.0, byte - PROGRESS.start);
            let live = open().unwrap_or_else(|error| panic!("{context}: {error}"));
            let mut read = vec![0; memory.len()];
            live.read(0, &mut read).unwrap_or_else(|error| panic!("{context}: {error}"));
            assert!(read == memory, "{context}: wrong bytes");
        }
    }
}
