//! All engines of the BCH decoder against the plain one, element by element by logarithms: the same
//! bytes and the same answers.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::bch::{Bch, ChienEngine, RemainderEngine, available_chien_engines};

/// One code on all engines, the plain one first.
struct Engines(Vec<(ChienEngine, Bch)>);

impl Engines {
    fn new(data_bits: usize, t: usize) -> Option<Engines> {
        let on = |engine| {
            let code = Bch::with_engines(data_bits, t, RemainderEngine::Tables, engine).ok()?;
            Some((engine, code))
        };
        let engines: Option<Vec<_>> = available_chien_engines().into_iter().map(on).collect();
        engines.inspect(|engines| assert_eq!(engines[0].0, ChienEngine::Scalar)).map(Engines)
    }

    /// A codeword of random data with `errors` random bits inverted, some of them maybe twice.
    fn received(&self, errors: usize, rng: &mut Xoshiro256PlusPlus) -> (Vec<u8>, Vec<u8>) {
        let code = &self.0[0].1;
        let (mut data, mut parity) = (vec![0; code.data_bytes()], vec![0; code.parity_bytes()]);
        rng.fill_bytes(&mut data);
        data[0] &= 0xff >> (8 * data.len() - code.data_bits());
        code.encode(&data, &mut parity).unwrap();
        for _ in 0..errors {
            let bit = (rng.next_u64() % code.codeword_bits() as u64) as usize;
            let place = bit + 8 * data.len() - code.data_bits();
            let (bytes, place) = match place.checked_sub(8 * data.len()) {
                None => (&mut data, place),
                Some(place) => (&mut parity, place),
            };
            bytes[place / 8] ^= 0x80 >> (place % 8);
        }
        (data, parity)
    }

    fn assert_agree(&self, data: &[u8], parity: &[u8], erasures: &[u32]) {
        let mut first = None;
        for (engine, code) in &self.0 {
            let (mut data, mut parity) = (data.to_vec(), parity.to_vec());
            let result = code.decode(&mut data, &mut parity, erasures);
            let found = (result, data, parity);
            let expected = first.get_or_insert_with(|| found.clone());
            assert!(found == *expected, "{engine:?}: {:?}, {:?} expected", found.0, expected.0);
        }
    }
}

#[test]
fn pages_with_any_number_of_errors_decode_alike() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    // t on both sides of whole registers, and locators of more coefficients than a transform has
    // points.
    for (bytes, t) in
        [(4096, 1), (4096, 5), (4096, 31), (4096, 64), (4096, 65), (4096, 184), (4096, 255), (4096, 512)]
    {
        let engines = Engines::new(8 * bytes, t).unwrap();
        for errors in [1, 2, t / 8, t / 2, t - 1, t, t + 1, t + 2, 2 * t] {
            let (data, parity) = engines.received(errors, &mut rng);
            engines.assert_agree(&data, &parity, &[]);
        }
    }
}

#[test]
fn every_single_place_of_a_page_is_found() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let engines = Engines::new(8 * 4096, 20).unwrap();
    let code = &engines.0[0].1;
    let (data, parity) = engines.received(0, &mut rng);
    // Runs of 16 bits over the whole codeword, so that the transforms see each place.
    for (engine, code) in &engines.0[1..] {
        for first in (0..code.codeword_bits() - 16).step_by(16) {
            let (mut damaged, mut check) = (data.clone(), parity.clone());
            for byte in [first / 8, first / 8 + 1] {
                match byte.checked_sub(data.len()) {
                    None => damaged[byte] ^= 0xff,
                    Some(byte) => check[byte] ^= 0xff,
                }
            }
            let corrected = code.decode(&mut damaged, &mut check, &[]).unwrap();
            assert!(corrected.bit_errors == 16 && damaged == data && check == parity, "{engine:?} {first}");
        }
    }
    assert_eq!(code.codeword_bits(), 8 * 4096 + 16 * 20);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// From 32,768 data bits on the field is GF(2^16).
    #[test]
    fn large_codes_decode_alike(
        bits in 32_768usize..57_000,
        t in 1usize..256,
        errors in 0usize..270,
        erasures in 0usize..40,
        seed: u64,
    ) {
        if let Some(engines) = Engines::new(bits, t) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (data, parity) = engines.received(errors, &mut rng);
            let limit = 8 * (data.len() + parity.len()) as u64;
            let places: std::collections::BTreeSet<u32> =
                (0..erasures).map(|_| (rng.next_u64() % limit) as u32).collect();
            let places: Vec<u32> = places.into_iter().collect();
            engines.assert_agree(&data, &parity, &places);
        }
    }

    #[test]
    fn small_codes_decode_alike(bits in 1usize..9000, t in 1usize..40, errors in 0usize..45, seed: u64) {
        if let Some(engines) = Engines::new(bits, t) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let (data, parity) = engines.received(errors, &mut rng);
            engines.assert_agree(&data, &parity, &[]);
        }
    }
}
