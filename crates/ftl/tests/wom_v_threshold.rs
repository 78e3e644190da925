//! Data on real cells survives exactly up to the threshold of invalid cells.
#![allow(clippy::unwrap_used, missing_docs)]

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::wom_v::{Code, EccCheck, EccThreshold, Invalid};
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::host::Command;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PAGE_BYTES: usize = 4096;

fn drive(data_bits: u8, ecc_check: InvalidCellCheck, share: f64) -> Ftl {
    let flash = FlashConfig {
        blocks_per_plane: 8,
        pages_per_block: 8,
        bits_per_cell: 4,
        page_bytes: PAGE_BYTES as u32,
        medium: MediumKind::Stored,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10],
            program_ns: vec![100],
            erase_ns: 1000,
            channel_mb_per_s: 400,
        })
    };
    let config = WomVConfig { ecc_check, ecc_threshold: Some(share), ..WomVConfig::baseline(data_bits) };
    let mut drive = DriveConfig { reuse: ReuseConfig::WomV(config), ..DriveConfig::plain("tiny", flash) };
    drive.ftl.over_provisioning = 0.8;
    Ftl::new(&drive).unwrap()
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
