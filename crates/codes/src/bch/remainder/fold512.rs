//! Folding of 512 data bits at a time with AVX-512 VPCLMULQDQ.
//!
//! The state S, congruent to the data so far, has B = 512 Z bits with B >= r + 64. One step takes
//! 512 data bits d: S <- S x^512 + d. Each of the eight words T_j that leave on top is replaced by
//! T_j (x^(B + 64 j) mod g). That has at most r + 64 bits, so they fit again without a full
//! reduction. All eight products are independent: throughput, not latency, limits it. One Barrett
//! reduction at the end takes S to the remainder.

use super::barrett::Barrett;
use super::{PowerSequence, Remainder};
use crate::bch::generator::BinaryPolynomial;
use std::arch::x86_64::*;

/// Most 512-bit registers of state: generators up to degree 4032.
const MAX_REGISTERS: usize = 8;

pub(super) fn supported() -> bool {
    super::barrett::supported()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("vpclmulqdq")
}

#[derive(Debug, Clone)]
pub(super) struct Fold512 {
    registers: usize,
    /// constants[j * registers + z]: register z of x^(B + 64 j) mod g, least significant word
    /// first.
    constants: Vec<[u64; 8]>,
    barrett: Barrett,
}

impl Fold512 {
    /// `None` where the machine lacks the instructions or the generator is too long.
    pub(super) fn new(generator: &BinaryPolynomial) -> Option<Fold512> {
        let registers = (generator.degree() + 64).div_ceil(512);
        if !supported() || registers > MAX_REGISTERS {
            return None;
        }
        let mut powers = PowerSequence::new(generator);
        for _ in generator.degree()..512 * registers {
            powers.step();
        }
        let mut constants = Vec::with_capacity(8 * registers);
        for _ in 0..8 {
            let mut words = powers.state.clone();
            words.resize(8 * registers, 0);
            constants.extend_from_slice(words.as_chunks::<8>().0);
            for _ in 0..64 {
                powers.step();
            }
        }
        Some(Fold512 { registers, constants, barrett: Barrett::new(generator)? })
    }

    pub(super) fn remainder(&self, data: &[u8]) -> Remainder {
        let mut state = [0u64; 8 * MAX_REGISTERS];
        // SAFETY: a `Fold512` exists only where `supported()` is true.
        unsafe {
            match self.registers {
                1 => self.fold::<1>(data, &mut state),
                2 => self.fold::<2>(data, &mut state),
                3 => self.fold::<3>(data, &mut state),
                4 => self.fold::<4>(data, &mut state),
                5 => self.fold::<5>(data, &mut state),
                6 => self.fold::<6>(data, &mut state),
                7 => self.fold::<7>(data, &mut state),
                _ => self.fold::<8>(data, &mut state),
            }
        }
        self.barrett.divide(state[..8 * self.registers].iter().rev().copied())
    }

    /// Leaves the state, least significant word first, in `out`.
    #[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
    fn fold<const Z: usize>(&self, data: &[u8], out: &mut [u64; 8 * MAX_REGISTERS]) {
        let (head, body) = data.split_at(data.len() % 64);
        let mut first = [0u8; 64];
        first[64 - head.len()..].copy_from_slice(head);
        let (blocks, _) = body.as_chunks::<64>();
        let mut state = [_mm512_setzero_si512(); Z];
        // The first bytes need no folding: they are the state.
        state[0] = load_reversed(&first);
        for block in blocks {
            state = self.step(&state, load_reversed(block));
        }
        for (words, register) in out.as_chunks_mut::<8>().0.iter_mut().zip(&state) {
            // SAFETY: `words` is 64 writable bytes, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), *register) };
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
    fn step<const Z: usize>(&self, state: &[__m512i; Z], block: __m512i) -> [__m512i; Z] {
        let mut even = [_mm512_setzero_si512(); Z];
        let mut odd = [_mm512_setzero_si512(); Z];
        for (j, constants) in self.constants.chunks_exact(Z).take(8).enumerate() {
            let top = _mm512_permutexvar_epi64(_mm512_set1_epi64(j as i64), state[Z - 1]);
            for z in 0..Z {
                // SAFETY: the constant is 64 readable bytes, and the load needs no alignment.
                let constant = unsafe { _mm512_loadu_si512(constants[z].as_ptr().cast()) };
                even[z] = _mm512_xor_si512(even[z], _mm512_clmulepi64_epi128(top, constant, 0x00));
                odd[z] = _mm512_xor_si512(odd[z], _mm512_clmulepi64_epi128(top, constant, 0x10));
            }
        }
        let mut next = [block; Z];
        let mut odd_below = _mm512_setzero_si512();
        for z in 0..Z {
            if z > 0 {
                next[z] = state[z - 1];
            }
            // Products of odd words stand one word higher than where the instruction leaves them.
            let shifted = _mm512_alignr_epi64(odd[z], odd_below, 7);
            next[z] = _mm512_ternarylogic_epi64(next[z], even[z], shifted, 0x96);
            odd_below = odd[z];
        }
        next
    }
}

/// 64 bytes, the first of which holds the highest coefficients, as eight words, least significant
/// first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load_reversed(block: &[u8; 64]) -> __m512i {
    // SAFETY: `block` is 64 readable bytes, and the load needs no alignment.
    let bytes = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let words = _mm512_permutexvar_epi64(_mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7), bytes);
    let swap = _mm512_set4_epi32(0x0809_0a0b, 0x0c0d_0e0f, 0x0001_0203, 0x0405_0607);
    _mm512_shuffle_epi8(words, swap)
}
