//! Extended P/E cycles against the paper's definitions, on random writes and overwrites of small
//! modelled drives.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::HashMap;

use proptest::prelude::*;
use rewear_flash::FlashConfig;
use rewear_flash::page_kind::PageOrder;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::{CleaningStep, FtlConfig, MovedTo};
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::seal::SealConfig;
use rewear_ftl::reuse::seal::victim_selection::Policy;
use rewear_ftl::state::units::low_then_high::Fill;
use rewear_ftl::{DriveConfig, Ftl, Lpn, Shape, SlotAddress};

const PAGES_PER_BLOCK: u32 = 16;

fn drive(seal: SealConfig, maps: bool, nests: bool) -> DriveConfig {
    let flash = FlashConfig {
        channels: 2,
        pages_per_block: PAGES_PER_BLOCK,
        bits_per_cell: 2,
        page_order: PageOrder::Paired,
        spare_bytes: 512,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10, 20],
            program_ns: vec![100, 200],
            erase_ns: 1000,
            channel_mb_per_s: 400,
        })
    };
    DriveConfig {
        ftl: FtlConfig {
            over_provisioning: 0.6,
            summary_pages: maps,
            summary_reads: maps,
            moved_to: match (maps, nests) {
                (_, true) => MovedTo::DriveNested,
                (true, _) => MovedTo::Drive,
                (false, _) => MovedTo::Pool,
            },
            copyback: !maps,
            ..FtlConfig::default()
        },
        reuse: ReuseConfig::Seal(seal),
        ..DriveConfig::plain("tiny", flash)
    }
}

fn write(ftl: &mut Ftl, lpn: u32, command: Command) {
    let write = HostWrite { coverage: Coverage::Whole, command, content: Content::Unknown };
    ftl.write(0, Lpn(lpn), write).unwrap();
}

fn is_low(slot: u32) -> bool {
    slot == 0 || (slot % 2 == 1 && slot + 1 != PAGES_PER_BLOCK)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn overwrites_go_where_the_paper_says(
        policy in prop_oneof![Just(Policy::Seal), Just(Policy::SealPreserve), Just(Policy::Automatic)],
        (limit, counts_first) in (1u8..9, any::<bool>()).prop_filter("fits", |&(limit, first)| first || limit < 8),
        (maps, nests) in any::<(bool, bool)>(),
        region in 1u32..200,
        steps in prop::collection::vec((any::<u32>(), 0u32..10), 500..3000),
    ) {
        let seal = SealConfig { victims: policy, limit, limit_counts_first: counts_first, ..SealConfig::default() };
        let mut ftl = Ftl::new(&drive(seal, maps, nests)).unwrap();
        let pages = ftl.layout().exported_pages;
        let programs_per_page = u32::from(limit) + u32::from(!counts_first);
        // Programs of each logical page at its present place, as far as they were overwrites.
        let mut programs: HashMap<u32, u32> = HashMap::new();
        let (mut overwrites, mut reprograms) = (0u64, 0u64);
        for (number, share) in steps {
            let command = if share < 7 { Command::Overwrite } else { Command::Write };
            let lpn = match command {
                Command::Overwrite => number % region.min(pages),
                Command::Write => number % pages,
            };
            let before = ftl.find(Lpn(lpn));
            let erases = ftl.counters().erases;
            let fill_before = before.map(|at| ftl.fill(at.unit));
            write(&mut ftl, lpn, command);
            let SlotAddress { unit, slot } = ftl.find(Lpn(lpn)).unwrap();
            let again = ftl.reprograms() > reprograms;
            reprograms += u64::from(again);
            prop_assert_eq!(ftl.reprograms(), reprograms, "at most one program a write is a program again");
            if command == Command::Write {
                prop_assert!(!again);
                let at = SlotAddress { unit, slot };
                prop_assert!(ftl.fill(unit) != Fill::Low || Some(at) == before, "writes go to write units");
                programs.remove(&lpn);
                continue;
            }
            overwrites += 1;
            prop_assert_eq!(ftl.fill(unit), Fill::Low);
            prop_assert!(is_low(slot.0));
            if again {
                prop_assert_eq!(before, Some(SlotAddress { unit, slot }));
                prop_assert_eq!(fill_before, Some(Fill::Low), "a sealed page, or one of a write unit, is never programmed again");
                *programs.get_mut(&lpn).unwrap() += 1;
                prop_assert!(programs[&lpn] <= programs_per_page);
            } else {
                let at = SlotAddress { unit, slot };
                prop_assert!(before != Some(at) || ftl.counters().erases > erases);
                if fill_before == Some(Fill::Low) {
                    prop_assert_eq!(programs[&lpn], programs_per_page, "only the limit moves a page that could stay");
                }
                programs.insert(lpn, 1);
            }
        }
        ftl.audit().unwrap();
        let counters = ftl.counters();
        prop_assert_eq!(counters.events.overwrites, overwrites);
        prop_assert_eq!(counters.programmed.host, counters.host_pages_written);
        prop_assert_eq!(counters.garbage_collections, counters.erases);
        if maps {
            // Sealing and cleaning read an inverse map each; each unit that was closed has written
            // one.
            prop_assert_eq!(counters.read.metadata, counters.seals + counters.garbage_collections);
            prop_assert!(counters.programmed.metadata >= counters.read.metadata);
        } else {
            prop_assert_eq!(counters.read.metadata + counters.programmed.metadata, 0);
        }
    }
}

