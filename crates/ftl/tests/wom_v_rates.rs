//! WOM-v with a rate that follows the drive's fullness: the exported capacity is there at any time,
//! and what lies on the cells is read back under whichever code it was written.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::{EraseUnit, MovedPages};
use rewear_ftl::host::{Command, HostWrite};
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::victim::d_choices::DChoicesConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, Lpn, Shape};

fn flash(bits_per_cell: u8) -> FlashConfig {
    FlashConfig {
        blocks_per_plane: 24,
        pages_per_block: 24,
        page_bytes: 512,
        bits_per_cell,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10],
            program_ns: vec![100],
            erase_ns: 1000,
            channel_mb_per_s: 400,
        })
    }
}

fn drive(bits_per_cell: u8, config: WomVConfig) -> DriveConfig {
    let mut drive = DriveConfig {
        reuse: ReuseConfig::WomV(config),
        ..DriveConfig::plain("changing", flash(bits_per_cell))
    };
    drive.ftl.over_provisioning = 0.3;
    drive
}

fn changing(codes: &[u8]) -> WomVConfig {
    WomVConfig { denser_codes: codes[1..].to_vec(), ..WomVConfig::baseline(codes[0]) }
}

/// The sets of codes whose logical pages stay small.
const CODES: [(u8, &[u8]); 12] = [
    (2, &[1, 2]),
    (3, &[1, 3]),
    (3, &[1, 2, 3]),
    (3, &[1, 2]),
    (4, &[1, 2, 4]),
    (4, &[2, 4]),
    (4, &[1, 2, 3, 4]),
    (4, &[1, 2]),
    (5, &[1, 5]),
    (5, &[1, 2, 5]),
    (6, &[1, 2, 3, 6]),
    (6, &[2, 4, 6]),
];

/// The part of the logical pages that is in use, from one phase to the next, and writes into it.
fn phases() -> impl Strategy<Value = Vec<(f64, u32)>> {
    let share = prop_oneof![0.01f64..0.3, 0.0f64..=1.0, Just(1.0)];
    prop::collection::vec((share, 200u32..2500), 1..6)
}

fn config() -> impl Strategy<Value = DriveConfig> {
    let reopen = prop_oneof![
        Just(Reopening::AfterMoving),
        Just(Reopening::InPlace),
        Just(Reopening::InPlaceIntact),
        Just(Reopening::InPlaceAny),
    ];
    let check =
        prop_oneof![Just(InvalidCellCheck::Pre), Just(InvalidCellCheck::Post), Just(InvalidCellCheck::Unit)];
    let victim = prop_oneof![
        3 => Just(VictimConfig::Greedy {}),
        1 => Just(VictimConfig::CostBenefit {}),
        1 => (1u32..8).prop_map(|choices| VictimConfig::DChoices(DChoicesConfig { choices })),
    ];
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Drive)];
    let moved = prop_oneof![Just(MovedPages::Together), Just(MovedPages::Apart)];
    let layout = (erase_unit, moved, victim, 1u32..3, 0.0f64..0.2);
    (0..CODES.len(), reopen, check, any::<bool>(), 0.1f64..0.99, layout, any::<bool>()).prop_map(
        |(codes, reopen, ecc_check, no_read, max_fill, layout, stored)| {
            let (bits, codes) = CODES[codes];
            let mut drive =
                drive(bits, WomVConfig { reopen, ecc_check, no_read, max_fill, ..changing(codes) });
            let (erase_unit, moved_pages, victim, channels, gc_threshold) = layout;
            (drive.ftl.erase_unit, drive.ftl.moved_pages, drive.ftl.victim) =
                (erase_unit, moved_pages, victim);
            drive.ftl.gc_threshold = gc_threshold;
            drive.flash.channels = channels;
            drive.flash.medium = if stored { MediumKind::Stored } else { MediumKind::Modelled };
            // As little as the reserve allows: full means full.
            drive.ftl.over_provisioning = 0.05;
            while Shape::new(&drive).is_err() {
                drive.ftl.over_provisioning += 0.02;
            }
            drive
        },
    )
}

/// A drive and the byte that fills each of its pages.
struct Filled {
    ftl: Ftl,
    bytes: Vec<Option<u8>>,
    now: u64,
    stored: bool,
}

impl Filled {
    fn write(&mut self, lpn: u32, byte: u8) {
        let page = vec![byte; self.ftl.layout().logical_page_bytes as usize];
        self.now = if self.stored {
            self.ftl.write_bytes(self.now, Lpn(lpn), 0, &page, Command::Write).unwrap()
        } else {
            self.ftl.write(self.now, Lpn(lpn), HostWrite::WHOLE).unwrap()
        };
        self.bytes[lpn as usize] = Some(byte);
    }

