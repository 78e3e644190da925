//! What second writes are worth over the life of blocks, and when they end.

use super::*;

/// Section 3, "expected benefit": N + N/2 pages a block and erase.
#[test]
fn in_the_best_case_a_block_takes_half_as_many_pages_again_before_it_is_erased() {
    let (_, plain) = rewrite(&drive(ReuseConfig::Nothing {}, 0.5), 320, 960_000);
    for scheme in [certain(), by_the_paper()] {
        let (_, second) = rewrite(&drive(ReuseConfig::SecondWrite(scheme), 0.5), 320, 960_000);
        assert_eq!((plain.pages_moved, second.pages_moved), (0, 0), "the best case moves nothing");
        // At the ends of the run the blocks that hold no cold data may be anywhere in their lives: the
        // spare and the hot ones.
        let begun = u64::from(2 * 64 - (2 * 64 * 2 / 3) + 320 / PAGES_PER_BLOCK) + 1;
        assert!(plain.erases.abs_diff(960_000 / u64::from(PAGES_PER_BLOCK)) <= begun);
        assert!(
            (second.erases * 3).abs_diff(plain.erases * 2) <= 3 * begun,
            "{} of {}",
            second.erases,
            plain.erases
        );
        assert!(second.reopens.abs_diff(second.erases) <= begun, "every block is recycled before its erase");
        assert!(
            second.second_writes.abs_diff(second.host_pages_written / 3)
                <= begun * u64::from(PAGES_PER_BLOCK) / 2
        );
    }
}

/// Of the cycles that blocks have begun as much counts as they hold data, so a short run in the
/// best case costs two thirds as well.
#[test]
fn cycles_that_have_begun_count_by_the_data_that_they_hold() {
    for writes in [1_000, 7_777, 50_000] {
        let (ftl, _) = rewrite(&drive(ReuseConfig::SecondWrite(certain()), 0.5), 320, writes);
        let expected = f64::from(writes) / f64::from(PAGES_PER_BLOCK) * 2.0 / 3.0;
        assert!(
            (ftl.erase_equivalents() - expected).abs() < 1.0,
            "{} of {expected}",
            ftl.erase_equivalents()
        );
    }
}

/// Section 3: second writes in the first 30% of the blocks' life are worth 15% more data.
#[test]
fn thirty_percent_of_a_life_with_second_writes_lengthen_it_by_fifteen() {
    let written = |reuse: ReuseConfig| {
        let mut config = drive(reuse, 1.0);
        config.flash.endurance_cycles = Some(100);
        config.ftl.striping = Striping::Dynamic;
        let mut ftl = Ftl::new(&config).unwrap();
        let exported = ftl.layout().exported_pages;
        // All data is hot, and short-lived: nothing is ever moved.
        let mut written = 0u64;
        let end = loop {
            match ftl.write(0, Lpn((written % u64::from(exported / 8)) as u32), HostWrite::WHOLE) {
                Ok(_) => written += 1,
                Err(end) => break end,
            }
        };
        assert!(matches!(end, FtlError::OutOfSpace { .. }));
        ftl.audit().unwrap();
        written as f64
    };
    let plain = written(ReuseConfig::Nothing {});
    for scheme in [certain(), by_the_paper()] {
        let longer = written(ReuseConfig::SecondWrite(scheme)) / plain;
        assert!((longer - 1.15).abs() < 0.005, "{longer}");
    }
}

/// Planes of a chip do not come to 30% of their blocks' lives at the same time. What one of them
/// has recycled then waits for partners that the other supplies no more; were it to wait, it would
/// count as ready for the rest of the drive's life, and all first writes would go to the other
/// plane.
#[test]
fn a_drive_lives_on_when_its_second_writes_end() {
    let guarded = SecondWriteConfig { guard: GuardChoice::GhostList, ..certain() };
    let written = |reuse| {
        let mut config = drive(reuse, 0.28);
        config.flash.endurance_cycles = Some(60);
        f64::from(written_until_worn_out(&config))
    };
    let plain = written(ReuseConfig::Nothing {});
    for scheme in [certain(), guarded] {
        let guard = scheme.guard;
        let life = written(ReuseConfig::SecondWrite(scheme)) / plain;
        assert!(life > 0.98, "guard {guard:?}: {life} of the plain drive's life");
    }
}

/// Pages that the host writes until a drive is out of space. Eight of ten go to a fifth of its
/// pages.
fn written_until_worn_out(config: &DriveConfig) -> u32 {
    let mut ftl = Ftl::new(config).unwrap();
    let pages = ftl.layout().exported_pages;
    let (mut random, mut written) = (1u32, 0u32);
    loop {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let below = if written % 10 < 2 { pages } else { pages / 5 };
        match ftl.write(0, Lpn((random >> 8) % below), HostWrite::WHOLE) {
            Ok(_) => written += 1,
            Err(_) => break,
        }
    }
    ftl.audit().unwrap();
    written
}

/// The clean blocks that second writes need are kept while there are second writes. A drive that
/// kept them to the end avoided planes too early, which changed its life by up to 0.05% here.
#[test]
fn a_guarded_drive_without_second_writes_lives_as_long_as_the_plain_drive_to_the_page() {
    let worn = SecondWriteConfig { guard: GuardChoice::GhostList, life_fraction: 1e-5, ..certain() };
    for (over_provisioning, cycles) in [(0.15, 40), (0.2, 100)] {
        let [guarded, plain] =
            [ReuseConfig::SecondWrite(worn.clone()), ReuseConfig::Nothing {}].map(|reuse| {
                let mut config = drive(reuse, over_provisioning);
                config.ftl.gc_threshold = 0.01;
                config.flash.endurance_cycles = Some(cycles);
                written_until_worn_out(&config)
            });
        assert_eq!(guarded, plain, "{over_provisioning} of spare space, {cycles} cycles");
    }
}

/// The ghost list is kept, and changes nothing.
#[test]
fn a_guarded_drive_whose_blocks_bear_no_second_writes_is_the_plain_drive() {
    let counts = |reuse: ReuseConfig| {
        let mut config = drive(reuse, 0.28);
        config.flash.endurance_cycles = Some(10_000);
        let (_, counters) = rewrite(&config, 640, 400_000);
        (counters.erases, counters.pages_moved, counters.second_writes)
    };
    let guarded = SecondWriteConfig { guard: GuardChoice::GhostList, ..certain() };
    let worn = SecondWriteConfig { life_fraction: 1e-5, ..guarded.clone() };
    let plain = counts(ReuseConfig::Nothing {});
    assert_eq!(counts(ReuseConfig::SecondWrite(worn)), plain);
    assert!(counts(ReuseConfig::SecondWrite(guarded)).2 > 0, "blocks that bear them take second writes");
}

/// Where nothing states a life, any other share of it is no limit.
#[test]
fn no_part_of_a_life_that_nothing_states_has_no_second_writes() {
    let writes = |life_fraction: f64| {
        let config = drive(ReuseConfig::SecondWrite(SecondWriteConfig { life_fraction, ..certain() }), 0.28);
        assert_eq!(config.flash.endurance_cycles, None);
        rewrite(&config, 640, 40_000).1.second_writes
    };
    assert_eq!(writes(0.0), 0);
    assert!(writes(1e-5) > 0);
}
