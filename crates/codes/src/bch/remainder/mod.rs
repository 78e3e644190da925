//! d(x) x^r mod g(x), the work of the systematic encoder and the first step of the decoder: by table
//! slicing on any machine, by carry-less multiplication where the processor has it. Both give the
//! same bits.

#[cfg(target_arch = "x86_64")]
mod barrett;
mod tables;

use super::generator::BinaryPolynomial;
use crate::isa::Isa;
use tables::Tables;

/// Most words of a remainder: 8192 parity bits. A power of two.
pub(crate) const MAX_WORDS: usize = 128;

/// A remainder, most significant word first, left aligned: bit 63 of word 0 is the coefficient of
/// x^(r-1). Bits below x^0 are 0.
pub(crate) type Remainder = [u64; MAX_WORDS];

/// A divider by one generator polynomial.
#[derive(Debug, Clone)]
pub(super) enum Divider {
    Tables(Tables),
    #[cfg(target_arch = "x86_64")]
    Barrett(barrett::Barrett),
}

impl Divider {
    pub(crate) fn new(generator: &BinaryPolynomial, isa: Isa) -> Divider {
        #[cfg(target_arch = "x86_64")]
        if isa.has_avx2() {
            return Divider::Barrett(barrett::Barrett::new(generator));
        }
        let _ = isa;
        Divider::Tables(Tables::new(generator))
    }

    /// The remainder of `data`(x) x^r, the first bit of `data` being its highest coefficient.
    #[inline]
    pub(crate) fn remainder(&self, data: &[u8]) -> Remainder {
        match self {
            Divider::Tables(tables) => tables.remainder(data),
            #[cfg(target_arch = "x86_64")]
            Divider::Barrett(barrett) => barrett.remainder(data),
        }
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

/// x^power mod g for power = r, r+1, ...: the shift register that both ways build their constants
/// from.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bch::generator::generator_polynomial;
    use crate::gf2m::Gf2m;

    /// One bit at a time, straight from the definition.
    fn remainder_by_definition(generator: &BinaryPolynomial, data: &[u8]) -> Vec<u64> {
        let r = generator.degree();
        let mut register = vec![false; r];
        for bit in data.iter().flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1 == 1)) {
            let feedback = bit ^ register[r - 1];
            for power in (0..r).rev() {
                let below = power > 0 && register[power - 1];
                register[power] = below ^ (feedback && generator.coefficient(power));
            }
        }
        let mut words = vec![0u64; MAX_WORDS];
        for power in (0..r).filter(|&power| register[power]) {
            let place = r - 1 - power;
            words[place / 64] |= 1 << (63 - place % 64);
        }
        words
    }

    #[test]
    fn both_ways_match_the_definition() {
        for (m, t) in [
            (4, 1),
            (4, 2),
            (5, 3),
            (8, 8),
            (10, 7),
            (13, 5),
            (13, 40),
            (13, 315),
            (14, 64),
            (16, 51),
            (16, 512),
        ] {
            let generator = generator_polynomial(&Gf2m::new(m).unwrap(), t).unwrap();
            for length in [0, 1, 7, 8, 9, 63, 64, 65, 200] {
                let data: Vec<u8> =
                    (0..length).map(|i: usize| (i * 151 + 43 * t) as u8 ^ (i * i) as u8).collect();
                let expected = remainder_by_definition(&generator, &data);
                for isa in Isa::available() {
                    let divider = Divider::new(&generator, isa);
                    assert_eq!(divider.remainder(&data).to_vec(), expected, "m={m} t={t} {length} B {isa:?}");
                }
            }
        }
    }
}
