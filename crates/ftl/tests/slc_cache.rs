//! The cache of cells with one bit each, against counts and times that were worked out by hand.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::FlashConfig;
use rewear_ftl::config::{CleaningStep, FtlConfig, MovedPages};
use rewear_ftl::host::HostWrite;
use rewear_ftl::policies::slc_cache::{CacheConfig, SlcCacheConfig, WhenFull};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PROGRAM_NS: u64 = 50;
const ERASE_NS: u64 = 400;

/// One plane of 16 blocks of 12 pages with three bits a cell: a block of the cache has 4 pages.
fn drive(slc_cache: SlcCacheConfig) -> DriveConfig {
    let flash = FlashConfig {
        blocks_per_plane: 16,
        pages_per_block: 12,
        bits_per_cell: 3,
        ..FlashConfig::single_plane(timing(20, 300, 0))
    };
    DriveConfig {
        ftl: FtlConfig { over_provisioning: 1.0, slc_cache, ..FtlConfig::default() },
        ..DriveConfig::plain("cache", flash)
    }
}

/// A cache of two blocks that is folded when it is full, or after an hour of rest.
fn two_blocks(when_full: WhenFull) -> CacheConfig {
    CacheConfig {
        share: 0.125,
        when_full,
        idle_after_ns: Some(3_600_000_000_000),
        read_ns: Some(5),
        program_ns: Some(PROGRAM_NS),
        erase_ns: Some(ERASE_NS),
        ..CacheConfig::default()
    }
}

fn with_cache(config: CacheConfig) -> Ftl {
    Ftl::new(&drive(SlcCacheConfig::Static(config))).unwrap()
}

/// Writes pages one after the other, each asked for at time 0; returns the end of the last.
fn write(ftl: &mut Ftl, pages: impl IntoIterator<Item = u32>) -> u64 {
    let mut end = 0;
    for lpn in pages {
        end = ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
        ftl.audit().unwrap();
    }
    end
}

#[test]
fn a_full_cache_is_passed_by() {
    let mut ftl = with_cache(two_blocks(WhenFull::Direct));
    assert_eq!(write(&mut ftl, 0..8), 8 * PROGRAM_NS);
    assert_eq!(write(&mut ftl, 8..11), 8 * PROGRAM_NS + 3 * 300);
    let counters = ftl.counters();
    assert_eq!((counters.pages_cached, counters.writes_past_cache), (8, 3));
    assert_eq!((counters.programmed.host, counters.programmed.total(), counters.erases), (11, 11, 0));
    // A page of the cache is sensed in its time, another in that of its kind.
    let begin = 8 * PROGRAM_NS + 3 * 300;
    assert_eq!(ftl.read(begin, Lpn(0)).unwrap(), begin + 5);
    assert_eq!(ftl.read(begin + 5, Lpn(8)).unwrap(), begin + 25);
}

#[test]
fn a_fold_moves_what_is_valid_in_the_oldest_block_and_erases_it() {
    let mut ftl = with_cache(two_blocks(WhenFull::Fold));
    // Four pages are written twice: those of the first block are dead when it is wanted again.
    write(&mut ftl, (0..4).chain(0..4));
    let end = write(&mut ftl, [4]);
    assert_eq!(end, 8 * PROGRAM_NS + ERASE_NS + PROGRAM_NS);
    let counters = ftl.counters();
    assert_eq!((counters.folds, counters.pages_folded, counters.cached_erases), (1, 0, 1));
    // The second block holds four valid pages, three more fill the first.
    write(&mut ftl, [5, 6, 7]);
    let end = write(&mut ftl, [8]);
    let fold_ns = 4 * (5 + 300) + ERASE_NS;
    assert_eq!(end, 8 * PROGRAM_NS + ERASE_NS + 4 * PROGRAM_NS + fold_ns + PROGRAM_NS);
    let counters = ftl.counters();
    assert_eq!((counters.folds, counters.pages_folded, counters.pages_moved), (2, 4, 4));
    assert_eq!((counters.pages_cached, counters.writes_past_cache), (13, 0));
    assert_eq!((counters.programmed.host, counters.programmed.moved), (13, 4));
    assert_eq!((counters.erases, counters.cached_erases, counters.garbage_collections), (2, 2, 0));
    // Six programs of the cache's blocks since their last erase are a quarter of a cycle each, four
    // programs of another a twelfth: nothing else is begun.
    let begun = ftl.erase_equivalents() - 2.0;
    assert!((begun - (5.0 / 4.0 + 4.0 / 12.0)).abs() < 1e-12, "{begun}");
}

