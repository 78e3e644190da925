//! Folding of 128 data bits at a time with PCLMULQDQ: as `fold512`, with two words leaving on top
//! of each step.

use super::barrett::Barrett;
use super::{MAX_WORDS, PowerSequence, Remainder};
use crate::bch::generator::BinaryPolynomial;
use std::arch::x86_64::*;

/// Numbers of 128-bit registers of state that are compiled; a code takes the smallest that holds
/// r + 64 bits.
const REGISTERS: [usize; 13] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, MAX_REGISTERS];
const MAX_REGISTERS: usize = MAX_WORDS / 2 + 1;

#[derive(Debug, Clone)]
pub(super) struct Fold128 {
    registers: usize,
    /// For each register of state its two words, least significant first, of x^B mod g and of
    /// x^(B + 64) mod g.
    constants: Vec<[[u64; 2]; 2]>,
    barrett: Barrett,
}

impl Fold128 {
    /// `None` where the machine lacks the instructions.
    pub(super) fn new(generator: &BinaryPolynomial) -> Option<Fold128> {
        let barrett = Barrett::new(generator)?;
        let needed = (generator.degree() + 64).div_ceil(128);
        let registers = REGISTERS.into_iter().find(|&registers| registers >= needed)?;
        let mut powers = PowerSequence::new(generator);
        for _ in generator.degree()..128 * registers {
            powers.step();
        }
        let mut constants = vec![[[0; 2]; 2]; registers];
        for j in 0..2 {
            let mut words = powers.state.clone();
            words.resize(2 * registers, 0);
            for (pair, words) in constants.iter_mut().zip(words.as_chunks::<2>().0) {
                pair[j] = *words;
            }
            for _ in 0..64 {
                powers.step();
            }
        }
        Some(Fold128 { registers, constants, barrett })
    }

    pub(super) fn remainder(&self, data: &[u8]) -> Remainder {
        let mut state = [[0u64; 2]; MAX_REGISTERS];
        // SAFETY: a `Fold128` holds a `Barrett`, which exists only where the instructions do.
        unsafe {
            match self.registers {
                1 => self.fold::<1>(data, &mut state),
                2 => self.fold::<2>(data, &mut state),
                3 => self.fold::<3>(data, &mut state),
                4 => self.fold::<4>(data, &mut state),
                5 => self.fold::<5>(data, &mut state),
                6 => self.fold::<6>(data, &mut state),
                7 => self.fold::<7>(data, &mut state),
                8 => self.fold::<8>(data, &mut state),
                12 => self.fold::<12>(data, &mut state),
                16 => self.fold::<16>(data, &mut state),
                24 => self.fold::<24>(data, &mut state),
                32 => self.fold::<32>(data, &mut state),
                _ => self.fold::<MAX_REGISTERS>(data, &mut state),
            }
        }
        self.barrett.divide(state[..self.registers].as_flattened().iter().rev().copied())
    }

    /// Leaves the state, least significant word first, in `out`.
    #[target_feature(enable = "pclmulqdq,sse4.1,ssse3")]
    fn fold<const Z: usize>(&self, data: &[u8], out: &mut [[u64; 2]; MAX_REGISTERS]) {
        let (head, body) = data.split_at(data.len() % 16);
        let mut first = [0u8; 16];
        first[16 - head.len()..].copy_from_slice(head);
        let mut state = [_mm_setzero_si128(); Z];
        state[0] = load_reversed(&first);
        for block in body.as_chunks::<16>().0 {
            let top = state[Z - 1];
            let mut state_below = load_reversed(block);
            let mut odd_below = _mm_setzero_si128();
            for (register, [low, high]) in state.iter_mut().zip(&self.constants) {
                let (low, high) = (load(low), load(high));
                let even = _mm_xor_si128(
                    _mm_clmulepi64_si128(top, low, 0x00),
                    _mm_clmulepi64_si128(top, high, 0x01),
                );
                let odd = _mm_xor_si128(
                    _mm_clmulepi64_si128(top, low, 0x10),
                    _mm_clmulepi64_si128(top, high, 0x11),
                );
                // Products of odd words stand one word higher than where the instruction leaves
                // them.
                let folded = _mm_xor_si128(even, _mm_alignr_epi8(odd, odd_below, 8));
                let next = _mm_xor_si128(state_below, folded);
                (state_below, odd_below) = (*register, odd);
                *register = next;
            }
        }
        for (words, register) in out.iter_mut().zip(&state) {
            *words = [_mm_extract_epi64(*register, 0) as u64, _mm_extract_epi64(*register, 1) as u64];
        }
    }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn load(words: &[u64; 2]) -> __m128i {
    // SAFETY: `words` is 16 readable bytes, and the load needs no alignment.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

/// 16 bytes, the first of which holds the highest coefficients, as two words, least significant
/// first.
#[inline]
#[target_feature(enable = "ssse3")]
fn load_reversed(block: &[u8; 16]) -> __m128i {
    // SAFETY: `block` is 16 readable bytes, and the load needs no alignment.
    let bytes = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
    _mm_shuffle_epi8(bytes, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
}
