//! Data on real cells survives exactly up to the threshold of invalid cells.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::wom_v::{Code, EccCheck, EccThreshold, Invalid};
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_ftl::host::{Command, HostWrite};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PAGE_BYTES: usize = 4096;

fn drive(data_bits: u8, ecc_check: InvalidCellCheck, share: f64) -> Ftl {
    Ftl::new(&configured(data_bits, ecc_check, share, MediumKind::Stored)).unwrap()
}

fn configured(data_bits: u8, ecc_check: InvalidCellCheck, share: f64, medium: MediumKind) -> DriveConfig {
    let flash = FlashConfig {
        blocks_per_plane: 8,
        pages_per_block: 8,
        bits_per_cell: 4,
        page_bytes: PAGE_BYTES as u32,
        medium,
        ..FlashConfig::single_plane(timing(10, 100, 400))
    };
    let config = WomVConfig { ecc_check, ecc_threshold: Some(share), ..WomVConfig::baseline(data_bits) };
    let mut drive = DriveConfig { reuse: ReuseConfig::WomV(config), ..DriveConfig::plain("tiny", flash) };
    drive.ftl.over_provisioning = 0.8;
    drive
}

/// Writes that the cells of a slot take before one would exceed the limit, by the code alone.
fn bare_code(code: Code, limit: usize, rng: &mut Xoshiro256PlusPlus) -> u32 {
    let mut image = vec![0; code.image_bytes(PAGE_BYTES)];
    let mut invalid = Invalid::new(code.cells_for(PAGE_BYTES));
    let mut data = vec![0; PAGE_BYTES];
    let mut writes = 0;
    loop {
        rng.fill_bytes(&mut data);
        // Here the limit is one of the whole slot; its pages differ from each other by chance only.
        if code.preview(&data, &image, &invalid).unwrap().invalid > limit {
            return writes;
        }
        code.encode(&data, &mut image, &mut invalid).unwrap();
        writes += 1;
    }
}

/// Writes of a page between two erases, on modelled cells.
fn modelled_cycles(ftl: &mut Ftl) -> f64 {
    let pages = u64::from(ftl.layout().exported_pages);
    let (mut now, mut written) = (0, 0u64);
    while ftl.counters().erases < 40 {
        now = ftl.write(now, Lpn((written % pages) as u32), HostWrite::WHOLE).unwrap();
        written += 1;
    }
    written as f64 / f64::from(ftl.layout().slots_per_unit) / ftl.erase_equivalents()
}

/// Writes of a page between two erases; every page is read back after every write.
fn cycles(ftl: &mut Ftl) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let pages = ftl.layout().exported_pages;
    let mut data = vec![0; ftl.layout().logical_page_bytes as usize];
    let mut back = data.clone();
    let (mut now, mut written) = (0, 0u64);
    while ftl.counters().erases < 40 {
        rng.fill_bytes(&mut data);
        let lpn = (written % u64::from(pages)) as u32;
        now = ftl.write_bytes(now, Lpn(lpn), 0, &data, Command::Write).unwrap();
        ftl.read_bytes(Lpn(lpn), &mut back).unwrap();
        assert_eq!(data, back, "after {written} writes");
        written += 1;
    }
    let slots = f64::from(ftl.layout().slots_per_unit);
    written as f64 / slots / ftl.erase_equivalents()
}

#[test]
fn pages_take_the_writes_of_the_bare_code_and_lose_nothing() {
    for (k, share) in [(2, 0.03), (1, 0.03), (2, 0.0), (3, 0.2)] {
        let code = Code::new(k, 4).unwrap();
        let limit = EccThreshold { check: EccCheck::Pre, max_invalid_share: share };
        let bare = bare_code(
            code,
            limit.limit(code.cells_for(PAGE_BYTES)),
            &mut Xoshiro256PlusPlus::seed_from_u64(3),
        );
        let pre = cycles(&mut drive(k, InvalidCellCheck::Pre, share));
        let post = cycles(&mut drive(k, InvalidCellCheck::Post, share));
        let bare = f64::from(bare);
        assert!((pre - bare).abs() < 0.7, "k {k}, {share}: {pre}, the bare code {bare}");
        assert!((post - bare - 1.0).abs() < 0.7, "k {k}, {share}: {post}, the bare code {bare} and one");
    }
}

#[test]
fn cells_in_the_last_generation_end_a_page_before_invalid_ones_do() {
    // Of (2,4) 5.5% of the cells are at level 12 or above after five writes, and 0.4% after four.
    // The two generations of (3,4) share level 7, which an eighth of the cells has after one write.
    for (k, writes) in [(2, 5.0), (1, 19.0), (3, 1.0)] {
        let check = InvalidCellCheck::LastGeneration;
        let stored = cycles(&mut drive(k, check, 0.03));
        let config = configured(k, check, 0.03, MediumKind::Modelled);
        let modelled = modelled_cycles(&mut Ftl::new(&config).unwrap());
        assert!((stored - writes).abs() < 0.05, "k {k}: stored cells take {stored}");
        assert!((modelled - writes).abs() < 0.05, "k {k}: modelled cells take {modelled}");
    }
}

#[test]
fn what_is_lost_under_the_last_generation_stays_below_its_threshold() {
    // Only a cell of the last generation can become invalid, and a page is written while few are.
    let code = Code::new(2, 4).unwrap();
    let limit = EccThreshold { check: EccCheck::LastGeneration, max_invalid_share: 0.03 };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut image = vec![0; code.image_bytes(PAGE_BYTES)];
    let cells = code.cells_for(PAGE_BYTES);
    let mut invalid = Invalid::new(cells);
    let mut data = vec![0; PAGE_BYTES];
    let in_last = |image: &[u8]| {
        (0..cells).filter(|&cell| code.level(image, cell).unwrap() >= code.last_generation()).count()
    };
    let mut writes = 0;
    while in_last(&image) <= limit.limit(cells) {
        rng.fill_bytes(&mut data);
        code.encode(&data, &mut image, &mut invalid).unwrap();
        writes += 1;
    }
    assert_eq!(writes, 5);
    assert!(invalid.count() <= limit.limit(cells), "{} invalid cells", invalid.count());
}
