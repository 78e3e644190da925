//! Cells that somebody has written by hand, with checksums that fit: a mount refuses them or takes
//! them for what they say, and whatever is asked of the drive then is answered.
#![allow(clippy::unwrap_used, missing_docs)]

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::medium::{Kind, RECORD_BYTES, Record, Stored, record::data_checksum};
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_ftl::recovery::MountError;
use rewear_ftl::{DriveConfig, Ftl, Lpn, Slot};

use crate::damage::{Part, pages_of, worn};
use crate::power_cuts::drives;

/// Numbers at which arithmetic ends, and any.
fn number(rng: &mut Xoshiro256PlusPlus) -> u64 {
    let any = rng.next_u64();
    match rng.next_u64() % 8 {
        0 => 0,
        1 => u64::MAX,
        2 => u64::MAX >> 1,
        3 => u64::from(u32::MAX),
        4 => u64::from(u32::MAX >> 1),
        5 => any % 64,
        6 => any % 4096,
        _ => any,
    }
}

fn forge_record(record: &mut Record, rng: &mut Xoshiro256PlusPlus) {
    let number = number(rng);
    match rng.next_u64() % 11 {
        0 => {
            record.kind = [Kind::Slot, Kind::SecondFirstHalf, Kind::SecondSecondHalf, Kind::Again, Kind::Log]
                [rng.next_u64() as usize % 5];
        }
        1 => record.mode = number as u8,
        2 => record.stream = number as u8,
        3 => record.exhausted = !record.exhausted,
        4 => record.lpn = number as u32,
        5 => record.sequence = number,
        6 => record.erases = number as u32,
        7 => record.passes = number as u32,
        8 => record.programs = number as u16,
        9 => record.part = number as u16,
        _ => record.other = number as u32,
    }
}

/// Overwrites a number of a log page, and has its checksums fit.
fn forge_log(page: &mut [u8], record: &mut Record, rng: &mut Xoshiro256PlusPlus) {
    // Epoch, pages of the checkpoint, length, the checkpoint or the journal; 20..24 is the checksum.
    let bytes = number(rng).to_le_bytes();
    let width = [1, 4, 8][rng.next_u64() as usize % 3];
    let at = match rng.next_u64() % 3 {
        0 => [0, 8, 12][rng.next_u64() as usize % 3],
        1 => 24 + rng.next_u64() as usize % 64,
        _ => 24 + rng.next_u64() as usize % (page.len() - 40),
    };
    page[at..at + width].copy_from_slice(&bytes[..width]);
    fit_checksums(page, record);
}

fn fit_checksums(page: &mut [u8], record: &mut Record) {
    page[20..24].fill(0);
    let checksum = crc32c::crc32c(page);
    page[20..24].copy_from_slice(&checksum.to_le_bytes());
    record.data_checksum = data_checksum(page);
}

/// Forges some pages, whose codes leave the records as they are.
fn forge(cells: &mut Stored, places: &[rewear_flash::Address], rng: &mut Xoshiro256PlusPlus) {
    let (format, mut done) = (cells.format(), 0);
    for _ in 0..100 {
        let at = places[rng.next_u64() as usize % places.len()];
        cells.damage(at, |page| {
            let (image, spare) = page.split_at_mut(format.image_bytes);
            let Some(spare) = spare
                .chunks_exact_mut(RECORD_BYTES)
                .rev()
                .find(|spare| Record::from_bytes(spare).is_some_and(|record| record.to_bytes() == **spare))
            else {
                return;
            };
            let Some(mut record) = Record::from_bytes(spare) else { return };
            if record.kind == Kind::Log && format.bits == 1 && !rng.next_u64().is_multiple_of(4) {
                forge_log(image, &mut record, rng);
            } else {
                forge_record(&mut record, rng);
            }
            spare.copy_from_slice(&record.to_bytes());
            done += 1;
        });
        if done > 0 && rng.next_u64().is_multiple_of(3) {
            return;
        }
    }
}

