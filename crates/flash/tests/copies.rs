//! Copies of a row of pages are what copies of each of its pages are.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::medium::CellFormat;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, ProgramAgain, ProgramMode, Transfer};

const NORMAL: ProgramMode = ProgramMode::NORMAL;
const PAGES: u32 = 12;

fn array(read_ns: Vec<u64>, rule: ProgramAgain, service_unit: ServiceUnit, programmed: [u32; 2]) -> Array {
    let config = FlashConfig {
        blocks_per_plane: 2,
        pages_per_block: PAGES,
        page_bytes: 512,
        bits_per_cell: 3,
        medium: MediumKind::Modelled,
        service_unit,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns,
            program_ns: vec![500, 900, 2000],
            erase_ns: 3000,
            channel_mb_per_s: 512,
        })
    };
    let mut array = Array::new(&config, rule, CellFormat::binary(512), &[]).unwrap();
    for (block, pages) in (0..).zip(programmed) {
        for page in 0..pages {
            array.program(0, Address { plane: 0, block, page }, NORMAL, Transfer::None).unwrap();
        }
    }
    array
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
        rule in prop::sample::select(vec![ProgramAgain::Never, ProgramAgain::Passes { limit: 3 }]),
        clock in 0..3,
    ) {
        let read_ns = if one_read_time { vec![50] } else { vec![50, 60, 80] };
        let service_unit = if clock == 2 { ServiceUnit::Die } else { ServiceUnit::Plane };
        let mut row = array(read_ns, rule, service_unit, programmed);
        match clock {
            0 => row.stop_clock(),
            1 => row.watch_queues(),
            _ => {}
        }
        let mut each = row.clone();
        let first = if in_order { programmed[1] } else { first };
        let pages: Vec<u32> = pages.into_iter().collect();
        let together = row.copy_back_row(asked_at, 0, (0, pages.iter().copied()), (1, first));
        let alone = pages.iter().zip(first..).try_fold(asked_at, |end, (&page, place)| {
            let (from, to) = (Address { plane: 0, block: 0, page }, Address { plane: 0, block: 1, page: place });
            each.copy_back(asked_at, (from, NORMAL), (to, NORMAL)).map(|copied| end.max(copied))
        });
        prop_assert_eq!(together, alone);
        prop_assert_eq!(row.busy_ns(), each.busy_ns());
        prop_assert_eq!((row.idle_at(), row.reprograms()), (each.idle_at(), each.reprograms()));
        for page in 0..PAGES {
            let place = Address { plane: 0, block: 1, page };
            prop_assert_eq!(row.is_programmed(place), each.is_programmed(place));
            let programs = [&mut row, &mut each].map(|array| array.clone().program(0, place, NORMAL, Transfer::None));
            prop_assert_eq!(programs[0], programs[1]);
        }
    }
}