    fn check(&mut self, lpn: u32, page: &mut [u8]) {
        self.now = self.ftl.read(self.now, Lpn(lpn)).unwrap();
        if self.stored {
            self.ftl.read_bytes(Lpn(lpn), page).unwrap();
            let expected = self.bytes[lpn as usize].unwrap_or(0);
            assert!(page.iter().all(|&byte| byte == expected), "page {lpn}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// However the fullness came and went.
    #[test]
    fn every_exported_page_can_be_written_and_read_at_any_time(config in config(), phases in phases(), step in 1u32..9999) {
        let ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        let stored = config.flash.medium == MediumKind::Stored;
        let mut page = vec![0; ftl.layout().logical_page_bytes as usize];
        let mut drive = Filled { ftl, bytes: vec![None; pages as usize], now: 0, stored };
        let mut at = 0u32;
        for (share, writes) in phases {
            let used = ((f64::from(pages) * share) as u32).clamp(1, pages);
            for lpn in used..pages {
                drive.ftl.trim(Lpn(lpn)).unwrap();
                drive.bytes[lpn as usize] = None;
            }
            (0..used).for_each(|lpn| drive.write(lpn, lpn as u8));
            for write in 0..writes {
                at = at.wrapping_mul(747_796_405).wrapping_add(step);
                drive.write((at >> 8) % used, write as u8);
                drive.check((at >> 16) % pages, &mut page);
            }
            drive.ftl.audit().unwrap();
            (0..pages).for_each(|lpn| drive.check(lpn, &mut page));
        }
        (0..pages).for_each(|lpn| drive.write(lpn, 7));
        (0..pages).for_each(|lpn| drive.check(lpn, &mut page));
        drive.ftl.audit().unwrap();
    }
}

/// Erases for as many random writes as fill the drive thirty times, and the share of units with
/// each code at the end.
fn erases(config: &DriveConfig, pages: u32) -> (f64, Vec<(u8, u32)>) {
    let mut ftl = Ftl::new(config).unwrap();
    let (mut now, mut at) = (0, 1u32);
    let volume = 30 * 24 * 24;
    for write in 0..volume + pages {
        at = at.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let lpn = if write < pages { write } else { (at >> 8) % pages };
        now = ftl.write(now, Lpn(lpn), HostWrite::WHOLE).unwrap();
    }
    (ftl.erase_equivalents(), ftl.units_by_code().unwrap_or_default())
}

#[test]
fn an_empty_drive_erases_as_rarely_as_its_sparsest_code_and_a_full_one_as_the_plain_drive() {
    for (bits, codes) in [(2, &[1, 2][..]), (3, &[1, 3]), (4, &[1, 2, 4]), (5, &[1, 5])] {
        let plain = DriveConfig { reuse: ReuseConfig::default(), ..drive(bits, changing(codes)) };
        let exported = Shape::new(&plain).unwrap().layout.exported_pages;
        assert_eq!(exported, Shape::new(&drive(bits, changing(codes))).unwrap().layout.exported_pages);
        let mut fixed = drive(bits, WomVConfig::baseline(codes[0]));
        fixed.ftl.over_provisioning = 0.6;
        let few = Shape::new(&fixed).unwrap().layout.exported_pages / 2;
        let (sparse, _) = erases(&fixed, few);
        let (empty, units) = erases(&drive(bits, changing(codes)), few);
        assert!((empty / sparse - 1.0).abs() < 0.1, "{codes:?}: {empty}, the sparsest code alone {sparse}");
        assert!(units[0].1 > 20, "{codes:?}: {units:?}");
        let (without, _) = erases(&plain, exported);
        // `AfterMoving` has one unit more in reserve, which is much of the spare space of a drive
        // so small.
        let in_place = WomVConfig { reopen: Reopening::InPlace, ..changing(codes) };
        let (full, units) = erases(&drive(bits, in_place), exported);
        assert!((full / without - 1.0).abs() < 0.05, "{codes:?}: {full}, without a code {without}");
        assert!(units[codes.len() - 1].1 > 20, "{codes:?}: {units:?}");
    }
}

#[test]
fn codes_that_do_not_go_together_are_refused_with_the_key() {
    for (bits, k, denser, max_fill, key) in [
        (4, 1, vec![1], 0.8, "reuse.denser_codes"),
        (4, 2, vec![4, 3], 0.8, "reuse.denser_codes"),
        (4, 1, vec![5], 0.8, "reuse.denser_codes"),
        (5, 1, vec![2, 3, 4, 5], 0.8, "reuse.denser_codes"),
        (4, 1, vec![4], 1.0, "reuse.max_fill"),
        (4, 4, vec![], 0.8, "reuse.data_bits"),
        (4, 0, vec![4], 0.8, "reuse.data_bits"),
    ] {
        let config = WomVConfig { denser_codes: denser.clone(), max_fill, ..WomVConfig::baseline(k) };
        let refused = Ftl::new(&drive(bits, config)).unwrap_err();
        assert_eq!(refused.key, key, "{k} {denser:?}: {refused}");
    }
}
