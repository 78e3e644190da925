//! Chien search: which powers p have locator(alpha^-p) = 0?
//!
//! R. Chien, "Cyclic decoding procedures for Bose-Chaudhuri-Hocquenghem codes", IEEE Trans. Inf.
//! Theory 10(4), 1964. The value at the next power follows from the terms of the last by one
//! constant multiplication each. With AVX-512 and GFNI (byte times constant matrix) or AVX2
//! (look-up of nibbles) 64 neighbouring powers are searched at once, low and high bytes of their
//! terms apart.

#[cfg(target_arch = "x86_64")]
mod gfni;
#[cfg(target_arch = "x86_64")]
mod nibbles;
mod scalar;

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

/// Which instructions find the errors of a remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChienEngine {
    /// Logarithm tables, one element at a time: what the others are measured against.
    Scalar,
    /// As [`ChienEngine::Scalar`], but vectors of bytes in 64-bit words for GF(2^16); any machine.
    Portable,
    /// AVX2 nibble look-up: 64 powers at a time, and vectors of 32 bytes for GF(2^16).
    Nibbles,
    /// AVX-512 with GFNI: 64 powers at a time, and vectors of 64 bytes for GF(2^16).
    Gfni,
}

/// The engines this machine can run, slowest first.
pub fn available_engines() -> Vec<ChienEngine> {
    let mut engines = vec![ChienEngine::Scalar, ChienEngine::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        if nibbles::supported() {
            engines.push(ChienEngine::Nibbles);
        }
        if gfni::supported() {
            engines.push(ChienEngine::Gfni);
        }
    }
    engines
}

impl ChienEngine {
    /// This engine, or the next slower one that this machine can run.
    pub(super) fn usable(self) -> ChienEngine {
        available_engines().into_iter().rfind(|&engine| engine <= self).unwrap_or(ChienEngine::Scalar)
    }
}

#[derive(Debug, Clone)]
enum Engine {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Nibbles(nibbles::NibbleSteps),
    #[cfg(target_arch = "x86_64")]
    Gfni(gfni::MatrixSteps),
}

/// A root search over the powers of one code.
#[derive(Debug, Clone)]
pub(super) struct ChienSearch {
    engine: Engine,
    /// Powers below this one are bits of the codeword.
    length: u32,
}

impl ChienSearch {
    /// For locators of degree at most `t` and codewords of `length` bits, on an engine that this
    /// machine has.
    pub(super) fn new(field: &Gf2m, t: usize, length: u32, engine: ChienEngine) -> ChienSearch {
        let _ = t;
        let engine = match engine {
            #[cfg(target_arch = "x86_64")]
            ChienEngine::Gfni => Engine::Gfni(gfni::MatrixSteps::new(field, t)),
            #[cfg(target_arch = "x86_64")]
            ChienEngine::Nibbles => Engine::Nibbles(nibbles::NibbleSteps::new(field, t)),
            _ => Engine::Scalar,
        };
        ChienSearch { engine, length }
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
            match &self.engine {
                Engine::Scalar => scalar::search(field, locator, self.length, &mut roots),
                #[cfg(target_arch = "x86_64")]
                Engine::Nibbles(steps) => steps.search(field, locator, self.length, &mut roots),
                #[cfg(target_arch = "x86_64")]
                Engine::Gfni(steps) => steps.search(field, locator, self.length, &mut roots),
            }
        }
        (roots.count == locator.degree).then_some(roots)
    }
}

/// The terms locator_i alpha^(-i l), l = 0..64, of one coefficient i, as low and high bytes.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Terms {
    low: [u8; 64],
    high: [u8; 64],
}

#[cfg(target_arch = "x86_64")]
impl Terms {
    const ZERO: Terms = Terms { low: [0; 64], high: [0; 64] };

    /// The terms of coefficient number `i` with value `coefficient`, for the first 64 powers.
    fn new(field: &Gf2m, coefficient: u16, i: u32) -> Terms {
        let mut terms = Terms::ZERO;
        let Some(mut exponent) = field.log(coefficient) else { return terms };
        let order = field.order();
        let step = order - i % order;
        for lane in 0..64 {
            let term = field.alpha_pow_reduced(exponent);
            [terms.low[lane], terms.high[lane]] = term.to_le_bytes();
            exponent += step;
            if exponent >= order {
                exponent -= order;
            }
        }
        terms
    }
}

/// alpha^(-64 i), the factor of coefficient i between two blocks of 64 powers.
#[cfg(target_arch = "x86_64")]
fn block_step(field: &Gf2m, i: u64) -> u16 {
    let order = u64::from(field.order());
    field.alpha_pow(order - 64 * i % order)
}

/// Runs `$self.$search::<CAPACITY>` with the smallest capacity that holds the locator, so that few
/// errors touch little memory.
#[cfg(target_arch = "x86_64")]
macro_rules! with_capacity {
    ($degree:expr, $self:ident.$search:ident($($argument:expr),*)) => {
        match $degree {
            0..=8 => $self.$search::<8>($($argument),*),
            9..=32 => $self.$search::<32>($($argument),*),
            33..=128 => $self.$search::<128>($($argument),*),
            _ => $self.$search::<{ $crate::bch::MAX_ERRORS }>($($argument),*),
        }
    };
}
#[cfg(target_arch = "x86_64")]
use with_capacity;

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
    fn every_engine_finds_exactly_the_roots_inside() {
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
                for engine in available_engines() {
                    let search = ChienSearch::new(&field, count, length, engine);
                    let roots = search.roots(&field, &locator_of(&field, &powers)).unwrap();
                    assert_eq!(roots.powers(), powers, "{engine:?} m={m}");
                    if length < field.order() {
                        let locator = locator_of(&field, &outside);
                        assert!(search.roots(&field, &locator).is_none(), "{engine:?} m={m} {count}");
                    }
                }
            }
        }
    }
}