/// One pool, an overwrite unit and full write units: the first time that room is short, the
/// overwrite unit is sealed, and with `seal-preserve` it is not, unless the write units are full of
/// valid pages.
#[test]
fn the_policies_count_high_pages_as_the_paper_says() {
    for (victims, seals) in [(Policy::Seal, true), (Policy::SealPreserve, false)] {
        let mut config = drive(SealConfig { victims, ..SealConfig::default() }, false, false);
        config.flash.channels = 1;
        let mut ftl = Ftl::new(&config).unwrap();
        // Eight low pages of valid data in a full overwrite unit, and the next one begun.
        (0..9).for_each(|lpn| write(&mut ftl, lpn, Command::Overwrite));
        // Every write unit keeps ten valid pages: more than the eight of the overwrite unit, and
        // less than eight and its eight high pages.
        let mut unit: Vec<u32> = (9..25).collect();
        while ftl.counters().seals + ftl.counters().garbage_collections == 0 {
            unit.iter().for_each(|&lpn| write(&mut ftl, lpn, Command::Write));
            let next = unit.iter().max().unwrap() + 1;
            unit = unit[..6].iter().copied().chain(next..next + 10).collect();
        }
        assert_eq!(ftl.counters().seals > 0, seals, "{victims:?}");
        assert_eq!(ftl.fill(ftl.find(Lpn(0)).unwrap().unit), if seals { Fill::High } else { Fill::Low });
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_key() {
    let message = |change: &dyn Fn(&mut DriveConfig)| {
        let mut config = drive(SealConfig::default(), true, false);
        change(&mut config);
        Shape::new(&config).unwrap_err().to_string()
    };
    let seal = |seal: SealConfig| message(&|config| config.reuse = ReuseConfig::Seal(seal.clone()));
    assert!(message(&|config| config.flash.pages_per_block = 4).contains("flash.pages_per_block"));
    let slc = message(&|config| {
        (config.flash.bits_per_cell, config.flash.page_order) = (1, PageOrder::Alternating);
        config.flash.timing.read_ns = vec![10];
        config.flash.timing.program_ns = vec![10];
    });
    assert!(slc.contains("flash.bits_per_cell"), "{slc}");
    assert!(seal(SealConfig { limit: 0, ..SealConfig::default() }).contains("reuse.limit"));
    let nine = seal(SealConfig { limit_counts_first: false, ..SealConfig::default() });
    assert!(nine.contains("576 bytes of ECC") && nine.contains("512"), "{nine}");
    for step in [CleaningStep::OneUnit, CleaningStep::RestoreLazy, CleaningStep::RestoreEager] {
        assert!(message(&|config| config.ftl.cleaning_step = step).contains("ftl.cleaning_step"));
    }
    assert!(message(&|config| config.ftl.summary_pages = false).contains("ftl.summary_reads"));
}

/// Write amplification and the spread of collections over pools of random writes, by where moved
/// pages go.
#[test]
fn collections_within_collections_end_and_deal_a_victim_round_the_pools() {
    let moved_by = |moved_to| {
        let mut config = drive(SealConfig::default(), false, false);
        config.flash.channels = 8;
        (config.ftl.moved_to, config.ftl.copyback) = (moved_to, false);
        let mut ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        let mut random = 1u64;
        for _ in 0..60 * pages {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            write(&mut ftl, (random >> 33) as u32 % pages, Command::Write);
        }
        ftl.audit().unwrap();
        ftl.counters().pages_moved as f64 / (60 * pages) as f64
    };
    let (pool, drive, nested) =
        (moved_by(MovedTo::Pool), moved_by(MovedTo::Drive), moved_by(MovedTo::DriveNested));
    // Under uniform writes it does not matter much where pages go: all pools are alike.
    assert!(nested > 0.0 && (nested / pool - 1.0).abs() < 0.1, "{pool} {drive} {nested}");
}

#[test]
fn collections_within_collections_are_refused_where_units_span_planes() {
    let mut config = drive(SealConfig::default(), false, true);
    config.ftl.erase_unit = rewear_ftl::config::EraseUnit::Drive;
    let refused = Ftl::new(&config).unwrap_err();
    assert_eq!(refused.key, "ftl.moved_to", "{refused}");
}