/// Whatever the drive answers, it answers.
fn work(ftl: &mut Ftl, rng: &mut Xoshiro256PlusPlus) {
    let (bytes, pages) = (ftl.layout().logical_page_bytes as usize, ftl.layout().exported_pages);
    let mut page = vec![0; bytes];
    let mut now = 0;
    for step in 0..3 * pages {
        let lpn = Lpn((rng.next_u64() % u64::from(pages)) as u32);
        now += 1_000_000_000;
        let _ = ftl.read(now, lpn).and_then(|_| ftl.read_bytes(lpn, &mut page));
        rng.fill_bytes(&mut page);
        let content = Content::Page(&page);
        let _ =
            ftl.write(now, lpn, HostWrite { coverage: Coverage::Whole, command: Command::Write, content });
        if step % 16 == 0 {
            let _ = ftl.trim(lpn);
            let _ = ftl.flush(now);
            let _ = ftl.idle(now);
        }
    }
    let _ = ftl.close(now);
}

fn forgeries(configs: &[DriveConfig], seeds: std::ops::Range<u64>, each: u64) {
    let (mut mounted, mut refused, mut failed) = (0, 0, Vec::new());
    for config in configs {
        for seed in seeds.clone() {
            let watched = worn(config, seed, seed % 2 == 0);
            let of_log = pages_of(&watched.ftl, Part::LogPage);
            let of_data = pages_of(&watched.ftl, Part::Data);
            for trial in 0..each {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed << 32 | trial);
                let mut cells = watched.ftl.clone().into_cells().unwrap();
                let places = if trial % 2 == 0 { &of_log } else { &of_data };
                if places.is_empty() {
                    continue;
                }
                forge(&mut cells, places, &mut rng);
                let act = std::panic::AssertUnwindSafe(|| match Ftl::mount(config, cells) {
                    Ok((mut ftl, _)) => {
                        work(&mut ftl, &mut rng);
                        true
                    }
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        false
                    }
                });
                match std::panic::catch_unwind(act) {
                    Ok(true) => mounted += 1,
                    Ok(false) => refused += 1,
                    Err(_) => failed.push(format!("{}: seed {seed}, trial {trial}", config.name)),
                }
            }
        }
    }
    println!("{mounted} mounted, {refused} refused");
    assert!(mounted > 0 && refused > 0);
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_checkpoint_that_maps_a_page_into_the_log_is_refused() {
    let config = &drives::plain()[0];
    let watched = worn(config, 100, true);
    let layout = watched.ftl.layout().clone();
    let mut cells = watched.ftl.clone().into_cells().unwrap();
    let (image_bytes, mut forged) = (cells.format().image_bytes, 0);
    for at in pages_of(&watched.ftl, Part::LogPage) {
        let of_log = layout.ppn(layout.unit_of_block(at.block), Slot(0)).0;
        cells.damage(at, |page| {
            let (image, spare) = page.split_at_mut(image_bytes);
            let mut record = Record::from_bytes(spare).unwrap();
            // The first page of an epoch with a checkpoint: behind its number the map begins.
            if record.lpn == 0 && image[8..12] != [0; 4] {
                image[32..36].copy_from_slice(&of_log.to_le_bytes());
                fit_checksums(image, &mut record);
                spare.copy_from_slice(&record.to_bytes());
                forged += 1;
            }
        });
    }
    assert!(forged > 0);
    let refused = Ftl::mount(config, cells);
    assert!(
        matches!(refused, Err(MountError::Contradiction { .. })),
        "{:?}",
        refused.map(|(_, report)| report)
    );
}

#[test]
fn forged_cells_are_refused_or_taken_for_what_they_say() {
    forgeries(&drives::all(), 0..2, 12);
}

#[test]
#[ignore = "takes minutes"]
fn many_forged_cells_are_refused_or_taken_for_what_they_say() {
    forgeries(&drives::all(), 100..140, 100);
}
