//! The (15, 7) double-error-correcting code, checked on every word there is.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use rewear_codes::bch::Bch;
use rewear_codes::ecc_error::EccError;

const LENGTH: u32 = 15;

fn code() -> Bch {
    Bch::with_data_bits(7, 2).unwrap()
}

/// A codeword or received word as 15 bits, the highest power on top, split into the buffers of the
/// code.
fn buffers(word: u16) -> ([u8; 1], [u8; 1]) {
    ([(word >> 8) as u8], [word as u8])
}

fn join(data: [u8; 1], parity: [u8; 1]) -> u16 {
    u16::from(data[0]) << 8 | u16::from(parity[0])
}

fn codewords(code: &Bch) -> Vec<u16> {
    (0..128u8)
        .map(|data| {
            let mut parity = [0];
            code.encode(&[data], &mut parity).unwrap();
            join([data], parity)
        })
        .collect()
}

/// The bit index the decoder uses for a power of x: data byte 0 has one unused bit on top.
fn index(power: u32) -> u32 {
    LENGTH - power
}

#[test]
fn has_the_textbook_parameters_and_distance() {
    let code = code();
    assert_eq!((code.field_degree(), code.parity_bits(), code.codeword_bits()), (4, 8, 15));
    assert_eq!(code.generator_powers(), [8, 7, 6, 4, 0]);
    let words = codewords(&code);
    let distance = words.iter().filter(|&&w| w != 0).map(|w| w.count_ones()).min();
    assert_eq!(distance, Some(5));
}

#[test]
fn every_received_word_goes_to_the_codeword_within_two_errors_or_is_refused() {
    let code = code();
    let words = codewords(&code);
    for received in 0..1u16 << LENGTH {
        let near = words.iter().copied().find(|w| (w ^ received).count_ones() <= 2);
        let (mut data, mut parity) = buffers(received);
        match (code.decode(&mut data, &mut parity, &[]), near) {
            (Ok(corrected), Some(word)) => {
                assert_eq!(join(data, parity), word);
                assert_eq!(corrected.bit_errors, (word ^ received).count_ones());
            }
            (Err(error), None) => {
                assert!(error.is_uncorrectable());
                assert_eq!(join(data, parity), received, "a refused word must stay as it was");
            }
            (result, near) => panic!("{received:015b}: {result:?}, nearest {near:?}"),
        }
    }
}

#[test]
fn every_pattern_of_errors_and_erasures_below_the_distance_is_corrected() {
    let code = code();
    // Linear code: one codeword stands for all, and a dense one exercises both fills.
    let word = codewords(&code)[0b1011001];
    for erased in (0..1u16 << LENGTH).filter(|m| m.count_ones() <= 4) {
        let erasures: Vec<u32> = (0..LENGTH).rev().filter(|p| erased >> p & 1 == 1).map(index).collect();
        for errors in (0..1u16 << LENGTH).filter(|e| {
            e & erased == 0 && e.count_ones() <= 2 && 2 * e.count_ones() + erased.count_ones() <= 4
        }) {
            for noise in [0, erased, erased & 0x5555] {
                let (mut data, mut parity) = buffers(word ^ errors ^ noise);
                let corrected = code.decode(&mut data, &mut parity, &erasures).unwrap();
                assert_eq!(join(data, parity), word);
                assert_eq!(corrected.bit_errors, errors.count_ones());
                assert_eq!(corrected.erased_bits, erased.count_ones());
            }
        }
    }
}

#[test]
fn the_unused_bit_is_refused_by_the_encoder_and_cleared_by_the_decoder() {
    let code = code();
    assert_eq!(code.encode(&[0x80], &mut [0]), Err(EccError::UnusedBits { unused_bits: 1 }));
    let (mut data, mut parity) = buffers(codewords(&code)[5]);
    data[0] |= 0x80;
    assert_eq!(code.decode(&mut data, &mut parity, &[]).unwrap().bit_errors, 0);
    assert_eq!(data, [5]);
}