#[test]
fn idle_time_empties_the_cache_and_ends_in_time() {
    let config = CacheConfig { idle_after_ns: Some(1000), ..two_blocks(WhenFull::Direct) };
    let mut ftl = with_cache(config.clone());
    let busy_until = write(&mut ftl, 0..8);
    ftl.idle(busy_until + 1000 + 3 * 320).unwrap();
    // Three pages at most, as one that is read in the slowest mode takes 320 ns.
    assert_eq!(ftl.counters().pages_folded, 3);
    assert!(ftl.array().idle_at() <= busy_until + 1000 + 3 * 320);
    let busy_until = ftl.array().idle_at();
    ftl.idle(busy_until + 1_000_000).unwrap();
    let counters = ftl.counters();
    assert_eq!((counters.pages_folded, counters.folds, counters.idle_folds), (8, 2, 2));
    assert_eq!((counters.pages_moved_idle, counters.cached_erases), (8, 2));
    assert_eq!(ftl.array().idle_at(), busy_until + 1000 + 5 * 305 + 2 * ERASE_NS);
    write(&mut ftl, 8..17);
    assert_eq!((ftl.counters().pages_cached, ftl.counters().writes_past_cache), (16, 1));
    ftl.audit().unwrap();
}

#[test]
fn a_block_of_the_cache_endures_more_cycles_and_the_drive_goes_on_without_it() {
    let config = CacheConfig { cycle_wear: 0.25, ..two_blocks(WhenFull::Fold) };
    let mut drive = drive(SlcCacheConfig::Static(config));
    drive.flash.endurance_cycles = Some(4);
    let mut ftl = Ftl::new(&drive).unwrap();
    // Four cycles a block, each of a quarter of the wear, are sixteen. Both blocks are filled, then
    // thirty times one of them is erased and filled again; the last two erases wear them out, and
    // the second of these had to fold the four pages of the first round behind it.
    write(&mut ftl, (0..200).map(|write| write % 4));
    let counters = ftl.counters();
    assert_eq!((counters.cached_erases, ftl.retired_units()), (32, 2));
    assert_eq!((counters.pages_cached, counters.writes_past_cache), (8 + 4 * 30, 200 - 8 - 4 * 30));
    assert_eq!(counters.pages_folded, 4);
    assert!(ftl.keeps_exported_capacity());
}

#[test]
fn a_dynamic_cache_takes_free_blocks_and_gives_them_back() {
    let config = CacheConfig { share: 0.5, ..two_blocks(WhenFull::Direct) };
    let mut ftl = Ftl::new(&drive(SlcCacheConfig::Dynamic(config))).unwrap();
    let pages = ftl.layout().exported_pages;
    // Half of the blocks at most: 8 of 4 pages.
    write(&mut ftl, 0..40);
    assert_eq!((ftl.counters().pages_cached, ftl.counters().writes_past_cache), (32, 8));
    write(&mut ftl, 40..pages);
    let mut lpn = 1u32;
    for _ in 0..2000 {
        lpn = lpn.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        write(&mut ftl, [(lpn >> 8) % pages]);
    }
    let counters = *ftl.counters();
    assert_eq!(counters.pages_cached + counters.writes_past_cache, 2000 + u64::from(pages));
    assert_eq!(counters.programmed.host + counters.programmed.moved, counters.programmed.total());
    assert_eq!(counters.cached_erases, counters.folds);
    // The full drive needs its free blocks; what the cache had it gave back.
    assert!(counters.folds >= 8, "{counters:?}");
    assert_eq!(counters.idle_folds, 0);
}

