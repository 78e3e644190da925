//! Coset codes against their definition: what is written can be read, and no cell is lowered.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::coset::measured::{MEASURED, best};
use rewear_codes::coset::{Code, Writer, capacity, correct};
use rewear_codes::isa::Isa;
use rewear_codes::measure::measure_coset;

fn level(image: &[u8], cell: usize) -> u8 {
    image[cell / 2] >> (4 * (cell % 2)) & 15
}

/// Writes pages one over the other and checks everything that a write promises.
fn check_writes(code: &Code, pages: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let mut writer = Writer::new(code);
    let mut image = vec![0; code.image_bytes()];
    let mut read = vec![0; code.data_bytes()];
    for (write, data) in (0..code.writes()).zip(pages.iter().cycle()) {
        let before = image.clone();
        let invalid = writer.write(code, write, data, &mut image).expect("sizes fit").to_vec();
        for cell in 0..code.cells() {
            let (old, new) = (level(&before, cell), level(&image, cell));
            prop_assert!(new >= old && new >> code.bits() == 0, "cell {} fell from {} to {}", cell, old, new);
        }
        for cell in &invalid {
            let at = cell.cell as usize;
            prop_assert!(cell.wanted < level(&before, at) && level(&image, at) == level(&before, at));
        }
        let mut whole = image.clone();
        correct(&mut whole, &invalid);
        for isa in Isa::available() {
            code.decode_with(isa, write, &whole, &mut read).expect("sizes fit");
            prop_assert_eq!(&read, data, "write {} with {}", write, isa.name());
        }
    }
    Ok(())
}

fn any_code() -> impl Strategy<Value = Code> {
    (2u8..=4, 0.2..1.0f64, 1usize..400, 1u32..9)
        .prop_filter_map("too many writes", |(bits, rate, bytes, writes)| {
            Code::new(bits, rate, bytes, writes).ok()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_can_be_read_and_no_cell_is_lowered(code in any_code(), seed in any::<u64>()) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut pages = vec![vec![0; code.data_bytes()]; 3];
        pages.iter_mut().for_each(|page| rng.fill_bytes(page));
        check_writes(&code, &pages)?;
    }

    #[test]
    fn data_of_few_patterns_can_be_written(code in any_code(), pattern in any::<[u8; 3]>()) {
        let pages: Vec<_> = pattern.iter().map(|&byte| vec![byte; code.data_bytes()]).collect();
        check_writes(&code, &pages)?;
    }

    #[test]
    fn any_levels_are_raised_alike_by_all_instructions(
        code in any_code(), write in 0u32..20, seed in any::<u64>(),
    ) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut data, mut image) = (vec![0; code.data_bytes()], vec![0; code.image_bytes()]);
        rng.fill_bytes(&mut data);
        rng.fill_bytes(&mut image);
        let legal = 0x11 * ((1u8 << code.bits()) - 1);
        image.iter_mut().for_each(|byte| *byte &= legal);
        let outcomes: Vec<_> = Isa::available()
            .into_iter()
            .map(|isa| {
                let mut image = image.clone();
                let mut writer = Writer::with_isa(&code, isa);
                let write = writer.write(&code, write % code.writes(), &data, &mut image);
                (write.map(<[_]>::to_vec), image)
            })
            .collect();
        prop_assert!(outcomes.iter().all(|outcome| outcome == &outcomes[0]));
        prop_assert!(outcomes[0].0.is_ok());
    }
}

#[test]
fn one_write_of_rate_1_is_the_data_in_planes() {
    let code = Code::new(3, 1.0, 48, 1).unwrap();
    assert_eq!((code.cells(), code.writes()), (128, 1));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut data = vec![0; 48];
    rng.fill_bytes(&mut data);
    let mut image = vec![0; code.image_bytes()];
    assert!(Writer::new(&code).write(&code, 0, &data, &mut image).unwrap().is_empty());
    let planes: Vec<u32> = (0..3)
        .map(|plane| (0..code.cells()).map(|cell| u32::from(level(&image, cell) >> plane & 1)).sum())
        .collect();
    let ones = |bytes: &[u8]| bytes.iter().map(|byte| byte.count_ones()).sum::<u32>();
    assert_eq!(planes, [ones(&data[..16]), ones(&data[16..32]), ones(&data[32..])]);
}

#[test]
fn wrong_parameters_and_sizes_are_refused() {
    for (bits, rate, writes) in
        [(1, 0.5, 1), (5, 0.5, 1), (4, 0.0, 1), (4, 1.1, 1), (4, f64::NAN, 1), (4, 0.857, 3), (4, 0.5, 0)]
    {
        let error = Code::new(bits, rate, 4096, writes).unwrap_err();
        assert!(matches!(error, CodeError::Parameters { code: "coset", .. }), "{error}");
    }
    // Within the sum capacity, but not with writes of equal size.
    assert!(Code::new(3, 0.857, 4096, 2).is_err());
    let code = Code::new(4, 0.75, 64, 2).unwrap();
    let (mut image, mut data) = (vec![0; code.image_bytes()], vec![0; 64]);
    assert!(code.decode(2, &image, &mut data).is_err());
    assert!(code.decode(0, &image[1..], &mut data).is_err());
    let mut writer = Writer::new(&code);
    assert!(writer.write(&code, 2, &data, &mut image).is_err());
    assert!(writer.write(&code, 0, &data[1..], &mut image).is_err());
    let code = Code::new(3, 0.75, 64, 2).unwrap();
    let mut image = vec![0; code.image_bytes()];
    image[2] = 0x90;
    let error = Writer::new(&code).write(&code, 0, &data, &mut image).unwrap_err();
    assert_eq!(error, CodeError::NotACodeword { code: "coset", cell: 5, found: 9 });
}

#[test]
fn the_stored_table_is_what_the_codes_do() {
    for (bits, rate) in [(4, 0.857), (3, 0.833), (2, 0.8)] {
        let of = best(bits, rate, 0.031).unwrap();
        let code = Code::new(bits, rate, 4096, of.writes).unwrap();
        let row = measure_coset(&code, rate, 60_000, 7).unwrap();
        assert_eq!((row.bound, row.wrong_pages), (of.bound, 0));
        for (mean, stored) in [(row.invalid, of.invalid), (row.wrong_bits, of.wrong_bits)] {
            // Five standard deviations of cells that fail in pairs.
            let within = 5.0 * (2.0 * stored / row.cells as f64).sqrt();
            assert!((mean.mean - stored).abs() <= within, "{row:?}, {of:?}");
        }
    }
}

#[test]
fn no_stored_code_exceeds_the_sum_capacity_and_dense_ones_exist() {
    for of in MEASURED {
        assert!(of.writes <= capacity::most_writes(of.bits, f64::from(of.bits) * of.rate), "{of:?}");
        assert!(of.invalid <= 0.031 && of.wrong_bits <= of.invalid, "{of:?}");
    }
    let writes = |bits, rate, most| best(bits, rate, most).map(|of| of.writes);
    assert_eq!(writes(4, 0.857, 0.01), Some(2));
    assert_eq!(writes(4, 0.857, 0.001), None);
    assert_eq!(writes(4, 0.5, 0.001), Some(9));
}
