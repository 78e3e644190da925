//! d(x) x^r mod g(x), the work of the systematic encoder and the first step of the decoder, by eight
//! tables of 256 remainders each ("slicing by eight").

use super::generator::BinaryPolynomial;

/// Most words of a remainder: 8192 parity bits. A power of two.
pub(crate) const MAX_WORDS: usize = 128;

/// A remainder, most significant word first, left aligned: bit 63 of word 0 is the coefficient of
/// x^(r-1). Bits below x^0 are 0.
pub(crate) type Remainder = [u64; MAX_WORDS];

/// A divider by one generator polynomial: entries[(8-bit slice b of a word) * 256 + value] = value x^(8 (7-b)) x^r mod g.
#[derive(Debug, Clone)]
pub(super) struct Divider {
    words: usize,
    entries: Vec<u64>,
}

impl Divider {
    pub(super) fn new(generator: &BinaryPolynomial) -> Divider {
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
        Divider { words, entries }
    }

    /// The remainder of `data`(x) x^r, the first bit of `data` being its highest coefficient.
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

/// `data` as big-endian words, the first padded with leading zeros (which do not change a
/// remainder).
fn big_endian_words(data: &[u8]) -> impl Iterator<Item = u64> {
    let (head, body) = data.split_at(data.len() % 8);
    let first = head.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let (words, _) = body.as_chunks::<8>();
    std::iter::once(first).chain(words.iter().map(|word| u64::from_be_bytes(*word)))
}

/// x^power mod g for power = r, r+1, ...: the shift register that the tables are built from.
struct PowerSequence {
    /// Least significant word first, r bits.
    state: Vec<u64>,
    low: Vec<u64>,
    degree: usize,
}

impl PowerSequence {
    /// Starts at x^r mod g.
    fn new(generator: &BinaryPolynomial) -> PowerSequence {
        let degree = generator.degree();
        let mut low = vec![0u64; degree.div_ceil(64)];
        for power in (0..degree).filter(|&power| generator.coefficient(power)) {
            low[power / 64] |= 1 << (power % 64);
        }
        PowerSequence { state: low.clone(), low, degree }
    }

    /// Multiplies by x.
    fn step(&mut self) {
        let top = self.degree - 1;
        let overflow = self.state[top / 64] >> (top % 64) & 1 == 1;
        let mut carry = 0;
        for word in &mut self.state {
            let next = *word >> 63;
            *word = *word << 1 | carry;
            carry = next;
        }
        if !self.degree.is_multiple_of(64) {
            self.state[top / 64] &= (1 << (self.degree % 64)) - 1;
        }
        if overflow {
            for (word, low) in self.state.iter_mut().zip(&self.low) {
                *word ^= low;
            }
        }
    }

    /// The current power, left aligned in `words` words, most significant first.
    fn left_aligned(&self, words: usize) -> Vec<u64> {
        let mut out = vec![0u64; words];
        for power in (0..self.degree).filter(|p| self.state[p / 64] >> (p % 64) & 1 == 1) {
            let place = self.degree - 1 - power;
            out[place / 64] |= 1 << (63 - place % 64);
        }
        out
    }
}
