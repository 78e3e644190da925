//! Syndromes S_j = v(alpha^j), j = 1..=2t, of a word v.
//!
//! They are computed from the remainder of v modulo g, which has the same values at the roots of g
//! and only r bits. A word without errors has remainder 0 and is done before any field arithmetic.

use super::remainder::Remainder;
use super::{MAX_ERRORS, bits::set_bits};
use crate::gf2m::Gf2m;

/// S_1, S_2, ..., S_2t at index 0, 1, ..., 2t-1.
pub(super) type Syndromes = [u16; 2 * MAX_ERRORS];

/// For each power p < r a row alpha^p, alpha^3p, ..., alpha^((2t-1)p): the contribution of a
/// remainder bit.
#[derive(Debug, Clone)]
pub(super) struct SyndromeRows {
    /// Elements of a row, t rounded up to whole vectors.
    stride: usize,
    rows: Vec<u16>,
}

impl SyndromeRows {
    pub(super) fn new(field: &Gf2m, t: usize, parity_bits: usize) -> SyndromeRows {
        let stride = t.next_multiple_of(32);
        let mut rows = vec![0u16; parity_bits * stride];
        // Row k belongs to the k-th highest power, the order in which the remainder stores its
        // bits.
        for (row, power) in rows.chunks_exact_mut(stride).zip((0..parity_bits as u64).rev()) {
            for (i, element) in row[..t].iter_mut().enumerate() {
                *element = field.alpha_pow((2 * i as u64 + 1) * power);
            }
        }
        SyndromeRows { stride, rows }
    }

    /// S_1, S_3, ..., S_(2t-1) of a remainder, at index 0, 1, ..., t-1.
    pub(super) fn odd_syndromes(&self, remainder: &Remainder) -> [u16; MAX_ERRORS] {
        let mut sums = [0u16; MAX_ERRORS];
        let sums_in_use = &mut sums[..self.stride];
        for place in set_bits(remainder) {
            let row = &self.rows[place * self.stride..][..self.stride];
            for (sum, element) in sums_in_use.iter_mut().zip(row) {
                *sum ^= element;
            }
        }
        sums
    }
}

/// Adds the odd syndromes of the single error x^`power` to S_1, S_3, ...
pub(super) fn add_error(field: &Gf2m, odd: &mut [u16], power: u32) {
    let order = field.order();
    let twice = (2 * power) % order;
    let mut exponent = power % order;
    for sum in odd {
        *sum ^= field.alpha_pow_reduced(exponent);
        exponent += twice;
        if exponent >= order {
            exponent -= order;
        }
    }
}

/// All syndromes from those of odd number: over GF(2), S_2j = S_j^2.
pub(super) fn all_syndromes(field: &Gf2m, odd: &[u16]) -> Syndromes {
    let mut all = [0u16; 2 * MAX_ERRORS];
    for j in 1..=2 * odd.len() {
        all[j - 1] = if j % 2 == 1 { odd[j / 2] } else { field.square(all[j / 2 - 1]) };
    }
    all
}