/// A fold whose program fails must not take the units that the pages of the condemned unit need.
#[test]
fn one_failed_program_leaves_a_crowded_drive_room() {
    let cache = CacheConfig { share: 0.05, idle_after_ns: None, ..two_blocks(WhenFull::Fold) };
    let mut single = 0;
    for seed in 0..300 {
        let mut config = drive(SlcCacheConfig::Static(cache.clone()));
        config.ftl = FtlConfig {
            over_provisioning: 0.62,
            cleaning_step: CleaningStep::OneUnit,
            moved_pages: MovedPages::Apart,
            ..config.ftl
        };
        config.flash.failures.program_failure_probability = 0.0005;
        config.flash.seed = seed;
        let mut ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        for write in 0..4 * pages {
            let lpn = if write < pages { write } else { (random.next_u64() >> 32) as u32 % pages };
            let written = ftl.write(0, Lpn(lpn), HostWrite::WHOLE);
            if ftl.counters().program_failures > 1 {
                break;
            }
            assert!(written.is_ok(), "seed {seed}, write {write}: {written:?}");
        }
        ftl.audit().unwrap();
        single += u32::from(ftl.counters().program_failures == 1);
    }
    assert!(single > 30, "{single} drives with one failure");
}

#[test]
fn a_cache_that_nobody_can_have_is_refused() {
    let refused = |change: &dyn Fn(&mut DriveConfig)| {
        let mut config = drive(SlcCacheConfig::Static(two_blocks(WhenFull::Fold)));
        change(&mut config);
        Ftl::new(&config).unwrap_err().to_string()
    };
    let of =
        |cache: CacheConfig| refused(&|drive| drive.ftl.slc_cache = SlcCacheConfig::Dynamic(cache.clone()));
    let never = CacheConfig { idle_after_ns: None, ..two_blocks(WhenFull::Direct) };
    let refusal = refused(&|drive| drive.ftl.slc_cache = SlcCacheConfig::Static(never.clone()));
    assert!(refusal.contains("nothing would ever empty the cache"), "{refusal}");
    let two = two_blocks(WhenFull::Fold);
    for share in [0.0, 0.6, -1.0, f64::NAN] {
        assert!(of(CacheConfig { share, ..two.clone() }).contains("ftl.slc_cache.share"), "{share}");
    }
    for cycle_wear in [0.0, 1.5] {
        assert!(of(CacheConfig { cycle_wear, ..two.clone() }).contains("ftl.slc_cache.cycle_wear"));
    }
    for (key, cache) in [
        ("read_ns", CacheConfig { read_ns: Some(u64::MAX), ..two.clone() }),
        ("program_ns", CacheConfig { program_ns: Some(u64::MAX), ..two.clone() }),
        ("erase_ns", CacheConfig { erase_ns: Some(u64::MAX), ..two.clone() }),
    ] {
        assert!(of(cache).contains(&format!("ftl.slc_cache.{key}")), "{key}");
    }
    assert!(refused(&|drive| drive.flash.bits_per_cell = 1).contains("one bit anyway"));
    assert!(refused(&|drive| drive.flash.pages_per_block = 2).contains("flash.pages_per_block"));
    assert!(
        refused(&|drive| drive.ftl.streams = rewear_ftl::policies::streams::StreamsConfig::SepBit {})
            .contains("ftl.streams.scheme = \"one\"")
    );
    assert!(refused(&|drive| drive.reuse = seal()).contains("reuse.scheme = \"none\""));
    // The blocks of a static cache hold no capacity.
    assert!(refused(&|drive| drive.ftl.over_provisioning = 0.25).contains("ftl.over_provisioning"));
}

fn seal() -> rewear_ftl::reuse::ReuseConfig {
    let code = rewear_ftl::reuse::wom_v::WomVConfig::baseline(2);
    rewear_ftl::reuse::ReuseConfig::WomV(code)
}
