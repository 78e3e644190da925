//! The portable engine: eight tables of 256 remainders each ("slicing by eight").

use super::{MAX_WORDS, PowerSequence, Remainder, big_endian_words};
use crate::bch::generator::BinaryPolynomial;

/// entries[(8-bit slice b of a word) * 256 + value] = value x^(8 (7-b)) x^r mod g.
#[derive(Debug, Clone)]
pub(in crate::bch) struct Tables {
    words: usize,
    entries: Vec<u64>,
}

impl Tables {
    pub(super) fn new(generator: &BinaryPolynomial) -> Tables {
        let words = generator.degree().div_ceil(64);
        // The register is left aligned, so the 64 bits fed at once stand above x^(64 words), which
        // is x^r of the aligned code.
        let mut powers = PowerSequence::new(generator);
        let single_bits: Vec<Vec<u64>> = (0..64)
            .map(|_| {
                let row = powers.left_aligned(words);
                powers.step();
                row
            })
            .collect();
        let mut entries = vec![0u64; 8 * 256 * words];
        for slice in 0..8 {
            for value in 1..256usize {
                let bit = value.trailing_zeros() as usize;
                let row = &single_bits[8 * (7 - slice) + bit];
                let without = (slice * 256 + (value & (value - 1))) * words;
                let with = (slice * 256 + value) * words;
                for (w, bits) in row.iter().enumerate() {
                    entries[with + w] = entries[without + w] ^ bits;
                }
            }
        }
        Tables { words, entries }
    }

    pub(super) fn remainder(&self, data: &[u8]) -> Remainder {
        let mut register = [0u64; MAX_WORDS];
        for word in big_endian_words(data) {
            let feed = (word ^ register[0]).to_be_bytes();
            register.copy_within(1..self.words, 0);
            register[self.words - 1] = 0;
            for (slice, &value) in feed.iter().enumerate() {
                let start = (slice * 256 + value as usize) * self.words;
                let row = &self.entries[start..start + self.words];
                for (word, bits) in register.iter_mut().zip(row) {
                    *word ^= bits;
                }
            }
        }
        register
    }
}
