//! Writes a page takes between erases: real pages against the chain of one cell, and both against
//! known values.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::wom_v::{Code, DataModel, EccCheck, EccThreshold, Invalid, InvalidChain, WriteCounts};

const CELLS: usize = 8192;

fn mean(k: u8, n: u8, model: DataModel, threshold: EccThreshold) -> f64 {
    WriteCounts::new(Code::new(k, n).expect("a code of the table"), CELLS, model, threshold).mean()
}

#[test]
fn writes_per_page_are_those_of_the_table() {
    let none = EccThreshold::NONE;
    for (k, n, pre, post, without) in [
        (3, 4, 2.0, 3.0, 2.0),
        (2, 4, 6.0, 7.0, 5.0),
        (1, 4, 22.0, 23.0, 16.3),
        (4, 5, 2.0, 3.0, 2.0),
        (3, 5, 5.5, 6.5, 4.0),
        (2, 5, 15.0, 16.0, 11.5),
        (1, 5, 49.2, 50.2, 39.3),
    ] {
        for (threshold, wanted) in [(EccThreshold::SAFE, pre), (EccThreshold::PAPER, post), (none, without)] {
            let found = mean(k, n, DataModel::Random, threshold);
            assert!(
                (found - wanted).abs() < 0.15,
                "({k},{n}) {:?}: {found}, expected {wanted}",
                threshold.check
            );
        }
    }
}

#[test]
fn fewer_flipped_bits_give_more_writes() {
    let tables = [
        (3, [21.0, 5.0, 3.0, 2.0, 2.0]),
        (2, [155.0, 33.0, 18.0, 10.0, 8.0]),
        (1, [894.0, 182.0, 93.0, 48.0, 33.0]),
    ];
    for (k, table) in tables {
        for (rate, wanted) in [0.01, 0.05, 0.1, 0.2, 0.3].into_iter().zip(table) {
            let found = mean(k, 4, DataModel::BitFlips(rate), EccThreshold::SAFE);
            assert!(
                (found - wanted).abs() <= 0.01 * wanted + 0.55,
                "k {k}, {rate}: {found}, expected {wanted}"
            );
        }
    }
}

#[test]
fn a_real_page_follows_the_chain_of_one_cell() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(21);
    for code in [(2, 4), (1, 4), (3, 4), (3, 5)].map(|(k, n)| Code::new(k, n).unwrap()) {
        let bytes = 1 << 16;
        let cells = code.cells_for(bytes) as f64;
        let mut image = vec![0; code.image_bytes(bytes)];
        let mut invalid = Invalid::new(code.cells_for(bytes));
        let mut chain = InvalidChain::new(code, DataModel::Random);
        let mut data = vec![0; bytes];
        for _ in 0..3 * code.generations() {
            rng.fill_bytes(&mut data);
            code.encode(&data, &mut image, &mut invalid).unwrap();
            chain.write();
            let (share, expected) = (invalid.count() as f64 / cells, chain.invalid_share());
            let deviation = (expected * (1.0 - expected) / cells).sqrt();
            assert!(
                (share - expected).abs() <= 5.0 * deviation + 1e-12,
                "{code}: {share}, expected {expected}"
            );
        }
        let total: f64 = chain.levels().iter().sum::<f64>() + chain.invalid_share();
        assert!((total - 1.0).abs() < 1e-9);
    }
}

#[test]
fn samples_have_the_distribution_they_are_drawn_from() {
    let code = Code::new(3, 5).unwrap();
    let counts = WriteCounts::new(code, CELLS, DataModel::Random, EccThreshold::SAFE);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(22);
    let draws = 20_000;
    let drawn: Vec<u32> = (0..draws).map(|_| counts.sample(&mut rng)).collect();
    for writes in 0..8 {
        let share = drawn.iter().filter(|d| **d >= writes).count() as f64 / f64::from(draws);
        assert!((share - counts.at_least(writes as usize)).abs() < 0.02, "{writes}");
    }
    let no_read = WriteCounts::no_read(code);
    assert_eq!((no_read.sample(&mut rng), no_read.mean()), (4, 4.0));
}

#[test]
fn the_limit_of_a_threshold_is_whole_cells() {
    let threshold = EccThreshold { check: EccCheck::Pre, max_invalid_share: 0.03 };
    assert_eq!(threshold.limit(CELLS), 245);
    assert_eq!(EccThreshold::NONE.limit(CELLS), 0);
    assert_eq!(EccThreshold { max_invalid_share: f64::NAN, ..threshold }.limit(CELLS), 0);
}
