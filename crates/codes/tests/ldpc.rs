//! LDPC codes: the matrix by its definition, round trips, refusals.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::ecc_error::EccError;
use rewear_codes::ldpc::{Ldpc, MinSum, Sensing};

/// Data and parity bytes, and an error count that the decoder corrects.
const SIZES: [(usize, usize, usize); 6] =
    [(512, 64, 8), (1024, 96, 14), (2048, 256, 30), (4096, 256, 25), (4096, 448, 100), (4096, 1024, 300)];

struct Frame {
    data: Vec<u8>,
    parity: Vec<u8>,
}

impl Frame {
    fn encoded(code: &Ldpc, rng: &mut Xoshiro256PlusPlus) -> Frame {
        let mut data = vec![0; code.data_bytes()];
        rng.fill_bytes(&mut data);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&data, &mut parity).unwrap();
        Frame { data, parity }
    }

    fn with_errors(&self, count: usize, rng: &mut Xoshiro256PlusPlus) -> Frame {
        let mut bytes = [self.data.as_slice(), self.parity.as_slice()].concat();
        let mut places = std::collections::BTreeSet::new();
        while places.len() < count {
            places.insert((rng.next_u64() % (8 * bytes.len() as u64)) as usize);
        }
        places.into_iter().for_each(|place| bytes[place / 8] ^= 1 << (place % 8));
        let parity = bytes.split_off(self.data.len());
        Frame { data: bytes, parity }
    }

    fn bit(&self, index: usize) -> bool {
        let byte = if index / 8 < self.data.len() {
            self.data[index / 8]
        } else {
            self.parity[index / 8 - self.data.len()]
        };
        byte >> (index % 8) & 1 == 1
    }

    fn assert_same(&self, other: &Frame) {
        assert!(self.data == other.data && self.parity == other.parity, "decoded to another word");
    }
}

#[test]
fn encoded_words_satisfy_every_check_of_the_listed_matrix() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
    for (data_bytes, parity_bytes, _) in SIZES {
        let code = Ldpc::new(data_bytes, parity_bytes).unwrap();
        let frame = Frame::encoded(&code, &mut rng);
        let z = code.circulant_bits();
        let mut checks = vec![false; 8 * parity_bytes];
        for (row, column, shift) in code.blocks() {
            for i in 0..z {
                checks[row * z + i] ^= frame.bit(column * z + (i + shift) % z);
            }
        }
        assert!(checks.iter().all(|&violated| !violated), "{data_bytes} + {parity_bytes} B");
        assert!(code.is_codeword(&frame.data, &frame.parity).unwrap());
        let broken = frame.with_errors(1, &mut rng);
        assert!(!code.is_codeword(&broken.data, &broken.parity).unwrap());
    }
}

#[test]
fn hard_reads_with_moderate_errors_are_corrected() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(12);
    for (data_bytes, parity_bytes, most) in SIZES {
        let code = Ldpc::new(data_bytes, parity_bytes).unwrap();
        let mut work = code.workspace();
        for errors in [0, 1, 2, most / 4, most / 2] {
            let frame = Frame::encoded(&code, &mut rng);
            let mut word = frame.with_errors(errors, &mut rng);
            let rules = MinSum::default();
            let found = code.decode_hard(&mut work, &mut word.data, &mut word.parity, &rules).unwrap();
            assert_eq!((found.bit_errors as usize, found.iterations == 0), (errors, errors == 0));
            word.assert_same(&frame);
        }
    }
}

