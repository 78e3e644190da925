//! The Berlekamp-Massey algorithm on vectors: the same steps as [`crate::bch::berlekamp_massey`].

use super::lanes::Lanes;
use super::map::Map;
use super::split::{Products, Scalar, Split};
use crate::bch::MAX_ERRORS;

/// A register more than the longest vector, so that its end can be read in whole registers.
const ROOM: usize = MAX_ERRORS + 64;
/// Zeros in front of the previous locator, which is read shifted by up to 2 t places.
const FRONT: usize = 2 * MAX_ERRORS;

/// The error locator, coefficients of x^0, x^1, ...
pub(super) struct Locator {
    pub(super) coefficients: Split<ROOM>,
    pub(super) degree: usize,
}

/// As [`crate::bch::berlekamp_massey::error_locator`], from the odd syndromes in polynomial basis.
#[inline(always)]
pub(super) fn error_locator<L: Lanes>(
    map: &Map,
    factors: &[L::Factor; 256],
    odd: &[u16; MAX_ERRORS],
    t: usize,
) -> Option<Locator> {
    // Backwards, S_j at 2 t - j: a discrepancy takes them against the order of the locator.
    let mut syndromes = Split::<{ FRONT + 64 }>::ZERO;
    for j in 1..=2 * t {
        let value = if j % 2 == 1 { map.pair(odd[j / 2]) } else { map.square(syndromes.get(2 * t - j / 2)) };
        syndromes.set(2 * t - j, value);
    }
    let nu = factors[usize::from(map.nu[1])];
    let mut locator = Split::<ROOM>::ZERO;
    let mut previous = Split::<{ FRONT + ROOM }>::ZERO;
    locator.set(0, [1, 0]);
    previous.set(FRONT, [1, 0]);
    let mut length = 0;
    let mut inverse_of_previous = [1, 0];
    let mut shift = 1;
    for step in (0..2 * t).step_by(2) {
        let mut products = Products::<L>::zero();
        for at in (0..=length).step_by(L::COUNT) {
            products.add(locator.load(at), syndromes.load(2 * t - 1 - step + at));
        }
        let sums = products.elements(&nu);
        let discrepancy = [sums.low.sum(), sums.high.sum()];
        if discrepancy == [0, 0] {
            shift += 2;
            continue;
        }
        let grows = 2 * length <= step;
        let new_length = if grows { step + 1 - length } else { length };
        if new_length > t {
            return None;
        }
        let factor = Scalar::<L>::new(map, factors, map.multiply(discrepancy, inverse_of_previous));
        // Downwards: a register of the shifted previous locator reaches into the one below, which
        // may be replaced.
        for at in (0..new_length + 1).step_by(L::COUNT).rev() {
            let before = locator.load::<L>(at);
            let shifted = previous.load::<L>(FRONT + at - shift);
            locator.store(at, before.xor(shifted.times(&factor)));
            if grows {
                previous.store(FRONT + at, before);
            }
        }
        shift = if grows { 2 } else { shift + 2 };
        if grows {
            inverse_of_previous = map.inverse(discrepancy);
            length = new_length;
        }
    }
    (locator.get(length) != [0, 0]).then_some(Locator { coefficients: locator, degree: length })
}
