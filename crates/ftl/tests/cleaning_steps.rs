//! When cleaning starts and where it ends: `ftl.cleaning_step`.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::FlashConfig;
use rewear_ftl::config::{CleaningStep, FtlConfig};
use rewear_ftl::host::HostWrite;
use rewear_ftl::{DriveConfig, Ftl, Lpn, Pool};

const THRESHOLD: usize = 6;

/// What the writes of a step came to.
#[derive(Debug, Default)]
struct Seen {
    /// Writes that erased something, and the most that one of them erased.
    cleaning: u64,
    most_erased: u64,
    /// Writes that left more free units than the threshold.
    above: u64,
    least_free: usize,
    writes: u64,
    moved: u64,
}

fn watch(cleaning_step: CleaningStep) -> Seen {
    let flash = FlashConfig {
        blocks_per_plane: 64,
        pages_per_block: 32,
        ..FlashConfig::single_plane(timing(10, 100, 0))
    };
    let gc_threshold = (THRESHOLD as f64 + 0.5) / 64.0;
    let ftl = FtlConfig { over_provisioning: 0.28, gc_threshold, cleaning_step, ..FtlConfig::default() };
    let mut ftl = Ftl::new(&DriveConfig { ftl, ..DriveConfig::plain("steps", flash) }).unwrap();
    let pages = ftl.layout().exported_pages;
    (0..pages).for_each(|lpn| _ = ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut seen = Seen { least_free: usize::MAX, ..Seen::default() };
    for write in 0..40_000u32 {
        let below = if write % 10 == 0 { pages } else { pages / 10 };
        let before = ftl.counters().erases;
        ftl.write(0, Lpn((random.next_u64() >> 32) as u32 % below), HostWrite::WHOLE).unwrap();
        let (erased, free) = (ftl.counters().erases - before, ftl.free_units(Pool(0)));
        seen.writes += 1;
        seen.cleaning += u64::from(erased > 0);
        seen.most_erased = seen.most_erased.max(erased);
        seen.above += u64::from(free > THRESHOLD);
        seen.least_free = seen.least_free.min(free);
    }
    ftl.audit().unwrap();
    Seen { moved: ftl.counters().pages_moved, ..seen }
}

#[test]
fn a_step_ends_where_its_name_says() {
    let share = |seen: &Seen| seen.above as f64 / seen.writes as f64;
    let steps = [
        CleaningStep::UntilRoom,
        CleaningStep::RestoreLazy,
        CleaningStep::RestoreEager,
        CleaningStep::OneUnit,
    ];
    let [room, lazy, eager, one] = steps.map(|step| {
        let seen = watch(step);
        println!("{step:?}: {seen:?}");
        seen
    });
    assert!(share(&room) < 0.02, "above only after a victim without valid pages");
    assert!(lazy.most_erased > 1 && share(&lazy) > 0.05, "several victims restore the threshold");
    assert!(share(&eager) > 0.9, "above the threshold but for the write that opens a unit");
    // What several victims lose lies together, and not among what the host wrote meanwhile.
    assert!(10 * lazy.moved < 8 * room.moved, "{} of {} pages moved", lazy.moved, room.moved);
    assert_eq!(one.most_erased, 1);
    for seen in [&room, &lazy, &eager, &one] {
        assert!(seen.cleaning > 100 && seen.least_free >= THRESHOLD - 1, "{seen:?}");
    }
}