#[test]
fn soft_reads_are_decoded() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(13);
    for (data_bytes, parity_bytes, most) in SIZES {
        let code = Ldpc::new(data_bytes, parity_bytes).unwrap();
        let mut work = code.workspace();
        let rber = most as f64 / code.codeword_bits() as f64;
        for extra_pairs in 0..4 {
            let frame = Frame::encoded(&code, &mut rng);
            // A hard read of this rate may be beyond the code; a soft one is not.
            let sensing =
                Sensing::new(if extra_pairs == 0 { rber / 2.0 } else { rber }, extra_pairs).unwrap();
            let llrs: Vec<i8> = (0..code.codeword_bits())
                .map(|i| sensing.read(frame.bit(i), (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64))
                .collect();
            let mut word = Frame { data: vec![0xaa; data_bytes], parity: vec![0x55; parity_bytes] };
            let rules = MinSum::default();
            code.decode_soft(&mut work, &llrs, &mut word.data, &mut word.parity, &rules).unwrap();
            word.assert_same(&frame);
        }
    }
}

#[test]
fn hopeless_words_are_refused_and_left_alone() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(15);
    let code = Ldpc::new(4096, 448).unwrap();
    let mut work = code.workspace();
    let read = Frame::encoded(&code, &mut rng).with_errors(2000, &mut rng);
    let mut word = Frame { data: read.data.clone(), parity: read.parity.clone() };
    let error =
        code.decode_hard(&mut work, &mut word.data, &mut word.parity, &MinSum::default()).unwrap_err();
    assert!(error.is_uncorrectable());
    word.assert_same(&read);
}

#[test]
fn misuse_is_an_error() {
    for (data, parity) in [
        (0, 64),
        (4096, 0),
        (4097, 448),
        (4096, 449),
        (4096, 32),
        (1 << 20, 448),
        (4096, 1 << 20),
        (4096, usize::MAX),
    ] {
        assert!(matches!(Ldpc::new(data, parity), Err(EccError::Parameters { .. })), "{data} + {parity}");
    }
    let code = Ldpc::new(512, 64).unwrap();
    let mut work = code.workspace();
    let (mut data, mut parity) = (vec![0; 512], vec![0; 64]);
    let rules = MinSum::default();
    assert!(code.encode(&data[..511], &mut parity).is_err());
    assert!(code.decode_hard(&mut work, &mut data, &mut parity[..63], &rules).is_err());
    assert!(code.decode_soft(&mut work, &[0; 7], &mut data, &mut parity, &rules).is_err());
    let mut other = Ldpc::new(1024, 96).unwrap().workspace();
    assert!(code.decode_hard(&mut other, &mut data, &mut parity, &rules).is_err());
    for bad in [
        MinSum { normalisation_bits: 8, ..rules },
        MinSum { message_limit: 0, ..rules },
        MinSum { message_limit: 200, ..rules },
        MinSum { hard_llr: 0, ..rules },
        MinSum { hard_llr: -5, ..rules },
    ] {
        let result = code.decode_hard(&mut work, &mut data, &mut parity, &bad);
        assert!(matches!(result, Err(EccError::Number { .. })), "{bad:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_size_gives_a_working_code_or_an_error(data in 1usize..300, parity in 1usize..40, seed: u64) {
        if let Ok(code) = Ldpc::new(8 * data, 8 * parity) {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let frame = Frame::encoded(&code, &mut rng);
            prop_assert!(code.is_codeword(&frame.data, &frame.parity).unwrap());
            let mut word = frame.with_errors(1, &mut rng);
            let mut work = code.workspace();
            let found = code.decode_hard(&mut work, &mut word.data, &mut word.parity, &MinSum::default());
            prop_assert!(found.is_ok(), "{found:?}");
            word.assert_same(&frame);
        }
    }

    #[test]
    fn garbage_never_panics_and_success_is_a_codeword(seed: u64, llr_mask: i8, iterations in 0u32..8) {
        let code = Ldpc::new(512, 64).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let llrs: Vec<i8> = (0..code.codeword_bits()).map(|_| rng.next_u64() as i8 & llr_mask).collect();
        let (mut data, mut parity) = (vec![0; 512], vec![0; 64]);
        let mut work = code.workspace();
        let rules = MinSum { max_iterations: iterations, ..MinSum::default() };
        if code.decode_soft(&mut work, &llrs, &mut data, &mut parity, &rules).is_ok() {
            prop_assert!(code.is_codeword(&data, &parity).unwrap());
        }
    }
}
