//! Damage under every scheme: whatever changes in the cells of a drive that was killed or stopped,
//! no page is served that is not what was written.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::Address;
use rewear_flash::medium::{Kind, RECORD_BYTES, Record, Stored};
use rewear_ftl::recovery::MountError;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

use crate::power_cuts::drives;
use crate::power_cuts::watched::{Step, Watched, workload};

/// What changes in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// One bit.
    Flip,
    /// Two neighbouring bytes.
    Burst,
    /// Sixteen neighbouring bytes.
    Scratch,
    /// All of it becomes noise.
    Noise,
}

/// What of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    LogPage,
    LogRecord,
    Data,
    Record,
    Blank,
    /// What is known of the operations.
    Progress,
}

const CHANGES: [Change; 4] = [Change::Flip, Change::Burst, Change::Scratch, Change::Noise];
const PARTS: [Part; 6] =
    [Part::LogPage, Part::LogRecord, Part::Data, Part::Record, Part::Blank, Part::Progress];

/// How trials of a kind ended.
#[derive(Debug, Default, Clone, Copy)]
struct Outcomes {
    trials: u64,
    /// Every page is right.
    right: u64,
    /// Pages are errors, the others right.
    errors: u64,
    pages_in_error: u64,
    refused: u64,
}

/// A drive at work, in the state in which its process ends: killed between two operations, or
/// stopped in good order.
pub(crate) fn worn(config: &DriveConfig, seed: u64, is_closed: bool) -> Watched {
    let mut watched = Watched::filled(config);
    for step in workload(seed, 60 + (seed % 7) as usize * 20) {
        watched.take(step).unwrap();
    }
    watched.take(Step::Flush).unwrap();
    for step in workload(!seed, (seed % 3) as usize) {
        watched.take(step).unwrap();
    }
    if is_closed {
        watched.ftl.close(watched.now).unwrap();
        watched.shadow.values_mut().for_each(|versions| {
            versions.0.drain(..versions.0.len() - 1);
        });
    }
    watched
}

pub(crate) fn pages_of(ftl: &Ftl, part: Part) -> Vec<Address> {
    let (cells, geometry) = (ftl.array().stored().unwrap(), ftl.array().geometry());
    let pages = 0..geometry.blocks() * geometry.pages_per_block;
    let address = |page: u32| {
        let block = page / geometry.pages_per_block;
        Address { plane: block / geometry.blocks_per_plane, block, page: page % geometry.pages_per_block }
    };
    let is_part = |at: &Address| {
        let record = Record::from_bytes(cells.spare(*at));
        match part {
            Part::Blank => cells.is_blank(*at),
            // It lies in no page: any one stands for it.
            Part::Progress => true,
            Part::LogPage | Part::LogRecord => record.is_some_and(|record| record.kind == Kind::Log),
            Part::Data | Part::Record => record.is_some_and(|record| record.kind != Kind::Log),
        }
    };
    pages.map(address).filter(is_part).collect()
}

fn damage(cells: &mut Stored, at: Address, part: Part, change: Change, rng: &mut Xoshiro256PlusPlus) {
    let image_bytes = cells.image_bytes();
    if part == Part::Progress {
        return cells.damage_progress(|area| change_bytes(area, change, rng));
    }
    cells.damage(at, |page| {
        let (image, spare) = page.split_at_mut(image_bytes);
        let target = match part {
            Part::LogPage | Part::Data => image,
            Part::LogRecord | Part::Record => spare,
            Part::Blank | Part::Progress => page,
        };
        change_bytes(target, change, rng);
    });
}

fn change_bytes(target: &mut [u8], change: Change, rng: &mut Xoshiro256PlusPlus) {
    let mut below = |bound: usize| (rng.next_u64() % bound as u64) as usize;
    match change {
        Change::Flip => target[below(target.len())] ^= 1 << below(8),
        Change::Burst | Change::Scratch => {
            let bytes = if change == Change::Burst { 2 } else { 16 };
            let first = below(target.len() - bytes + 1);
            target[first..first + bytes].iter_mut().for_each(|byte| *byte ^= below(256) as u8);
        }
        Change::Noise => target.iter_mut().for_each(|byte| *byte = below(256) as u8),
    }
}

/// Damages a page of a kind, mounts the drive, and compares all of it.
fn trial(
    config: &DriveConfig,
    watched: &Watched,
    (part, change): (Part, Change),
    seed: u64,
    outcomes: &mut Outcomes,
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let places = pages_of(&watched.ftl, part);
    if places.is_empty() {
        return;
    }
    let at = places[(rng.next_u64() % places.len() as u64) as usize];
    trial_at(config, watched, at, (part, change), (seed, &mut rng), outcomes);
}

