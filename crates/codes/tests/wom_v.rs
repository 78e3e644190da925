//! WOM-v codes against their definition, cell by cell and page by page.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::wom_v::{Code, Invalid};

fn random_page(rng: &mut Xoshiro256PlusPlus, bytes: usize) -> Vec<u8> {
    let mut page = vec![0; bytes];
    rng.fill_bytes(&mut page);
    page
}

/// The number in cell `cell` of a page, read bit by bit.
fn number(code: Code, data: &[u8], cell: usize) -> u8 {
    let k = usize::from(code.data_bits());
    (0..k)
        .map(|i| (cell * k + i, i))
        .filter(|(bit, _)| *bit < 8 * data.len())
        .fold(0, |n, (bit, i)| n | (data[bit / 8] >> (bit % 8) & 1) << i)
}

/// The lowest level from `level` up that holds `number`, by search.
fn lowest_level(code: Code, level: u8, number: u8) -> Option<u8> {
    (level..=code.max_level()).find(|v| v & ((1 << code.data_bits()) - 1) == number)
}

/// Byte patterns that an encoder could trip over.
fn adversarial(bytes: usize) -> Vec<Vec<u8>> {
    let mut pages: Vec<Vec<u8>> =
        [0x00, 0xff, 0x55, 0xaa, 0x0f, 0xf0].iter().map(|b| vec![*b; bytes]).collect();
    pages.push((0..bytes).map(|i| i as u8).collect());
    pages.push((0..bytes).map(|i| if i % 2 == 0 { 0 } else { 0xff }).collect());
    pages
}

#[test]
fn generations_are_those_of_the_paper_and_of_its_extension_to_five_bits() {
    let generations = |k, n| Code::new(k, n).unwrap().generations();
    assert_eq!([3, 2, 1].map(|k| generations(k, 4)), [2, 5, 15]);
    assert_eq!([4, 3, 2, 1].map(|k| generations(k, 5)), [2, 4, 10, 31]);
    assert_eq!(Code::new(2, 4).unwrap().generation_bits(), 3);
    assert_eq!(Code::new(1, 4).unwrap().generation_bits(), 4);
}

#[test]
fn only_codes_with_fewer_data_bits_than_cell_bits_exist() {
    for k in 0..=255 {
        for n in 0..=255 {
            assert_eq!(Code::new(k, n).is_ok(), k >= 1 && k < n && n <= 6, "({k},{n})");
        }
    }
}

#[test]
fn the_papers_example_sends_101_to_v5_and_then_001_to_v9() {
    let code = Code::new(3, 4).unwrap();
    let mut image = vec![0; code.image_bytes(1)];
    let mut invalid = Invalid::new(code.cells_for(1));
    code.encode(&[0b101], &mut image, &mut invalid).unwrap();
    assert_eq!(code.level(&image, 0), Ok(5));
    code.encode(&[0b001], &mut image, &mut invalid).unwrap();
    assert_eq!(code.level(&image, 0), Ok(9));
    // The other order stays within the first generation.
    let mut image = vec![0; code.image_bytes(1)];
    code.encode(&[0b001], &mut image, &mut invalid).unwrap();
    code.encode(&[0b101], &mut image, &mut invalid).unwrap();
    assert_eq!(code.level(&image, 0), Ok(5));
}

