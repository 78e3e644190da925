//! BCH codes of flash size: round trips, adversarial places, erasures, refusals.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::bch::Bch;
use rewear_codes::ecc_error::EccError;

const SIZES: [(usize, usize); 6] = [(512, 8), (512, 40), (1024, 23), (2048, 36), (4096, 51), (4096, 184)];

fn random_page(bytes: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut page = vec![0; bytes];
    rng.fill_bytes(&mut page);
    page
}

/// `count` different places below `limit`, ascending.
fn random_places(count: usize, limit: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut places = std::collections::BTreeSet::new();
    while places.len() < count {
        places.insert((rng.next_u64() % limit as u64) as usize);
    }
    places.into_iter().collect()
}

struct Frame {
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Frame {
    fn encoded(code: &Bch, rng: &mut Xoshiro256PlusPlus) -> Frame {
        let data = random_page(code.data_bytes(), rng);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&data, &mut parity).unwrap();
        Frame { data, parity }
    }

    fn flip(&mut self, places: &[usize]) {
        for &place in places {
            let (bytes, bit) = match place.checked_sub(8 * self.data.len()) {
                None => (&mut self.data, place),
                Some(bit) => (&mut self.parity, bit),
            };
            bytes[bit / 8] ^= 0x80 >> (bit % 8);
        }
    }

    fn copy(&self) -> Frame {
        Frame { data: self.data.clone(), parity: self.parity.clone() }
    }

    fn assert_same(&self, other: &Frame) {
        assert!(self.data == other.data && self.parity == other.parity, "decoded to another word");
    }
}

/// All bits of data and parity, padding left out. Whole-byte data has no unused bits in front.
fn stored_bits(code: &Bch) -> usize {
    code.codeword_bits()
}

fn assert_corrects(code: &Bch, original: &Frame, places: &[usize]) {
    let mut read = original.copy();
    read.flip(places);
    let corrected = code.decode(&mut read.data, &mut read.parity, &[]).unwrap();
    assert_eq!(corrected.bit_errors as usize, places.len());
    read.assert_same(original);
}

#[test]
fn random_errors_up_to_t() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for (bytes, t) in SIZES {
        let code = Bch::new(bytes, t).unwrap();
        for errors in [0, 1, 2, 3, t / 2, t - 1, t, t] {
            let original = Frame::encoded(&code, &mut rng);
            assert_corrects(&code, &original, &random_places(errors, stored_bits(&code), &mut rng));
        }
    }
}

#[test]
fn adversarial_places() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for (bytes, t) in SIZES {
        let code = Bch::new(bytes, t).unwrap();
        let original = Frame::encoded(&code, &mut rng);
        let n = stored_bits(&code);
        let burst_at_start: Vec<usize> = (0..t).collect();
        let burst_at_end: Vec<usize> = (n - t..n).collect();
        let across_the_seam: Vec<usize> = (8 * bytes - t / 2..8 * bytes - t / 2 + t).collect();
        let every_64th: Vec<usize> = (0..t).map(|i| 64 * i).collect();
        let spread: Vec<usize> = (0..t).map(|i| i * (n / t)).collect();
        for places in [burst_at_start, burst_at_end, across_the_seam, every_64th, spread] {
            assert_corrects(&code, &original, &places);
        }
    }
}

#[test]
fn extreme_pages() {
    for fill in [0u8, 0xff, 0xaa] {
        let code = Bch::new(4096, 51).unwrap();
        let data = vec![fill; 4096];
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&data, &mut parity).unwrap();
        assert_corrects(&code, &Frame { data, parity }, &[0, 4095 * 8 + 7, 4096 * 8, 17]);
    }
}

#[test]
fn errors_and_erasures_up_to_the_bound() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for (bytes, t) in SIZES {
        let code = Bch::new(bytes, t).unwrap();
        for errors in [0, 1, t / 3, t - 1] {
            let erased = 2 * (t - errors);
            for wrong in [0, erased / 2, erased / 2 + 1, erased] {
                let original = Frame::encoded(&code, &mut rng);
                let mut places = random_places(errors + erased, stored_bits(&code), &mut rng);
                let erasures: Vec<u32> = places.split_off(errors).into_iter().map(|p| p as u32).collect();
                let mut read = original.copy();
                read.flip(&places);
                let noisy: Vec<usize> = erasures[..wrong].iter().map(|&p| p as usize).collect();
                read.flip(&noisy);
                let corrected = code.decode(&mut read.data, &mut read.parity, &erasures).unwrap();
                assert_eq!((corrected.bit_errors as usize, corrected.erased_bits as usize), (errors, erased));
                read.assert_same(&original);
            }
        }
    }
}

