//! Low pages programmed again in place: what the array admits, against the state machine of every
//! cell.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_codes::mlc_cell::{Effect, Page, Refusal, State, WordLine};
use rewear_flash::config::MediumKind;
use rewear_flash::medium::CellFormat;
use rewear_flash::page_kind::PageOrder;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, Illegal, ProgramAgain, ProgramMode, Transfer};

const PAGES: u32 = 8;
const LIMIT: u16 = 3;
/// Low pages of a block of eight in the paired order, and the high page of each.
const LOW: [u32; 4] = [0, 1, 3, 5];
const HIGH: [u32; 4] = [2, 4, 6, 7];

fn config(medium: MediumKind) -> FlashConfig {
    FlashConfig {
        blocks_per_plane: 1,
        pages_per_block: PAGES,
        page_bytes: 512,
        bits_per_cell: 2,
        page_order: PageOrder::Paired,
        medium,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![50],
            program_ns: vec![500],
            erase_ns: 3000,
            channel_mb_per_s: 512,
        })
    }
}

/// The image of a page is cut to two bytes.
fn array(medium: MediumKind) -> Array {
    let config = config(medium);
    Array::new(&config, ProgramAgain::LowPages { limit: LIMIT }, CellFormat::binary(2), &[]).unwrap()
}

fn at(page: u32) -> Address {
    Address { plane: 0, block: 0, page }
}

fn program(array: &mut Array, page: u32) -> Result<(), Illegal> {
    array.program(0, at(page), ProgramMode::NORMAL, Transfer::None).map(drop)
}

/// Programs data, of which the cells hold the complement.
fn store(array: &mut Array, page: u32, data: [u8; 2]) -> Result<(), Illegal> {
    array.raise_cells(at(page), &data.map(|byte| !byte), &[])?;
    program(array, page)
}

fn word_line_of(page: u32) -> (usize, Page) {
    match LOW.iter().position(|&low| low == page) {
        Some(line) => (line, Page::Low),
        None => (HIGH.iter().position(|&high| high == page).unwrap(), Page::High),
    }
}

#[test]
fn a_block_is_written_in_order_once() {
    let mut array = array(MediumKind::Modelled);
    for page in 0..PAGES {
        program(&mut array, page).unwrap();
    }
    assert_eq!(array.reprograms(), 0);
    assert_eq!(array.unfinished_cycles(|_, programs| programs.into()), 1.0);
    let refused = Err(Illegal::Corrupts { at: at(7), refusal: Refusal::HighTwice });
    assert_eq!(program(&mut array, 7), refused);
    assert_eq!(program(&mut array, 5), Err(Illegal::Corrupts { at: at(5), refusal: Refusal::LowAfterHigh }));
    assert_eq!(program(&mut array, 8), Err(Illegal::Outside { at: at(8) }));
}

#[test]
fn low_pages_first_then_again_then_sealed() {
    let mut array = array(MediumKind::Modelled);
    assert_eq!(program(&mut array, 1), Err(Illegal::OutOfOrder { at: at(1), expected: 0 }));
    LOW.iter().for_each(|&page| program(&mut array, page).unwrap());
    // In any order, up to the limit.
    for page in [5, 0, 0, 3] {
        program(&mut array, page).unwrap();
    }
    let used_up = Illegal::ProgrammedBefore { at: at(0), programs: 3, limit: 3 };
    assert_eq!(program(&mut array, 0), Err(used_up));
    assert_eq!(program(&mut array, 4), Err(Illegal::OutOfOrder { at: at(4), expected: 2 }));
    assert!(array.read(0, at(2), ProgramMode::NORMAL, Transfer::None).is_err());
    program(&mut array, 2).unwrap();
    assert_eq!(program(&mut array, 5), Err(Illegal::Sealed { at: at(5) }));
    HIGH[1..].iter().for_each(|&page| program(&mut array, page).unwrap());
    assert_eq!(array.reprograms(), 4);
    array.erase(0, 0, 0);
    program(&mut array, 0).unwrap();
}

#[test]
fn cells_of_one_bit_have_no_low_pages() {
    let config =
        FlashConfig { bits_per_cell: 1, page_order: PageOrder::Alternating, ..config(MediumKind::Modelled) };
    let rule = ProgramAgain::LowPages { limit: 2 };
    let error = Array::new(&config, rule, CellFormat::binary(2), &[]).unwrap_err().to_string();
    assert!(error.contains("flash.bits_per_cell"), "{error}");
}

proptest! {
    /// Whatever is programmed in whatever order: what the array admits leaves every cell with both
    /// its bits, on stored cells for any data, on modelled cells for data that clears bits; and a
    /// refusal changes nothing.
    #[test]
    fn nothing_that_is_admitted_corrupts_a_cell(
        steps in prop::collection::vec((0u32..12, any::<[u8; 2]>(), any::<bool>()), 1..120),
    ) {
        let (mut modelled, mut stored) = (array(MediumKind::Modelled), array(MediumKind::Stored));
        let mut cells = [[State::Erased; 16]; 4];
        let mut lines = [WordLine::default(); 4];
        let bits = |cells: &[State; 16], page: Page| -> [u8; 2] {
            std::array::from_fn(|byte| (0..8).fold(0, |bits, bit| bits | u8::from(cells[byte * 8 + bit].bit(page)) << bit))
        };
        for (page, mut data, clears) in steps {
            if page >= PAGES {
                if page == 11 {
                    modelled.erase(0, 0, 0);
                    stored.erase(0, 0, 0);
                    cells = [[State::Erased; 16]; 4];
                    lines = [WordLine::default(); 4];
                }
                continue;
            }
            let (line, kind) = word_line_of(page);
            let old = bits(&cells[line], kind);
            if clears {
                data = [data[0] & old[0], data[1] & old[1]];
            }
            let admitted = store(&mut stored, page, data);
            if clears {
                prop_assert_eq!(program(&mut modelled, page).is_ok(), admitted.is_ok(), "page {}", page);
            } else if admitted.is_ok() {
                program(&mut modelled, page).unwrap();
            }
            if admitted.is_ok() {
                lines[line].program(kind).unwrap();
                for (index, cell) in cells[line].iter_mut().enumerate() {
                    let transition = cell.program(kind, data[index / 8] >> (index % 8) & 1 == 1);
                    prop_assert_eq!(transition.effect, Effect::Stored);
                    *cell = transition.next;
                }
            }
            for page in 0..PAGES {
                let (line, kind) = word_line_of(page);
                let mut image = [0; 2];
                stored.load_cells(at(page), &mut image).unwrap();
                prop_assert_eq!(image.map(|byte| !byte), bits(&cells[line], kind));
            }
        }
    }
}
