//! Chien search: which powers p have locator(alpha^-p) = 0?
//!
//! R. Chien, "Cyclic decoding procedures for Bose-Chaudhuri-Hocquenghem codes", IEEE Trans. Inf.
//! Theory 10(4), 1964. The value at the next power follows from the terms of the last by one
//! constant multiplication each. With AVX2 (look-up of nibbles) 64 neighbouring powers are searched
//! at once, low and high bytes of their terms apart.

#[cfg(target_arch = "x86_64")]
mod nibbles;
mod scalar;

use super::MAX_ERRORS;
use super::berlekamp_massey::ErrorLocator;
use crate::gf2m::Gf2m;
use crate::isa::Isa;

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

    /// Adds the powers `first` + i for the bits i set in `mask`, up to `limit` (exclusive); true
    /// once all are found.
    pub(super) fn push_mask(&mut self, mut mask: u64, first: u32, limit: u32, wanted: usize) -> bool {
        while mask != 0 && self.count < wanted {
            let power = first + mask.trailing_zeros();
            if power < limit {
                self.push(power);
            }
            mask &= mask - 1;
        }
        self.count == wanted
    }
}

/// A root search over the powers of one code.
#[derive(Debug, Clone)]
pub(super) struct ChienSearch {
    /// Tables of the vector search, where the machine has AVX2.
    #[cfg(target_arch = "x86_64")]
    nibbles: Option<nibbles::NibbleSteps>,
    /// Powers below this one are bits of the codeword.
    length: u32,
}

impl ChienSearch {
    /// For locators of degree at most `t` and codewords of `length` bits.
    pub(super) fn new(field: &Gf2m, t: usize, length: u32, isa: Isa) -> ChienSearch {
        let _ = (field, t, isa);
        ChienSearch {
            #[cfg(target_arch = "x86_64")]
            nibbles: isa.has_avx2().then(|| nibbles::NibbleSteps::new(field, t)),
            length,
        }
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
        #[cfg(target_arch = "x86_64")]
        if let Some(steps) = &self.nibbles {
            return steps.search(field, locator, self.length, roots);
        }
        scalar::search(field, locator, self.length, roots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of (1 - alpha^p x) over `powers`.
    fn locator_of(field: &Gf2m, powers: &[u32]) -> ErrorLocator {
        let mut coefficients = [0u16; MAX_ERRORS + 1];
        coefficients[0] = 1;
        for (degree, &power) in powers.iter().enumerate() {
            for i in (0..=degree).rev() {
                coefficients[i + 1] ^= field.mul(coefficients[i], field.alpha_pow(u64::from(power)));
            }
        }
        ErrorLocator { coefficients, degree: powers.len() }
    }

    #[test]
    fn both_searches_find_exactly_the_roots_inside() {
        for (m, length) in [(4u32, 15u32), (5, 18), (7, 127), (13, 4148), (16, 33584)] {
            let field = Gf2m::new(m).unwrap();
            for count in [1usize, 2, 3, 8, 9, 14, 40, 133] {
                let step = length / count as u32;
                if step == 0 {
                    continue;
                }
                let powers: Vec<u32> = (0..count as u32).map(|i| i * step + (i * 7) % step).collect();
                let outside: Vec<u32> =
                    powers.iter().map(|&p| if p == powers[0] { length } else { p }).collect();
                for isa in Isa::available() {
                    let search = ChienSearch::new(&field, count, length, isa);
                    let roots = search.roots(&field, &locator_of(&field, &powers)).unwrap();
                    assert_eq!(roots.powers(), powers, "{isa:?} m={m}");
                    if length < field.order() {
                        let locator = locator_of(&field, &outside);
                        assert!(search.roots(&field, &locator).is_none(), "{isa:?} m={m} {count}");
                    }
                }
            }
        }
    }
}
