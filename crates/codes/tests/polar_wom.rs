//! Polar WOM codes: real bits on real cells.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::isa::Isa;
use rewear_codes::polar_wom::{ATTEMPTS, Attempt, PolarWom, Workspace};

fn random_words(rng: &mut Xoshiro256PlusPlus, words: usize) -> Vec<u64> {
    (0..words).map(|_| rng.next_u64()).collect()
}

/// A message with its unused bits cleared, as decoding returns it.
fn random_message(rng: &mut Xoshiro256PlusPlus, code: &PolarWom) -> Vec<u64> {
    let mut message = random_words(rng, code.message_words());
    if !code.message_bits().is_multiple_of(64) {
        *message.last_mut().expect("a message has bits") &= (1 << (code.message_bits() % 64)) - 1;
    }
    message
}

/// One attempt; checks everything that must hold of it and returns whether it succeeded.
fn attempt(
    code: &PolarWom,
    workspace: &mut Workspace,
    programmed: &[u64],
    message: &[u64],
    number: u8,
) -> bool {
    let mut cells = vec![0; code.cell_words()];
    let mut attempts = [Attempt {
        programmed,
        message,
        address: 77,
        attempt: number,
        rotation: number,
        cells: &mut cells,
        success: false,
    }];
    workspace.encode(code, &mut attempts).expect("sizes fit");
    let success = attempts[0].success;
    if success {
        assert!(programmed.iter().zip(&cells).all(|(old, new)| old & !new == 0), "a cell was lowered");
        let mut back = vec![0; code.message_words()];
        code.decode(&cells, 77, number, &mut back).expect("sizes fit");
        assert_eq!(back, message);
    }
    success
}

/// Success by Gaussian elimination: whether any codeword for this message keeps the programmed
/// cells.
#[test]
fn success_is_certain_exactly_where_no_message_bit_is_determined() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    for isa in Isa::available() {
        for (cells, bits) in [(64, 20), (128, 50), (1024, 420), (4096, 1700)] {
            let code = PolarWom::with_isa(cells, bits, isa).unwrap();
            let mut workspace = Workspace::new(&code);
            let mut seen = [0; 2];
            for _ in 0..300 {
                let programmed = random_words(&mut rng, code.cell_words());
                let number = (rng.next_u64() % u64::from(ATTEMPTS)) as u8;
                let message = random_message(&mut rng, &code);
                let certain = code.determined(&programmed, number).unwrap() == 0;
                let success = attempt(&code, &mut workspace, &programmed, &message, number);
                assert!(success || !certain);
                seen[usize::from(certain)] += 1;
            }
            assert!(seen.iter().all(|s| *s > 5), "{cells} {bits}: {seen:?}");
        }
    }
}

#[test]
fn success_has_probability_two_to_the_minus_d() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(32);
    let code = PolarWom::new(1024, 430).unwrap();
    let mut workspace = Workspace::new(&code);
    let (mut expected, mut variance, mut found) = (0.0, 0.0, 0.0);
    for _ in 0..4000 {
        let programmed = random_words(&mut rng, code.cell_words());
        let p = 0.5f64.powi(code.determined(&programmed, 0).unwrap() as i32);
        expected += p;
        variance += p * (1.0 - p);
        let message = random_message(&mut rng, &code);
        found += f64::from(attempt(&code, &mut workspace, &programmed, &message, 0));
    }
    assert!(f64::abs(found - expected) < 4.0 * variance.sqrt(), "{found}, expected {expected}");
    assert!(expected > 200.0 && variance > 100.0, "the test must have something to see");
}
#[test]
fn rotating_all_cells_leaves_d_and_rotating_half_of_them_draws_it_anew() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(34);
    let code = PolarWom::new(1 << 14, 7300).unwrap();
    let mut changed = 0;
    for _ in 0..50 {
        let mut programmed = random_words(&mut rng, code.cell_words());
        let determined = code.determined(&programmed, 0).unwrap();
        changed += usize::from(code.determined(&programmed, 1).unwrap() != determined);
        programmed.rotate_left(3);
        assert_eq!(code.determined(&programmed, 0), Ok(determined));
    }
    assert!(changed > 20, "{changed}");
}

/// Whether any codeword for the message keeps the programmed cells, by elimination over all free
/// positions of `u`.
fn solvable(code: &PolarWom, programmed: &[u64], whitened: &[bool]) -> bool {
    let n = code.cells();
    let get = |words: &[u64], i: usize| words[i / 64] >> (i % 64) & 1 == 1;
    // Row i of G has ones at the subsets of i (as a bitmap of index bits), so cell j collects the
    // supersets of j.
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for cell in (0..n).filter(|cell| get(programmed, *cell)) {
        let mut row = vec![false; n + 1];
        row[n] = true;
        let mut dense = 0;
        for i in 0..n {
            let message = get(code.message_positions(), i);
            if i & cell == cell {
                if message {
                    row[n] ^= whitened[dense];
                } else {
                    row[i] = true;
                }
            }
            dense += usize::from(message);
        }
        rows.push(row);
    }
    for column in 0..n {
        let Some(pivot) = rows.iter().position(|row| row[column]) else { continue };
        let pivot = rows.swap_remove(pivot);
        for row in rows.iter_mut().filter(|row| row[column]) {
            row.iter_mut().zip(&pivot).for_each(|(a, b)| *a ^= b);
        }
    }
    rows.iter().all(|row| !row[n])
}

