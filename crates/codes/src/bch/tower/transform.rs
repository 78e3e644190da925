//! A polynomial of degree below 256 over GF(2^8), or over a space above it, at all 256 points of
//! the field.
//!
//! The additive Fourier transform in a Cantor basis: S. Gao, T. Mateer, "Additive fast Fourier
//! transforms over finite fields", IEEE Trans. Inf. Theory 56(12), 2010; the butterflies are those
//! of S.-J. Lin, W.-H. Chung, Y. S. Han, "Novel polynomial basis and its application to
//! Reed-Solomon erasure codes", FOCS 2014. Let y = x^16 + x, which maps x = u + w to y = w^16 + w
//! for all u of GF(2^4). Then 256 points are 16 transforms of 16 points in y and 16 in x, each
//! within the registers.

use super::gf256::cantor_elements;
use super::lanes::Lanes;

/// Points of a transform.
pub(super) const POINTS: usize = 256;

/// Multipliers by all elements, in the order of the points.
#[derive(Debug, Clone)]
pub(super) struct Points<L: Lanes> {
    factors: Vec<L::Factor>,
}

impl<L: Lanes> Points<L> {
    pub(super) fn new() -> Points<L> {
        Points { factors: cantor_elements().map(L::factor).to_vec() }
    }

    /// Replaces the coefficients of x^0, x^1, ... in every lane by the values at points 0, 1, ...
    #[inline(always)]
    pub(super) fn transform(&self, values: &mut [L; POINTS]) {
        let Some(factors) = self.factors.first_chunk::<POINTS>() else { return };
        expand(values);
        for column in 0..16 {
            let mut local: [L; 16] = std::array::from_fn(|row| values[16 * row + column]);
            transform_16::<L>(&mut local, factors, 0);
            for (row, value) in local.into_iter().enumerate() {
                values[16 * row + column] = value;
            }
        }
        let (rows, _) = values.as_chunks_mut::<16>();
        for (i, row) in rows.iter_mut().enumerate() {
            let mut local = *row;
            transform_16::<L>(&mut local, factors, i);
            *row = local;
        }
    }
}

/// From coefficients of x^(16 j + i) to those of y^j x^i, y = x^16 + x, by x^128 = y^8 + x^8,
/// x^64 = y^4 + x^4 and so on.
#[inline(always)]
fn expand<L: Lanes>(values: &mut [L; POINTS]) {
    for (half, step) in [(128, 8), (64, 4), (32, 2), (16, 1)] {
        for block in values.chunks_exact_mut(2 * half) {
            // Downwards: the lowest terms of the upper half gain from its highest ones, and then go
            // on.
            for k in (half..2 * half).rev() {
                block[k - half + step] = block[k - half + step].xor(block[k]);
            }
        }
    }
}

/// The values at the points 16 `row` + 0, 1, ..., 15.
#[inline(always)]
fn transform_16<L: Lanes>(a: &mut [L; 16], factors: &[L::Factor; POINTS], row: usize) {
    // As `expand`, with x^4 + x; then with x^2 + x in both variables.
    for k in (8..16).rev() {
        a[k - 6] = a[k - 6].xor(a[k]);
    }
    for half in [8, 0] {
        for k in (half + 4..half + 8).rev() {
            a[k - 3] = a[k - 3].xor(a[k]);
        }
    }
    for i in 0..4 {
        a[8 + i] = a[8 + i].xor(a[12 + i]);
        a[4 + i] = a[4 + i].xor(a[8 + i]);
    }
    for j in 0..4 {
        a[4 * j + 2] = a[4 * j + 2].xor(a[4 * j + 3]);
        a[4 * j + 1] = a[4 * j + 1].xor(a[4 * j + 2]);
    }
    butterflies::<3, L>(a, factors, row);
    butterflies::<2, L>(a, factors, row);
    butterflies::<1, L>(a, factors, row);
    butterflies::<0, L>(a, factors, row);
}

/// One level: pairs `2^LEVEL` apart become the values of low + s high at both points. Here s is the
/// subspace polynomial of the level, which takes the value of point p >> LEVEL at point p.
#[inline(always)]
fn butterflies<const LEVEL: usize, L: Lanes>(a: &mut [L; 16], factors: &[L::Factor; POINTS], row: usize) {
    for pair in 0..8 {
        let low = (pair >> LEVEL) << (LEVEL + 1) | (pair & ((1 << LEVEL) - 1));
        let high = low | 1 << LEVEL;
        // Point numbers stay below 256, which the mask tells the compiler.
        let point = (16 * row + low) >> LEVEL & 0xfe;
        a[low] = a[low].xor(a[high].times(&factors[point]));
        a[high] = a[high].xor(a[low]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::gf256::multiply;
    use super::super::lanes::Portable;
    use super::*;

    #[test]
    fn values_are_those_of_the_polynomial() {
        let coefficients: [u8; POINTS] = std::array::from_fn(|i| (i * i * 31 + 7 * i + 3) as u8);
        let mut values = coefficients.map(|c| Portable::load(&[c; 32]));
        Points::<Portable>::new().transform(&mut values);
        for (value, x) in values.into_iter().zip(cantor_elements()) {
            let expected = coefficients.iter().rev().fold(0, |sum, c| multiply(sum, x) ^ c);
            let mut found = [0; 32];
            value.store(&mut found);
            assert_eq!(found, [expected; 32], "at {x}");
        }
    }
}
