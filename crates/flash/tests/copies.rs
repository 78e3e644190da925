//! Rows of pages that are copied, read or programmed are what each of their pages is.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::copies::{Copied, RowStart};
use rewear_flash::medium::CellFormat;
use rewear_flash::page_kind::PageOrder;
use rewear_flash::timing::{ModeTiming, TimingConfig};
use rewear_flash::{Address, Array, FlashConfig, ProgramAgain, ProgramMode, Transfer};

const NORMAL: ProgramMode = ProgramMode::NORMAL;
const PAGES: u32 = 12;

/// Two blocks of which so many pages are programmed, and whether the second takes another pass. Cells
/// have two bits where low pages are programmed again, and three otherwise. Mode 1 is quicker.
fn array(
    one_read_time: bool,
    rule: ProgramAgain,
    service_unit: ServiceUnit,
    programmed: [u32; 2],
    is_reopened: bool,
) -> Array {
    let kinds = if matches!(rule, ProgramAgain::LowPages { .. }) { 2 } else { 3 };
    let read_ns = [50, 60, 80][..kinds].to_vec();
    let program_ns = [500, 900, 2000][..kinds].to_vec();
    let quick =
        ModeTiming { read_ns: read_ns.iter().map(|ns| 3 * ns).collect(), program_ns: vec![200; kinds] };
    let config = FlashConfig {
        blocks_per_plane: 2,
        pages_per_block: PAGES,
        page_bytes: 512,
        bits_per_cell: kinds as u8,
        page_order: if kinds == 2 { PageOrder::Paired } else { PageOrder::default() },
        medium: MediumKind::Modelled,
        service_unit,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: if one_read_time { vec![50] } else { read_ns },
            program_ns,
            erase_ns: 3000,
            channel_mb_per_s: 512,
        })
    };
    let mut array = Array::new(&config, rule, CellFormat::binary(512), &[quick]).unwrap();
    for (block, pages) in (0..).zip(programmed) {
        for page in 0..pages {
            array.program(0, Address { plane: 0, block, page }, NORMAL, Transfer::None).unwrap();
        }
    }
    if is_reopened {
        let _ = array.reopen(1);
    }
    array
}

fn rules() -> impl Strategy<Value = ProgramAgain> {
    prop::sample::select(vec![
        ProgramAgain::Never,
        ProgramAgain::Passes { limit: 3 },
        ProgramAgain::Pages { limit: 2 },
        ProgramAgain::LowPages { limit: 3 },
    ])
}

/// An array whose clock stands, is heard or runs, twice.
fn twice(array: Array, clock: u32) -> [Array; 2] {
    let mut array = array;
    match clock {
        0 => array.stop_clock(),
        1 => array.watch_queues(),
        _ => {}
    }
    [array.clone(), array]
}

fn are_equal(row: &Array, each: &Array) -> Result<(), TestCaseError> {
    prop_assert_eq!(row.busy_ns(), each.busy_ns());
    prop_assert_eq!((row.idle_at(), row.reprograms()), (each.idle_at(), each.reprograms()));
    for page in 0..PAGES {
        let place = Address { plane: 0, block: 1, page };
        prop_assert_eq!(row.is_programmed(place), each.is_programmed(place));
        let programs = [row, each].map(|array| array.clone().program(0, place, NORMAL, Transfer::None));
        prop_assert_eq!(&programs[0], &programs[1]);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_row_is_copied_as_its_pages_are(
        programmed in [0..=PAGES, 0..=PAGES],
        pages in prop::collection::btree_set(0..PAGES, 0..=PAGES as usize),
        first in 0..=PAGES,
        in_order in any::<bool>(),
        asked_at in 0u64..40_000,
        one_read_time in any::<bool>(),
        is_reopened in any::<bool>(),
        rule in rules(),
        clock in 0..3u32,
        modes in prop::collection::vec([0u8..2, 0u8..2], PAGES as usize),
        are_normal in any::<bool>(),
    ) {
        let service_unit = if clock == 2 { ServiceUnit::Die } else { ServiceUnit::Plane };
        let [mut row, mut each] =
            twice(array(one_read_time, rule, service_unit, programmed, is_reopened), clock);
        let first = if in_order { if is_reopened { 0 } else { programmed[1] } } else { first };
        let pages: Vec<u32> = pages.into_iter().collect();
        let mode = |mode: u8| ProgramMode(if are_normal { 0 } else { mode });
        let copies: Vec<_> = pages
            .iter()
            .zip(&modes)
            .map(|(&page, &[read, program])| Copied { page, read: mode(read), program: mode(program) })
            .collect();
        let together = match are_normal {
            true => row.copy_back_row(asked_at, 0, (0, pages.iter().copied()), RowStart { block: 1, first }),
            false => row.copy_back_row_in_modes(asked_at, 0, (0, copies.iter().copied()), RowStart { block: 1, first }),
        };
        let alone = copies.iter().zip(first..).try_fold(asked_at, |end, (copy, place)| {
            let from = Address { plane: 0, block: 0, page: copy.page };
            let to = Address { plane: 0, block: 1, page: place };
            each.copy_back(asked_at, (from, copy.read), (to, copy.program)).map(|copied| end.max(copied))
        });
        prop_assert_eq!(together, alone);
        are_equal(&row, &each)?;
    }

    #[test]
    fn a_row_is_read_and_programmed_as_its_pages_are(
        programmed in [0..=PAGES, 0..=PAGES],
        (first, pages) in (0..PAGES, 1u32..4),
        in_order in any::<bool>(),
        asked_at in 0u64..40_000,
        is_reopened in any::<bool>(),
        rule in rules(),
        clock in 0..3u32,
        mode in (0u8..2).prop_map(ProgramMode),
    ) {
        let [mut row, mut each] =
            twice(array(false, rule, ServiceUnit::Plane, programmed, is_reopened), clock);
        let first = if in_order { if is_reopened { 0 } else { programmed[1] } } else { first };
        let at = |page| Address { plane: 0, block: 1, page };
        let together = row.program_row(asked_at, at(first), pages, mode);
        let alone = (first..first + pages).try_fold(asked_at, |end, page| {
            each.program(asked_at, at(page), mode, Transfer::Channel).map(|programmed| end.max(programmed))
        });
        prop_assert_eq!(together, alone);
        are_equal(&row, &each)?;
        if (first..first + pages).all(|page| row.is_programmed(at(page))) {
            let together = row.read_row(asked_at, at(first), pages, mode);
            let alone = (first..first + pages).try_fold(asked_at, |end, page| {
                each.read(asked_at, at(page), mode, Transfer::Channel).map(|read| end.max(read))
            });
            prop_assert_eq!(together, alone);
            are_equal(&row, &each)?;
        }
    }
}
