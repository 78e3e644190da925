//! The remainder by carry-less multiplication, one exact Barrett quotient per 64 bits.
//!
//! The generator is aligned to G(x) = g(x) x^pad of degree 128 X. The word w that leaves the
//! register on top is cancelled by q G, where q = floor(w x^(128 X) / G) = w + floor(w mu / x^64)
//! and mu = floor(x^(128 X + 64) / G) - x^64. Over GF(2) this is exact (V. Gopal et al., "Fast CRC
//! computation for generic polynomials using PCLMULQDQ instruction", Intel, 2009).

use super::{MAX_WORDS, PowerSequence, Remainder, big_endian_words};
use crate::bch::generator::BinaryPolynomial;
use std::arch::x86_64::*;

const MAX_LANES: usize = MAX_WORDS / 2;

#[derive(Debug, Clone)]
pub(in crate::bch) struct Barrett {
    /// mu, the quotient's constant, without its leading x^64.
    quotient: u64,
    /// G without its leading term, two words a lane, least significant first.
    aligned_generator: Vec<[u64; 2]>,
}

impl Barrett {
    /// To be called under an [`Isa`](crate::isa::Isa) with AVX2 only.
    pub(super) fn new(generator: &BinaryPolynomial) -> Barrett {
        let lanes = generator.degree().div_ceil(128);
        let top_first = PowerSequence::new(generator).left_aligned(2 * lanes);
        let aligned_generator: Vec<[u64; 2]> =
            top_first.rchunks_exact(2).map(|pair| [pair[1], pair[0]]).collect();
        Barrett { quotient: barrett_constant(top_first[0]), aligned_generator }
    }

    /// The remainder of `data`(x) x^r.
    pub(super) fn remainder(&self, data: &[u8]) -> Remainder {
        let words = big_endian_words(data);
        // SAFETY: a `Barrett` is made under an `Isa` that has these instructions.
        unsafe {
            match self.aligned_generator.len() {
                1 => self.divide_lanes::<1>(words),
                2 => self.divide_lanes::<2>(words),
                3 => self.divide_lanes::<3>(words),
                4 => self.divide_lanes::<4>(words),
                5 => self.divide_lanes::<5>(words),
                6 => self.divide_lanes::<6>(words),
                7 => self.divide_lanes::<7>(words),
                8 => self.divide_lanes::<8>(words),
                9..=16 => self.divide_lanes::<16>(words),
                17..=24 => self.divide_lanes::<24>(words),
                _ => self.divide_lanes::<MAX_LANES>(words),
            }
        }
    }

    /// `CAPACITY` >= the number of lanes in use; small ones stay in machine registers.
    #[target_feature(enable = "pclmulqdq,sse4.1,ssse3")]
    fn divide_lanes<const CAPACITY: usize>(&self, words: impl Iterator<Item = u64>) -> Remainder {
        let mut generator = [_mm_setzero_si128(); CAPACITY];
        // Unused lanes stand below: multiplying G by x^128 for each leaves the quotient unchanged.
        let unused = CAPACITY - self.aligned_generator.len();
        for (lane, pair) in generator[unused..].iter_mut().zip(&self.aligned_generator) {
            *lane = _mm_set_epi64x(pair[1] as i64, pair[0] as i64);
        }
        let quotient = _mm_set_epi64x(0, self.quotient as i64);
        let mut register = [_mm_setzero_si128(); CAPACITY];
        for word in words {
            let top = _mm_srli_si128(register[CAPACITY - 1], 8);
            let feed = _mm_xor_si128(top, _mm_set_epi64x(0, word as i64));
            let q = _mm_xor_si128(feed, _mm_srli_si128(_mm_clmulepi64_si128(feed, quotient, 0x00), 8));
            let mut below = _mm_setzero_si128();
            for lane in unused..CAPACITY {
                let odd = _mm_xor_si128(register[lane], _mm_clmulepi64_si128(q, generator[lane], 0x10));
                let even = _mm_clmulepi64_si128(q, generator[lane], 0x00);
                register[lane] = _mm_xor_si128(even, _mm_alignr_epi8(odd, below, 8));
                below = odd;
            }
        }
        let mut out = [0u64; MAX_WORDS];
        for (pair, lane) in out.as_chunks_mut::<2>().0.iter_mut().zip(register[unused..].iter().rev()) {
            *pair = [_mm_extract_epi64(*lane, 1) as u64, _mm_extract_epi64(*lane, 0) as u64];
        }
        out
    }
}

/// floor(x^128 / (x^64 + top)) without its leading x^64: only the generator's highest 64
/// coefficients matter for it.
fn barrett_constant(top: u64) -> u64 {
    let mut dividend = u128::from(top) << 64;
    let mut quotient = 0u64;
    for bit in (0..64).rev() {
        if dividend >> (64 + bit) & 1 == 1 {
            quotient |= 1 << bit;
            dividend ^= 1 << (64 + bit);
            dividend ^= u128::from(top) << bit;
        }
    }
    quotient
}
