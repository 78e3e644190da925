//! Chien search: which powers p have locator(alpha^-p) = 0?
//!
//! R. Chien, "Cyclic decoding procedures for Bose-Chaudhuri-Hocquenghem codes", IEEE Trans. Inf.
//! Theory 10(4), 1964. [`BLOCK`] neighbouring powers are searched at once. A term of the locator is
//! multiplied by the constants of their places as a sum of rows, one for each bit of the term: plain
//! arrays, which any compiler turns into vectors.

use super::MAX_ERRORS;
use super::berlekamp_massey::ErrorLocator;
use crate::gf2m::Gf2m;

/// Error powers found.
pub(super) struct Roots {
    powers: [u32; MAX_ERRORS],
    count: usize,
}

impl Roots {
    pub(super) const NONE: Roots = Roots { powers: [0; MAX_ERRORS], count: 0 };

    pub(super) fn powers(&self) -> &[u32] {
        &self.powers[..self.count]
    }

    fn push(&mut self, power: u32) {
        self.powers[self.count] = power;
        self.count += 1;
    }
}

/// Powers searched at once.
const BLOCK: usize = 64;

/// A root search over the powers of one code.
#[derive(Debug, Clone)]
pub(super) struct ChienSearch {
    /// rows[(i - 1) m + b][j] = x^b alpha^(-i j): what bit b of term i adds at the j-th power of a
    /// block.
    rows: Vec<[u16; BLOCK]>,
    /// Powers below this one are bits of the codeword.
    length: u32,
}

impl ChienSearch {
    /// For locators of degree at most `t` and codewords of `length` bits.
    pub(super) fn new(field: &Gf2m, t: usize, length: u32) -> ChienSearch {
        let order = u64::from(field.order());
        let row = |i: u64, bit: u64| {
            std::array::from_fn(|j| field.alpha_pow(bit + (order - 1) * (i * j as u64 % order)))
        };
        let bits = 0..u64::from(field.degree());
        let rows = (1..=t as u64).flat_map(|i| bits.clone().map(move |bit| row(i, bit)));
        ChienSearch { rows: rows.collect(), length }
    }

    /// The error powers, or `None` unless the locator has as many different roots inside the
    /// codeword as its degree.
    pub(super) fn roots(&self, field: &Gf2m, locator: &ErrorLocator) -> Option<Roots> {
        let mut roots = Roots::NONE;
        if locator.degree == 1 {
            // 1 + c x vanishes at x = 1/c = alpha^-p for c = alpha^p.
            let power = field.log(locator.coefficients[1])?;
            if power < self.length {
                roots.push(power);
            }
        } else if locator.degree > 1 {
            self.search(field, locator, &mut roots);
        }
        (roots.count == locator.degree).then_some(roots)
    }

    fn search(&self, field: &Gf2m, locator: &ErrorLocator, roots: &mut Roots) {
        let order = field.order();
        for first in (0..self.length).step_by(BLOCK) {
            let mut values = [locator.coefficients[0]; BLOCK];
            let rows = self.rows.chunks_exact(field.degree() as usize);
            for (i, (&coefficient, rows)) in
                (1..).zip(locator.coefficients[1..=locator.degree].iter().zip(rows))
            {
                // No overflow: first < 2^16, i <= 512.
                let term = field.mul_alpha_pow(coefficient, (order - first * i % order) % order);
                for (bit, row) in rows.iter().enumerate() {
                    let mask = (term >> bit & 1).wrapping_neg();
                    values.iter_mut().zip(row).for_each(|(value, place)| *value ^= place & mask);
                }
            }
            for power in
                (first..self.length).zip(&values).filter_map(|(power, &value)| (value == 0).then_some(power))
            {
                roots.push(power);
                if roots.count == locator.degree {
                    return;
                }
            }
        }
    }
}
