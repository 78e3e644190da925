//! Syndromes of a remainder, a few words of it at a time.
//!
//! By Horner's rule S_j = (...(R_0 a^64 + R_1) a^64 + ...) with a = alpha^j. The value of a word
//! R_w at all j is a sum of 64 fixed vectors. These fit the first-level cache; one vector for each
//! bit of the remainder would not. Where products are slow a step is several words long.

use super::lanes::Lanes;
use super::map::{Map, Pair};
use super::split::Elements;
use crate::bch::bits::set_bits;
use crate::bch::remainder::Remainder;
use crate::gf2m::Gf2m;
use std::marker::PhantomData;

/// Vectors that a sum keeps in registers at a time.
const GROUP: usize = 3;

/// The vectors of one code.
#[derive(Debug, Clone)]
pub(super) struct SyndromeBlocks<L> {
    /// Words of a remainder, in whole steps.
    words: usize,
    /// Syndromes, in whole groups of registers.
    stride: usize,
    /// `[(bit * 2 + half) * stride + i]`: half of alpha^((2 i + 1) place), place that of bit `bit`
    /// of the last step, highest first.
    bits: Vec<u8>,
    /// [half * stride + i]: half of alpha^(b (2 i + 1)), b the bits of a step.
    steps: Vec<u8>,
    lanes: PhantomData<L>,
}

impl<L: Lanes> SyndromeBlocks<L> {
    pub(super) fn new(field: &Gf2m, map: &Map, t: usize, parity_bits: usize) -> SyndromeBlocks<L> {
        let words = parity_bits.div_ceil(64).next_multiple_of(L::WORDS_A_PRODUCT);
        let step = 64 * L::WORDS_A_PRODUCT as u64;
        let stride = t.next_multiple_of(GROUP * L::COUNT);
        let order = u64::from(field.order());
        let row = |power: u64| -> Vec<u8> {
            let mut halves = vec![0; 2 * stride];
            for i in 0..t {
                let exponent = (2 * i as u64 + 1) * power;
                [halves[i], halves[stride + i]] = map.pair(field.alpha_pow(exponent));
            }
            halves
        };
        // A remainder is left aligned: the last step's lowest bits stand below x^0.
        let padding = (64 * words - parity_bits) as u64;
        let bits = (0..step).rev().flat_map(|bit| row(bit + order - padding)).collect();
        SyndromeBlocks { words, stride, bits, steps: row(step), lanes: PhantomData }
    }

    /// Calls `take` with the number and the value of S_1, S_3, ..., and of some that are no
    /// syndromes.
    #[inline(always)]
    pub(super) fn sum(&self, remainder: &Remainder, nu: &L::Factor, mut take: impl FnMut(usize, Pair)) {
        let words = &remainder[..self.words];
        for first in (0..self.stride).step_by(GROUP * L::COUNT) {
            let load = |row: &[u8], register: usize| {
                let at = first + register * L::COUNT;
                Elements { low: L::load(&row[at..]), high: L::load(&row[self.stride + at..]) }
            };
            let steps: [Elements<L>; GROUP] = std::array::from_fn(|register| load(&self.steps, register));
            let mut sums = [Elements::<L>::zero(); GROUP];
            for chunk in words.chunks_exact(L::WORDS_A_PRODUCT) {
                for (sum, step) in sums.iter_mut().zip(steps) {
                    *sum = sum.multiply(step, nu);
                }
                for bit in set_bits(chunk) {
                    let row = &self.bits[2 * self.stride * bit..][..2 * self.stride];
                    for (register, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.xor(load(row, register));
                    }
                }
            }
            for (register, sum) in sums.into_iter().enumerate() {
                let (mut low, mut high) = ([0; 64], [0; 64]);
                sum.low.store(&mut low);
                sum.high.store(&mut high);
                for lane in 0..L::COUNT {
                    take(first + register * L::COUNT + lane, [low[lane], high[lane]]);
                }
            }
        }
    }
}