#[test]
fn the_printed_table_shares_levels_between_neighbouring_generations() {
    let code = Code::new(2, 4).unwrap();
    let table = code.table();
    assert_eq!(table.lines().count(), 2 + 16, "{table}");
    for g in 0..4u8 {
        assert_eq!(code.generations_of(3 * (g + 1)).collect::<Vec<_>>(), [g.into(), u32::from(g) + 1]);
    }
    assert!(table.contains("V3"), "{table}");
    let row = table.lines().find(|line| line.contains("V9 ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["1001", "V9", "01", "GEN3,", "GEN4"]);
}

/// Every level of a cell under every number, in every cell of a word, for every code and
/// instruction set.
#[test]
fn every_cell_goes_to_the_lowest_level_that_holds_its_number() {
    for code in Code::all() {
        let numbers = 1u8 << code.data_bits();
        let bytes = 16 * usize::from(code.data_bits());
        let cells = code.cells_for(bytes);
        for start in 0..=code.max_level() {
            for shift in 0..numbers {
                let mut data = vec![0u8; bytes];
                for cell in 0..cells {
                    let value = (cell as u8).wrapping_add(shift) % numbers;
                    for i in 0..usize::from(code.data_bits()) {
                        let bit = cell * usize::from(code.data_bits()) + i;
                        data[bit / 8] |= (value >> i & 1) << (bit % 8);
                    }
                }
                let byte = if code.cell_bits() <= 4 { start | start << 4 } else { start };
                let mut image = vec![byte; code.image_bytes(bytes)];
                let mut invalid = Invalid::new(cells);
                let written = code.encode(&data, &mut image, &mut invalid).unwrap();
                assert_eq!(written.invalid, invalid.iter().count());
                for cell in 0..cells {
                    let level = code.level(&image, cell).unwrap();
                    match lowest_level(code, start, number(code, &data, cell)) {
                        Some(wanted) => assert!(level == wanted && !invalid.contains(cell)),
                        None => assert!(level == code.max_level() && invalid.contains(cell)),
                    }
                }
            }
        }
    }
}

#[test]
fn no_read_mode_takes_exactly_its_generations_and_never_lowers_a_cell() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    for code in Code::all() {
        for bytes in [1, 7, 64, 512, 513] {
            let mut image = vec![0; code.image_bytes(bytes)];
            for generation in 0..code.generations() {
                for data in adversarial(bytes).into_iter().chain([random_page(&mut rng, bytes)]) {
                    let mut next = image.clone();
                    code.encode_no_read(generation, &data, &mut next).unwrap();
                    let mut back = vec![0; bytes];
                    code.decode(&next, &mut back).unwrap();
                    assert_eq!(back, data, "{code} generation {generation}");
                    for cell in 0..code.cells_for(bytes) {
                        let (old, new) =
                            (code.level(&image, cell).unwrap(), code.level(&next, cell).unwrap());
                        assert!(new >= old && code.generations_of(new).any(|g| g == generation));
                    }
                }
                code.encode_no_read(generation, &random_page(&mut rng, bytes), &mut image).unwrap();
            }
            let past = code.generations();
            assert!(matches!(
                code.encode_no_read(past, &vec![0; bytes], &mut image),
                Err(CodeError::Range { .. })
            ));
        }
    }
}

#[test]
fn pages_read_back_except_for_the_cells_reported_invalid() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    for code in Code::all() {
        for bytes in [1, 2, 3, 5, 511, 512] {
            let mut image = vec![0; code.image_bytes(bytes)];
            let mut invalid = Invalid::new(code.cells_for(bytes));
            for write in 0..3 * code.generations() {
                let data = random_page(&mut rng, bytes);
                let (old, known) = (image.clone(), invalid.count());
                let preview = code.preview(&data, &image, &invalid).unwrap();
                let written = code.encode(&data, &mut image, &mut invalid).unwrap();
                assert_eq!(preview, written);
                assert_eq!(written.newly_invalid, invalid.count() - known);
                assert!(write >= code.generations() || written.invalid == 0, "{code} write {write}");
                let mut back = vec![0; bytes];
                code.decode(&image, &mut back).unwrap();
                for cell in 0..code.cells_for(bytes) {
                    assert!(code.level(&image, cell).unwrap() >= code.level(&old, cell).unwrap());
                    if invalid.contains(cell) {
                        assert_eq!(code.level(&image, cell).unwrap(), code.max_level());
                    } else {
                        assert_eq!(number(code, &back, cell), number(code, &data, cell));
                    }
                }
            }
            assert!(invalid.count() > 0, "{code} {bytes} never wore out");
            invalid.clear();
            assert_eq!((invalid.count(), invalid.iter().next()), (0, None));
        }
    }
}

#[test]
fn padding_beside_the_last_cell_is_left_alone() {
    // One byte in WOM-v(3,4) takes three cells; the fourth nibble is not the code's.
    let code = Code::new(3, 4).unwrap();
    let mut image = vec![0x00, 0xb0];
    code.encode(&[0xff], &mut image, &mut Invalid::new(3)).unwrap();
    assert_eq!(image, [0x77, 0xb3]);
}

proptest! {
    #[test]
    fn garbage_is_an_error_or_a_page_but_never_a_panic(
        data in prop::collection::vec(any::<u8>(), 0..80),
        image in prop::collection::vec(any::<u8>(), 0..160),
        cells in 0usize..200,
        generation: u32,
        code in 0usize..15,
    ) {
        let code = Code::all().nth(code).unwrap();
        let fits = image.len() == code.image_bytes(data.len());
        let legal = code.cell_bits() == 4
            || (0..image.len() * if code.cell_bits() < 4 { 2 } else { 1 })
                .all(|cell| code.level(&image, cell).unwrap() <= code.max_level());
        let (mut raised, mut invalid) = (image.clone(), Invalid::new(cells));
        let written = code.encode(&data, &mut raised, &mut invalid);
        prop_assert_eq!(written.is_ok(), fits && legal && cells == code.cells_for(data.len()));
        if written.is_err() {
            prop_assert_eq!(&raised, &image);
        }
        let mut back = data.clone();
        prop_assert_eq!(code.decode(&image, &mut back).is_ok(), fits && legal);
        let no_read = code.encode_no_read(generation, &data, &mut raised);
        prop_assert_eq!(no_read.is_ok(), fits && generation < code.generations());
        let _ = code.level(&image, cells);
    }
}
