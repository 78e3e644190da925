//! Polar WOM codes: real bits on real cells.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
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
    let mut one = Attempt {
        programmed,
        message,
        address: 77,
        attempt: number,
        rotation: number,
        cells: &mut cells,
        success: false,
    };
    workspace.encode(code, &mut one).expect("sizes fit");
    let success = one.success;
    if success {
        assert!(programmed.iter().zip(&cells).all(|(old, new)| old & !new == 0), "a cell was lowered");
        let mut back = vec![0; code.message_words()];
        code.decode(&cells, 77, number, &mut back).expect("sizes fit");
        assert_eq!(back, message);
    }
    success
}

#[test]
fn success_is_certain_exactly_where_no_message_bit_is_determined() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(31);
    for (cells, bits) in [(64, 20), (128, 50), (1024, 420), (4096, 1700)] {
        let code = PolarWom::new(cells, bits).unwrap();
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
fn an_attempt_succeeds_only_where_a_codeword_exists() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(33);
    let code = PolarWom::new(128, 55).unwrap();
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
        workspace.encode(&code, &mut one).unwrap();
        let (success, exists) = (one.success, solvable(&code, &programmed, &whitened));
        assert!(exists || !success);
        if success {
            assert!(programmed.iter().zip(&cells).all(|(old, new)| old & !new == 0), "a cell was lowered");
        }
        seen[usize::from(success) + usize::from(exists)] += 1;
    }
    assert!(seen.iter().all(|s| *s > 3), "{seen:?}");
}
