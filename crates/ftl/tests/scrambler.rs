//! Structured data through the scrambler: codes meet random cells, and what was written is read,
//! moved, recycled and mounted.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::config::MediumKind;
use rewear_flash::{Address, FlashConfig};
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::{Command, HostWrite};
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::lx::config::{Answers, LxConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::GuardChoice;
use rewear_ftl::reuse::second_write::hot_cold_separation::SeparationConfig;
use rewear_ftl::reuse::wom_v::WomVConfig;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PAGE_BYTES: usize = 4096;

fn drive(reuse: ReuseConfig, scrambler: bool) -> DriveConfig {
    let flash = FlashConfig {
        planes_per_die: 2,
        blocks_per_plane: 16,
        pages_per_block: 16,
        page_bytes: PAGE_BYTES as u32,
        bits_per_cell: if matches!(reuse, ReuseConfig::WomV(_)) { 4 } else { 1 },
        medium: MediumKind::Stored,
        scrambler,
        ..FlashConfig::single_plane(timing(10, 100, 400))
    };
    let ftl = FtlConfig {
        over_provisioning: 1.2,
        recovery: RecoveryConfig::Log(LogConfig::default()),
        ..FtlConfig::default()
    };
    DriveConfig { reuse, ftl, ..DriveConfig::plain("structured", flash) }
}

fn second_write() -> ReuseConfig {
    ReuseConfig::SecondWrite(SecondWriteConfig {
        separation: SeparationConfig::Nothing {},
        success_probability: Some(1.0),
        guard: GuardChoice::Nothing,
        ..SecondWriteConfig::default()
    })
}

/// Buffers as fio fills them: 1, 2, 3 and 5 times a number, then those of its next multiple; in
/// most pages, of an even one.
fn structured(number: u64) -> Vec<u8> {
    let mut multiple = (Xoshiro256PlusPlus::seed_from_u64(number).next_u64() & !7) | 8;
    let mut page = Vec::with_capacity(PAGE_BYTES);
    while page.len() < PAGE_BYTES {
        page.extend([1, 2, 3, 5].iter().flat_map(|&factor| multiple.wrapping_mul(factor).to_le_bytes()));
        multiple = multiple.wrapping_mul(0x61c8_8646_80b5_83eb);
    }
    page
}

/// Mostly zeros, in the same places of all pages.
fn sparse(number: u64) -> Vec<u8> {
    random(number)
        .into_iter()
        .zip((0u8..=255).cycle())
        .map(|(byte, at)| if at % 4 == 0 { byte } else { 0 })
        .collect()
}

fn random(number: u64) -> Vec<u8> {
    let mut page = vec![0; PAGE_BYTES];
    Xoshiro256PlusPlus::seed_from_u64(number).fill_bytes(&mut page);
    page
}

/// Fills the drive, writes pages at random, and compares all of them, then once more after a mount.
fn work(config: &DriveConfig, writes: u64, content: fn(u64) -> Vec<u8>) -> Ftl {
    let mut ftl = Ftl::new(config).unwrap();
    let pages = ftl.layout().exported_pages;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut held = vec![0; pages as usize];
    for number in 0..u64::from(pages) + writes {
        let lpn = if number < u64::from(pages) { number as u32 } else { rng.next_u32() % pages };
        // Contents return, so that there is something to recycle.
        held[lpn as usize] = rng.next_u64() % 400;
        let data = content(held[lpn as usize]);
        ftl.write_bytes(0, Lpn(lpn), 0, &data, Command::Write).unwrap();
    }
    let compare = |ftl: &mut Ftl| {
        let mut page = vec![0; PAGE_BYTES];
        for (lpn, &number) in (0..).zip(&held) {
            ftl.read_bytes(Lpn(lpn), &mut page).unwrap();
            assert!(page == content(number), "{}: page {lpn}", config.name);
        }
    };
    compare(&mut ftl);
    ftl.audit().unwrap();
    // Power fails here: nothing was closed.
    ftl.flush(0).unwrap();
    let (mut mounted, _) = Ftl::mount(config, ftl.clone().into_cells().unwrap()).unwrap();
    compare(&mut mounted);
    ftl
}

#[test]
fn second_writes_of_structured_data_succeed_as_those_of_random_data() {
    let rate = |scrambler, content| {
        let counters = *work(&drive(second_write(), scrambler), 1500, content).counters();
        let tried = counters.second_writes + counters.second_write_fallbacks;
        assert!(tried > 100, "{tried} second writes were tried");
        counters.second_writes as f64 / tried as f64
    };
    let (plain, scrambled) = (rate(false, structured), rate(true, structured));
    let (random_plain, random_scrambled) = (rate(false, random), rate(true, random));
    println!("structured {plain} {scrambled}, random {random_plain} {random_scrambled}");
    assert!(plain < 0.1, "{plain} without");
    for rate in [scrambled, random_plain, random_scrambled] {
        assert!(rate > 0.97, "{rate}");
    }
}

#[test]
fn wom_v_wears_out_as_fast_by_sparse_data_as_by_random_data() {
    let programs_per_erase = |scrambler, content| {
        let ftl = work(&drive(ReuseConfig::WomV(WomVConfig::baseline(2)), scrambler), 3000, content);
        ftl.counters().programmed.total() as f64 / ftl.erase_equivalents()
    };
    let (plain, scrambled) = (programs_per_erase(false, sparse), programs_per_erase(true, sparse));
    let random = programs_per_erase(true, random);
    println!("sparse {plain} {scrambled}, random {random}");
    assert!(plain > 1.05 * random, "{plain} {random}");
    assert!((scrambled / random - 1.0).abs() < 0.02, "{scrambled} {random}");
}

#[test]
fn recycled_and_shared_pages_are_read_by_the_place_that_they_lie_at() {
    for answers in [Answers::All, Answers::Invalid] {
        for reuse in [second_write(), ReuseConfig::WomV(WomVConfig::baseline(2))] {
            let recycle = RecycleConfig::Lx(LxConfig { answers, ..LxConfig::default() });
            let counters = *work(&DriveConfig { recycle, ..drive(reuse, true) }, 1500, structured).counters();
            assert!(counters.events.writes_recycled > 100, "{}", counters.events.writes_recycled);
            assert!(answers == Answers::Invalid || counters.events.writes_deduplicated > 100);
        }
    }
}

/// The levels of the first pages of block 0.
fn images(ftl: &Ftl, pages: u32) -> Vec<Vec<u8>> {
    let cells = ftl.array().stored().unwrap();
    let image = |page| {
        let mut image = vec![0; cells.image_bytes()];
        cells.read(Address { plane: 0, block: 0, page }, &mut image).unwrap();
        image
    };
    (0..pages).map(image).collect()
}

#[test]
fn equal_pages_lie_on_different_cells_unless_the_scheme_has_no_use_for_it() {
    let distinct = |reuse, scrambler| {
        let mut ftl = Ftl::new(&drive(reuse, scrambler)).unwrap();
        // The first ones go to the plane without the log.
        for lpn in 0..80 {
            ftl.write_bytes(0, Lpn(lpn), 0, &[0x55; PAGE_BYTES], Command::Write).unwrap();
        }
        let mut images = images(&ftl, 8);
        images.sort();
        images.dedup();
        images.len()
    };
    assert_eq!((distinct(second_write(), true), distinct(second_write(), false)), (8, 1));
    assert_eq!(distinct(ReuseConfig::Nothing {}, true), 1);
}

#[test]
fn modelled_cells_know_of_no_scrambler() {
    let modelled = |scrambler| {
        let mut config = drive(second_write(), scrambler);
        config.flash.medium = MediumKind::Modelled;
        let mut ftl = Ftl::new(&config).unwrap();
        for write in 0..3000u32 {
            ftl.write(
                0,
                Lpn(write.wrapping_mul(2_654_435_761) % ftl.layout().exported_pages),
                HostWrite::WHOLE,
            )
            .unwrap();
        }
        *ftl.counters()
    };
    assert_eq!(modelled(true), modelled(false));
}