#[test]
fn repair_finds_a_codeword_wherever_one_exists() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(33);
    for isa in Isa::available() {
        let code = PolarWom::with_isa(128, 55, isa).unwrap();
        let mut workspace = Workspace::new(&code);
        let mut seen = [0; 3];
        for _ in 0..200 {
            let programmed = random_words(&mut rng, code.cell_words());
            let message = random_message(&mut rng, &code);
            let mut cells = vec![0; code.cell_words()];
            let zeros = vec![0; code.cell_words()];
            // The keystream is what a codeword of zeros decodes to.
            let mut key = vec![0; code.message_words()];
            code.decode(&zeros, 5, 1, &mut key).unwrap();
            let whitened: Vec<bool> =
                (0..55).map(|i| (message[i / 64] ^ key[i / 64]) >> (i % 64) & 1 == 1).collect();
            // Rotation 0, so that the cells are in the order of the definition.
            let mut one = Attempt {
                programmed: &programmed,
                message: &message,
                address: 5,
                attempt: 1,
                rotation: 0,
                cells: &mut cells,
                success: false,
            };
            workspace.encode(&code, std::slice::from_mut(&mut one)).unwrap();
            let unaided = one.success;
            workspace.repair(&code, &mut one).unwrap();
            let repaired = one.success;
            assert!(repaired || !unaided);
            assert_eq!(repaired, solvable(&code, &programmed, &whitened));
            if repaired {
                assert!(
                    programmed.iter().zip(&cells).all(|(old, new)| old & !new == 0),
                    "a cell was lowered"
                );
            }
            seen[usize::from(unaided) + usize::from(repaired)] += 1;
        }
        assert!(seen.iter().all(|s| *s > 3), "{seen:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn batches_and_single_pages_and_all_instruction_sets_agree(
        seed: u64, log in 6u32..13, share in 0.01f64..1.0, pages in 1usize..20,
    ) {
        let cells = 1usize << log;
        let bits = ((cells as f64 * share) as usize).max(1);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut results = Vec::new();
        let inputs: Vec<_> = (0..pages).map(|_| {
            let cells = random_words(&mut rng, cells / 64);
            (cells.iter().map(|w| w & rng.next_u64()).collect::<Vec<_>>(), random_words(&mut rng, bits.div_ceil(64)))
        }).collect();
        for isa in Isa::available() {
            let code = PolarWom::with_isa(cells, bits, isa).unwrap();
            let mut workspace = Workspace::new(&code);
            let mut outputs = vec![vec![0; code.cell_words()]; pages];
            let mut attempts: Vec<_> = inputs.iter().zip(&mut outputs).enumerate().map(|(i, ((programmed, message), cells))| {
                let number = i as u8 % ATTEMPTS;
                Attempt { programmed, message, address: i as u64, attempt: number, rotation: number, cells, success: false }
            }).collect();
            workspace.encode(&code, &mut attempts).unwrap();
            let success: Vec<bool> = attempts.iter().map(|a| a.success).collect();
            results.push((success, outputs));
        }
        prop_assert!(results.windows(2).all(|r| r[0] == r[1]));
    }
}

/// Third and fourth writes: as much data on cells of which 3/4 and 7/8 are programmed, if the code
/// is made for them.
#[test]
fn a_code_for_more_programmed_cells_writes_on_them() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for (share, draws) in [(0.75, 2), (0.875, 3)] {
        let (cells, bits) = (1 << 15, ((1.0 - share) * 0.75 * f64::from(1 << 15)) as usize);
        let made_for = PolarWom::for_programmed_share(cells, bits, share).expect("it exists");
        let for_half = PolarWom::new(cells, bits).expect("it exists");
        let mut successes = [0; 2];
        for _ in 0..20 {
            let mut programmed = vec![0; cells / 64];
            (0..draws).for_each(|_| programmed.iter_mut().for_each(|word| *word |= rng.next_u64()));
            for (code, count) in [&made_for, &for_half].into_iter().zip(&mut successes) {
                let message = random_message(&mut rng, code);
                *count += u32::from(attempt(code, &mut Workspace::new(code), &programmed, &message, 0));
            }
        }
        assert!(successes[0] >= 19, "{share}: {} of 20", successes[0]);
        assert!(successes[1] <= successes[0], "{successes:?}");
    }
    for share in [0.0, 1.0, f64::NAN] {
        assert!(PolarWom::for_programmed_share(64, 8, share).is_err());
    }
}
