//! Rivest-Shamir, the search over binary WOM codes, Flip-N-Write and the MLC cell, exhaustively
//! where that is possible.

use proptest::prelude::*;
use rewear_codes::CodeError;
use rewear_codes::flip_n_write::FlipNWrite;
use rewear_codes::mlc_cell::{Effect, Page, State, WordLine, corrupted_cells, find_corruption};
use rewear_codes::rivest_shamir::{Generation, Table, max_generations};

#[test]
fn both_tables_are_the_printed_ones_and_only_ever_program_cells() {
    let printed = Table::SECOND_WRITE.print();
    let row = |data: &str| {
        let line = printed.lines().find(|line| line.starts_with(data)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("10"), ["10", "100", "011"]);
    assert_eq!(row("11"), ["11", "001", "110"]);
    assert!(Table::SEAL.print().contains("01    110        001"), "{}", Table::SEAL.print());
    for table in [Table::SECOND_WRITE, Table::SEAL] {
        for first in 0..4 {
            for second in 0..4 {
                let (a, b) =
                    (table.codeword(Generation::First, first), table.codeword(Generation::Second, second));
                let erased = table.erased_byte() & 7;
                assert!(
                    first == second || (a ^ erased) & !(b ^ erased) == 0,
                    "{} {first} {second}",
                    table.name()
                );
            }
            assert_eq!(table.data(table.codeword(Generation::First, first)), (Generation::First, first));
            assert_eq!(table.data(table.codeword(Generation::Second, first)), (Generation::Second, first));
        }
    }
}

#[test]
fn the_papers_example_writes_11_and_then_01() {
    // Data 11 is written as 001, and 01 over it as 101: the first and the last cell are programmed.
    let mut image = [0; 2];
    Table::SECOND_WRITE.encode(Generation::First, &[0b11], &mut image).unwrap();
    assert_eq!(image[0] & 7, 0b100, "cells are numbered from the low bit up");
    Table::SECOND_WRITE.encode(Generation::Second, &[0b10], &mut image).unwrap();
    assert_eq!(image[0] & 7, 0b101);
}

proptest! {
    #[test]
    fn rivest_shamir_pages_take_two_writes_and_no_third(
        pages in prop::collection::vec(any::<[u8; 3]>(), 1..50), seal: bool,
    ) {
        let table = if seal { Table::SEAL } else { Table::SECOND_WRITE };
        let data: Vec<Vec<u8>> = (0..3).map(|i| pages.iter().map(|p| p[i]).collect()).collect();
        let mut image = vec![table.erased_byte(); table.image_bytes(pages.len())];
        for (generation, data) in [Generation::First, Generation::Second].into_iter().zip(&data) {
            let old = image.clone();
            table.encode(generation, data, &mut image).unwrap();
            let flip = table.erased_byte();
            prop_assert!(old.iter().zip(&image).all(|(old, new)| (old ^ flip) & !(new ^ flip) == 0));
            let mut back = vec![0; data.len()];
            table.decode(&image, &mut back).unwrap();
            prop_assert_eq!(&back, data);
        }
        let before = image.clone();
        let third = table.encode(Generation::Second, &data[2], &mut image);
        let possible = third.is_ok();
        if !possible {
            prop_assert_eq!(&image, &before);
        }
        if data[1] != data[2] && data[0].iter().zip(&data[1]).all(|(a, b)| (0..4).all(|i| (a ^ b) >> (2 * i) & 3 != 0)) {
            prop_assert!(!possible, "every codeword is in its second generation");
        }
        let first_again = table.encode(Generation::First, &data[0], &mut image);
        prop_assert!(first_again.is_err() || before.iter().all(|byte| *byte == table.erased_byte()));
    }

    #[test]
    fn rivest_shamir_refuses_wrong_sizes_and_reads_garbage(
        image in prop::collection::vec(any::<u8>(), 0..40), length in 0usize..30,
    ) {
        let mut data = vec![0; length];
        let fits = image.len() == Table::SEAL.image_bytes(length);
        prop_assert_eq!(Table::SEAL.decode(&image, &mut data).is_ok(), fits);
        let mut cells = image.clone();
        let written = Table::SEAL.encode(Generation::Second, &data, &mut cells);
        prop_assert!(!fits || written.is_ok(), "data that is there already can be written");
        let size_error = matches!(written, Err(CodeError::Size { .. }));
        prop_assert!(fits || size_error);
    }

    #[test]
    fn flip_n_write_changes_at_most_half_of_the_cells(
        pages in prop::collection::vec(any::<[u8; 2]>(), 0..100), width in 0usize..4, flags: u8,
    ) {
        let code = FlipNWrite::new(8 << width).unwrap();
        let [data, mut cells] = [0, 1].map(|i| pages.iter().map(|p| p[i]).collect::<Vec<u8>>());
        let mut flags = vec![flags; code.flag_bytes(data.len())];
        let (old_cells, old_flags) = (cells.clone(), flags.clone());
        let changes = code.encode(&data, &mut cells, &mut flags).unwrap();
        let differing = |a: &[u8], b: &[u8]| -> u32 { a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum() };
        let found = differing(&cells, &old_cells) + differing(&flags, &old_flags);
        prop_assert_eq!(found as usize, changes.total());
        let words = data.len().div_ceil(1 << width);
        prop_assert!(changes.total() <= words * code.max_changes_per_word());
        prop_assert!(changes.total() <= differing(&data, &old_cells) as usize || old_flags.iter().any(|f| *f != 0));
        let mut back = vec![0; data.len()];
        code.decode(&cells, &flags, &mut back).unwrap();
        prop_assert_eq!(back, data);
        let mut short = vec![0; pages.len() + 1];
        prop_assert!(code.decode(&cells, &flags, &mut short).is_err());
    }
}

#[test]
fn flip_n_write_has_four_word_sizes() {
    let sizes: Vec<usize> = (0..100).filter(|bits| FlipNWrite::new(*bits).is_ok()).collect();
    assert_eq!(sizes, [8, 16, 32, 64]);
}

#[test]
fn no_binary_code_writes_two_bits_in_four_cells_more_than_twice() {
    assert_eq!(max_generations(4, 4), Ok(2));
    // The code of Rivest and Shamir is optimal: it needs only three of the cells.
    assert_eq!(max_generations(4, 3), Ok(2));
    assert_eq!(max_generations(4, 2), Ok(1));
}

#[test]
fn the_search_finds_the_known_limits_of_other_sizes() {
    // One bit can be written once a cell; more messages than patterns never.
    for cells in 1..=4 {
        assert_eq!(max_generations(2, cells), Ok(cells));
        assert_eq!(max_generations(1 << cells, cells), Ok(1));
        assert_eq!(max_generations((1 << cells) + 1, cells), Ok(0));
    }
    assert!(
        max_generations(4, 5).is_err() && max_generations(1, 3).is_err() && max_generations(2, 0).is_err()
    );
}

#[test]
fn transitions_have_the_effects_the_paper_names() {
    let mut seen = [const { Vec::new() }; 12];
    for state in State::ALL {
        for page in [Page::Low, Page::High] {
            for bit in [false, true] {
                let transition = state.program(page, bit);
                // Programming a 1 where a 0 is stored breaks the WOM constraint and is no fault of
                // the cell.
                let legal = !bit || state.bit(page);
                if let (Some(number), true) = (transition.number, legal) {
                    seen[usize::from(number)].push((page, transition.effect));
                }
            }
        }
    }
    for (number, effects) in seen.iter().enumerate() {
        assert!(!effects.is_empty(), "transition {number}");
        let wanted = match number {
            6 | 11 => Effect::NotTaken,
            7 => Effect::Disturbed,
            _ => Effect::Stored,
        };
        assert!(effects.iter().all(|(_, effect)| *effect == wanted), "transition {number}: {effects:?}");
    }
    assert_eq!((seen[6][0].0, seen[7][0].0, seen[11][0].0), (Page::Low, Page::High, Page::High));
}

/// All orders of programming the two pages, up to six operations: the safe ones are low pages, then
/// at most one high page, and the word line admits exactly those.
#[test]
fn a_word_line_admits_exactly_the_orders_that_corrupt_no_data() {
    for length in 0..=6u32 {
        for bits in 0..1u32 << length {
            let order: Vec<Page> =
                (0..length).map(|i| if bits >> i & 1 == 0 { Page::Low } else { Page::High }).collect();
            let mut word_line = WordLine::default();
            let admitted = order.iter().all(|page| word_line.program(*page).is_ok());
            assert_eq!(admitted, find_corruption(&order).is_none(), "{order:?}");
            word_line.erase();
            assert_eq!(word_line, WordLine::default());
        }
    }
}

#[test]
fn safe_orders_use_only_the_transitions_the_paper_lists() {
    let mut states = vec![State::Erased];
    for _ in 0..3 {
        let step = |state: &State| {
            let legal = [true, false].into_iter().filter(|bit| !bit || state.bit(Page::Low));
            legal.map(|bit| state.program(Page::Low, bit)).collect::<Vec<_>>()
        };
        let steps: Vec<_> = states.iter().flat_map(step).collect();
        assert!(steps.iter().all(|t| matches!(t.number, Some(0 | 1 | 3))));
        states = steps.iter().map(|t| t.next).collect();
    }
    for state in states {
        for bit in [true, false] {
            // Transition 0 is the erased cell that stays erased.
            assert!(matches!(state.program(Page::High, bit).number, Some(0 | 2 | 4 | 5)));
        }
    }
}

/// Every bit of the word-parallel form against the state machine, cell by cell.
#[test]
fn eight_cells_at_once_are_corrupted_as_each_alone() {
    for state in State::ALL {
        // Which of the states whose bits do not tell can be before, and which after the high page
        // was programmed.
        let finished: &[bool] = match state {
            State::Intermediate => &[false],
            State::P1 | State::P2 | State::P3 => &[true],
            State::Erased => &[false, true],
        };
        for &high_programmed in finished {
            for page in [Page::Low, Page::High] {
                for bit in [false, true] {
                    let expected = state.program(page, bit).effect != Effect::Stored;
                    for position in 0..8 {
                        let place = |bit: bool| u8::from(bit) << position;
                        let (low, high) = (place(state.bit(Page::Low)), place(state.bit(Page::High)));
                        let found = corrupted_cells(low, high, high_programmed, page, place(bit));
                        assert_eq!(found >> position & 1 == 1, expected, "{state:?} {page:?} {bit}");
                    }
                }
            }
        }
    }
}
