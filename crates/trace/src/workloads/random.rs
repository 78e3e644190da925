//! Draws from the one random number generator of all workloads.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A number below `bound` (at least 1), every one equally likely: Lemire, "Fast random integer
/// generation in an interval", 2019.
#[inline(always)]
pub(crate) fn below(random: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    let mut product = u128::from(random.next_u64()) * u128::from(bound);
    if (product as u64) < bound {
        let threshold = bound.wrapping_neg() % bound;
        while (product as u64) < threshold {
            product = u128::from(random.next_u64()) * u128::from(bound);
        }
    }
    (product >> 64) as u64
}

/// A number in [0, 1), a multiple of 2^-53.
#[inline(always)]
pub(crate) fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// True with the given probability. Certainties draw nothing.
#[inline(always)]
pub(crate) fn chance(random: &mut Xoshiro256PlusPlus, probability: f64) -> bool {
    probability > 0.0 && (probability >= 1.0 || unit(random) < probability)
}
