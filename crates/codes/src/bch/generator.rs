//! The generator polynomial of a binary BCH code.

use crate::gf2m::Gf2m;

/// A polynomial over GF(2); bit i of word w is the coefficient of x^(64 w + i).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BinaryPolynomial {
    words: Vec<u64>,
    degree: usize,
}

impl BinaryPolynomial {
    fn one() -> BinaryPolynomial {
        BinaryPolynomial { words: vec![1], degree: 0 }
    }

    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    pub(crate) fn coefficient(&self, power: usize) -> bool {
        power <= self.degree && self.words[power / 64] >> (power % 64) & 1 == 1
    }

    /// self * factor, where bit i of `factor` is the coefficient of x^i and its highest set bit is
    /// `degree`.
    fn times(&self, factor: u32, degree: usize) -> BinaryPolynomial {
        let mut words = vec![0u64; (self.degree + degree) / 64 + 1];
        for shift in (0..=degree).filter(|&i| factor >> i & 1 == 1) {
            for (w, &word) in self.words.iter().enumerate() {
                let wide = u128::from(word) << shift;
                words[w] ^= wide as u64;
                if let Some(next) = words.get_mut(w + 1) {
                    *next ^= (wide >> 64) as u64;
                }
            }
        }
        BinaryPolynomial { words, degree: self.degree + degree }
    }
}

/// The minimal polynomial of alpha^`exponent` over GF(2) and its degree: the product of (x - c)
/// over all conjugates c.
fn minimal_polynomial(field: &Gf2m, conjugates: &[u32]) -> (u32, usize) {
    let mut coefficients = vec![1u16];
    for &exponent in conjugates {
        let root = field.alpha_pow(u64::from(exponent));
        coefficients.push(0);
        for i in (0..coefficients.len()).rev() {
            let lower = if i > 0 { coefficients[i - 1] } else { 0 };
            coefficients[i] = lower ^ field.mul(coefficients[i], root);
        }
    }
    let bits = coefficients.iter().enumerate().map(|(i, &c)| u32::from(c) << i).fold(0, |a, b| a | b);
    (bits, conjugates.len())
}

/// g(x) = lcm of the minimal polynomials of alpha, alpha^3, ..., alpha^(2t-1): the primitive
/// narrow-sense BCH code of designed distance 2t+1. `None` when its degree reaches the code's
/// length 2^m - 1, which leaves no data.
pub(crate) fn generator_polynomial(field: &Gf2m, t: usize) -> Option<BinaryPolynomial> {
    let order = field.order();
    let mut covered = vec![false; order as usize];
    let mut generator = BinaryPolynomial::one();
    for odd in (0..t as u64).map(|i| 2 * i + 1) {
        let start = (odd % u64::from(order)) as u32;
        if covered[start as usize] {
            continue;
        }
        let mut conjugates = Vec::new();
        let mut exponent = start;
        while !covered[exponent as usize] {
            covered[exponent as usize] = true;
            conjugates.push(exponent);
            exponent = (2 * exponent) % order;
        }
        let (factor, degree) = minimal_polynomial(field, &conjugates);
        generator = generator.times(factor, degree);
        if generator.degree() >= order as usize {
            return None;
        }
    }
    Some(generator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_generators() {
        // Lin and Costello, "Error Control Coding", table of BCH codes of length 15: octal 23, 721,
        // 2467.
        let field = Gf2m::new(4).unwrap();
        for (t, degree, octal) in [(1, 4, 0o23), (2, 8, 0o721), (3, 10, 0o2467)] {
            let g = generator_polynomial(&field, t).unwrap();
            assert_eq!((g.degree(), g.words[0]), (degree, octal));
        }
        assert!(generator_polynomial(&field, 8).is_none());
    }

    #[test]
    fn generator_vanishes_at_consecutive_powers() {
        let field = Gf2m::new(10).unwrap();
        let t = 9;
        let g = generator_polynomial(&field, t).unwrap();
        for j in 1..=2 * t as u64 {
            let value = (0..=g.degree())
                .filter(|&i| g.coefficient(i))
                .fold(0, |v, i| v ^ field.alpha_pow(j * i as u64));
            assert_eq!(value, 0, "alpha^{j}");
        }
    }
}
