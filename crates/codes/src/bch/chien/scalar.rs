//! One power at a time in the logarithm domain.

use super::{MAX_ERRORS, Roots};
use crate::bch::berlekamp_massey::ErrorLocator;
use crate::gf2m::Gf2m;

pub(super) fn search(field: &Gf2m, locator: &ErrorLocator, length: u32, roots: &mut Roots) {
    let order = field.order();
    // (logarithm of the term, what to add for the next power) of every nonzero coefficient but the
    // constant 1.
    let mut terms = [(0u32, 0u32); MAX_ERRORS];
    let mut count = 0;
    for i in 1..=locator.degree {
        if let Some(exponent) = field.log(locator.coefficients[i]) {
            terms[count] = (exponent, order - i as u32 % order);
            count += 1;
        }
    }
    for power in 0..length {
        let mut value = locator.coefficients[0];
        for (exponent, step) in &mut terms[..count] {
            value ^= field.alpha_pow_reduced(*exponent);
            *exponent += *step;
            if *exponent >= order {
                *exponent -= order;
            }
        }
        if value == 0 {
            roots.push(power);
            if roots.count == locator.degree {
                return;
            }
        }
    }
}