#[test]
fn too_many_errors_are_refused_and_leave_the_buffers_alone() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for (bytes, t) in SIZES {
        let code = Bch::new(bytes, t).unwrap();
        for errors in [t + 1, t + 2, 2 * t, 4 * t] {
            let mut read = Frame::encoded(&code, &mut rng);
            read.flip(&random_places(errors, stored_bits(&code), &mut rng));
            let before = read.copy();
            // With t >= 8, a word beyond the radius lies near another codeword less than once in
            // 40,000.
            let error = code.decode(&mut read.data, &mut read.parity, &[]).unwrap_err();
            assert!(error.is_uncorrectable());
            read.assert_same(&before);
        }
    }
}

#[test]
fn miscorrection_is_as_rare_as_the_packing_of_the_space_says() {
    // t+1 errors: the fraction of words within the radius of some codeword is about n^t / t! / 2^r.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    for t in [2usize, 3, 4] {
        let code = Bch::new(512, t).unwrap();
        let trials = 20_000;
        let mut miscorrected = 0;
        for _ in 0..trials {
            let mut read = Frame { data: vec![0; 512], parity: vec![0; code.parity_bytes()] };
            read.flip(&random_places(t + 1, stored_bits(&code), &mut rng));
            miscorrected += u32::from(code.decode(&mut read.data, &mut read.parity, &[]).is_ok());
        }
        let n = code.codeword_bits() as f64;
        let expected: f64 = (1..=t).map(|i| (n - (t - i) as f64) / i as f64).product::<f64>()
            / 2f64.powi(code.parity_bits() as i32);
        let fraction = f64::from(miscorrected) / f64::from(trials);
        let sigma = (expected / f64::from(trials)).sqrt();
        println!(
            "t = {t}: {fraction:.5} of {trials} words with t+1 errors miscorrected, packing bound {expected:.5}"
        );
        assert!((fraction - expected).abs() < 5.0 * sigma, "t={t}: {fraction} against {expected}");
    }
}

#[test]
fn wrong_sizes_and_erasure_lists_are_errors() {
    let code = Bch::new(512, 8).unwrap();
    let (mut data, mut parity) = (vec![0; 512], vec![0; code.parity_bytes()]);
    assert!(matches!(code.encode(&data[1..], &mut parity), Err(EccError::Length { buffer: "data", .. })));
    assert!(matches!(code.encode(&data, &mut parity[1..]), Err(EccError::Length { buffer: "parity", .. })));
    for list in [vec![5, 5], vec![6, 5], vec![8 * (512 + code.parity_bytes() as u32)]] {
        let result = code.decode(&mut data, &mut parity, &list);
        assert!(matches!(result, Err(EccError::Erasure { .. })), "{list:?}");
    }
    let seventeen: Vec<u32> = (0..17).collect();
    assert!(code.decode(&mut data, &mut parity, &seventeen).unwrap_err().is_uncorrectable());
}

#[test]
fn impossible_parameters_are_errors() {
    for (bytes, t) in
        [(0, 1), (512, 0), (512, 513), (8192, 1), (usize::MAX, 3), (4096, usize::MAX), (8100, 80)]
    {
        assert!(matches!(Bch::new(bytes, t), Err(EccError::Parameters { .. })), "{bytes} B, t = {t}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_parameters_give_a_working_code_or_an_error(bits in 0usize..3000, t in 0usize..60, seed: u64) {
        if let Ok(code) = Bch::with_data_bits(bits, t) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let data = random_page(code.data_bytes(), &mut rng);
            let mut original = Frame { data, parity: vec![0; code.parity_bytes()] };
            let unused = 8 * code.data_bytes() - bits;
            original.data[0] &= 0xff >> unused;
            code.encode(&original.data, &mut original.parity).unwrap();
            let errors = t.min(code.codeword_bits());
            let mut read = original.copy();
            let places = random_places(errors, code.codeword_bits(), &mut rng);
            let places: Vec<usize> = places.iter().map(|place| place + unused).collect();
            read.flip(&places);
            let corrected = code.decode(&mut read.data, &mut read.parity, &[]).unwrap();
            prop_assert_eq!(corrected.bit_errors as usize, errors);
            read.assert_same(&original);
        }
    }

    #[test]
    fn garbage_never_panics(
        data in prop::collection::vec(any::<u8>(), 0..80),
        parity in prop::collection::vec(any::<u8>(), 0..20),
        erasures in prop::collection::vec(any::<u32>(), 0..8),
        bytes in 1usize..80,
        t in 1usize..14,
    ) {
        let code = Bch::new(bytes, t).unwrap();
        let (mut data, mut parity) = (data, parity);
        let _ = code.encode(&data, &mut parity);
        let _ = code.decode(&mut data, &mut parity, &erasures);
        data.resize(code.data_bytes(), 0x5a);
        parity.resize(code.parity_bytes(), 0xc3);
        if code.decode(&mut data, &mut parity, &[]).is_ok() {
            let mut again = vec![0; parity.len()];
            code.encode(&data, &mut again).unwrap();
            prop_assert_eq!(again, parity);
        }
    }
}
