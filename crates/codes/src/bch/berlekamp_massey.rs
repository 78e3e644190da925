//! The Berlekamp-Massey algorithm for binary codes.

use super::MAX_ERRORS;
use super::syndrome::Syndromes;
use crate::gf2m::Gf2m;

/// The error locator, coefficients of x^0, x^1, ...; its roots are the inverses of alpha^p over all
/// error powers p.
pub(super) struct ErrorLocator {
    pub(super) coefficients: [u16; MAX_ERRORS + 1],
    pub(super) degree: usize,
}

/// The shortest linear feedback shift register that generates S_1..S_2t. `None` when it is longer
/// than t, or its degree is not its length: then no word of the code lies within t errors.
///
/// J. Massey, "Shift-register synthesis and BCH decoding", IEEE Trans. Inf. Theory 15(1), 1969. In
/// a binary code every second discrepancy is 0 (E. Berlekamp, "Algebraic Coding Theory", 1968,
/// section 7.6), so t steps do instead of 2t.
pub(super) fn error_locator(field: &Gf2m, syndromes: &Syndromes, t: usize) -> Option<ErrorLocator> {
    let mut locator = [0u16; MAX_ERRORS + 1];
    let mut previous = [0u16; MAX_ERRORS + 1];
    (locator[0], previous[0]) = (1, 1);
    let (mut length, mut previous_length) = (0usize, 0usize);
    let mut previous_discrepancy = 1u16;
    let mut shift = 1usize;
    for step in (0..2 * t).step_by(2) {
        let mut discrepancy = syndromes[step];
        for i in 1..=length {
            discrepancy ^= field.mul(locator[i], syndromes[step - i]);
        }
        if discrepancy == 0 {
            shift += 2;
            continue;
        }
        let factor = field.log(field.div(discrepancy, previous_discrepancy)?)?;
        let grows = 2 * length <= step;
        let new_length = if grows { step + 1 - length } else { length };
        if new_length > t {
            return None;
        }
        let before = locator;
        // shift + previous_length = step + 1 - length, which is at most new_length.
        for i in 0..=previous_length {
            locator[i + shift] ^= field.mul_alpha_pow(previous[i], factor);
        }
        // The odd step in between has discrepancy 0 and shifts once more.
        shift = if grows { 2 } else { shift + 2 };
        if grows {
            previous = before;
            previous_length = length;
            previous_discrepancy = discrepancy;
            length = new_length;
        }
    }
    (locator[length] != 0).then_some(ErrorLocator { coefficients: locator, degree: length })
}