/// Damages this page, mounts the drive, and compares all of it.
fn trial_at(
    config: &DriveConfig,
    watched: &Watched,
    at: Address,
    (part, change): (Part, Change),
    (seed, rng): (u64, &mut Xoshiro256PlusPlus),
    outcomes: &mut Outcomes,
) {
    let context = format!("{}: {change:?} of {part:?} at {at}, seed {seed}", config.name);
    let mut cells = watched.ftl.clone().into_cells().unwrap();
    damage(&mut cells, at, part, change, rng);
    outcomes.trials += 1;
    let mut ftl = match Ftl::mount(config, cells) {
        Ok((ftl, _)) => ftl,
        Err(MountError::Damaged { .. }) => {
            outcomes.refused += 1;
            if std::env::var_os("REWEAR_SAY").is_some() {
                println!("refused: {context}");
            }
            return;
        }
        Err(error) => panic!("{context}: {error}"),
    };
    ftl.audit().unwrap_or_else(|error| panic!("{context}: {error}"));
    let pages = contents(&mut ftl);
    let (mut shadow, mut errors) = (watched.shadow.clone(), 0);
    for (lpn, page) in (0..).zip(&pages) {
        let Some(page) = page else {
            errors += 1;
            shadow.remove(&lpn);
            continue;
        };
        match shadow.get_mut(&lpn) {
            None => assert!(page.iter().all(|&byte| byte == 0), "{context}: page {lpn} was invented"),
            Some(versions) => {
                assert!(versions.0.contains(page), "{context}: page {lpn} holds what it must not hold");
                versions.0 = vec![page.clone()];
            }
        }
    }
    outcomes.right += u64::from(errors == 0);
    outcomes.errors += u64::from(errors > 0);
    outcomes.pages_in_error += errors;
    // The mounts to come find the same.
    let cells = ftl.clone().into_cells().unwrap();
    let (mut again, _) =
        Ftl::mount(config, cells).unwrap_or_else(|error| panic!("{context}: mounted again: {error}"));
    assert!(contents(&mut again) == pages, "{context}: the second mount finds other pages");
    // The drive works on; what is written anew is whole again.
    for ftl in [ftl, again] {
        let mut after = Watched { ftl, shadow: shadow.clone(), now: 0 };
        for lpn in 0..after.ftl.layout().exported_pages {
            after
                .take(Step::Write(lpn, seed ^ u64::from(lpn)))
                .unwrap_or_else(|error| panic!("{context}: {error}"));
        }
        after.check(&context);
    }
}

/// All pages; `None` where reading one is an error.
fn contents(ftl: &mut Ftl) -> Vec<Option<Vec<u8>>> {
    let (bytes, pages) = (ftl.layout().logical_page_bytes as usize, ftl.layout().exported_pages);
    let read = |lpn| {
        let mut page = vec![0; bytes];
        ftl.read_bytes(Lpn(lpn), &mut page).is_ok().then_some(page)
    };
    (0..pages).map(read).collect()
}

/// Runs trials of each kind on each drive and prints a table.
fn run(seeds: std::ops::Range<u64>, is_closed: bool) -> BTreeMap<(Part, Change), Outcomes> {
    let mut table: BTreeMap<(Part, Change), Outcomes> = BTreeMap::new();
    for config in drives::all() {
        for seed in seeds.clone() {
            let watched = worn(&config, seed, is_closed);
            for part in PARTS {
                for change in CHANGES {
                    let outcomes = table.entry((part, change)).or_default();
                    trial(&config, &watched, (part, change), seed, outcomes);
                }
            }
        }
    }
    println!("{}", if is_closed { "after an orderly stop" } else { "after kill -9" });
    for ((part, change), outcomes) in &table {
        println!("| {part:?} | {change:?} | {outcomes:?}");
    }
    table
}

/// Whether one flipped bit never makes a whole drive useless.
fn never_refuses_for_a_bit(table: &BTreeMap<(Part, Change), Outcomes>) {
    for (&(part, change), outcomes) in table {
        // Two bytes of cells of several levels may be more than two bytes of data.
        let is_short = change == Change::Flip
            || part == Part::Progress
            || (change == Change::Burst && matches!(part, Part::Record | Part::LogRecord));
        assert!(
            outcomes.trials > 0 && (!is_short || outcomes.refused == 0),
            "{part:?} {change:?}: {outcomes:?}"
        );
    }
}

#[test]
fn no_damage_is_served_in_silence_after_a_kill() {
    never_refuses_for_a_bit(&run(0..3, false));
}

#[test]
fn no_damage_is_served_in_silence_after_an_orderly_stop() {
    never_refuses_for_a_bit(&run(0..2, true));
}

/// The halves of a second write know each other by their records; either may be lost.
#[test]
fn a_second_write_of_which_a_half_lost_its_record_is_one_still() {
    for config in drives::second_write() {
        let mut outcomes = Outcomes::default();
        // With these seeds the workload is long enough for second writes.
        for seed in [124, 5, 13] {
            let watched = worn(&config, seed, seed == 13);
            trial(&config, &watched, (Part::Record, Change::Scratch), seed, &mut outcomes);
            let cells = watched.ftl.array().stored().unwrap();
            let is_half = |at: &Address| {
                let mut records = cells.spare(*at).chunks_exact(RECORD_BYTES).filter_map(Record::from_bytes);
                records
                    .next_back()
                    .is_some_and(|last| matches!(last.kind, Kind::SecondFirstHalf | Kind::SecondSecondHalf))
            };
            let mut halves = pages_of(&watched.ftl, Part::Record);
            halves.retain(is_half);
            assert!(halves.len() >= 20, "{}, seed {seed}: {halves:?}", config.name);
            for at in halves {
                for change in [Change::Scratch, Change::Noise] {
                    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
                    trial_at(&config, &watched, at, (Part::Record, change), (seed, &mut rng), &mut outcomes);
                }
            }
        }
        println!("{}: {outcomes:?}", config.name);
        assert!(outcomes.right > outcomes.refused && outcomes.errors > 0, "{}: {outcomes:?}", config.name);
    }
}

/// The counts of docs/notebook/crash-safety.md: `cargo test -p rewear-ftl --test all damage:: -- --ignored
/// --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn no_damage_is_served_in_silence_in_many_trials() {
    never_refuses_for_a_bit(&run(100..200, true));
    never_refuses_for_a_bit(&run(100..300, false));
}
