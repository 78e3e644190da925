//! The roots of a locator by Fourier transforms over the subfield.
//!
//! A place p = q + 257 u, q < 257, has alpha^-p = alpha^-q beta^-u, where beta = alpha^257
//! generates the group of GF(2^8). For fixed q, locator(alpha^-q x) is a polynomial in x with
//! coefficients in GF(2^16), wanted at all x of GF(2^8). That takes two transforms over GF(2^8),
//! for the low and the high halves of the coefficients. Lanes are neighbouring q.

use super::berlekamp_massey::Locator;
use super::gf256::{cantor_elements, multiply};
use super::lanes::Lanes;
use super::map::Map;
use super::split::{Elements, Scalar, Split};
use super::transform::{POINTS, Points};
use crate::bch::MAX_ERRORS;
use crate::bch::chien::Roots;
use crate::gf2m::Gf2m;

/// Cosets of the group of GF(2^8) in that of GF(2^16).
const COSETS: u32 = 257;
/// The order of the group of GF(2^8).
const ORDER: usize = 255;
/// Coefficients of a locator, in whole registers.
const ROOM: usize = MAX_ERRORS + 64;

/// The search over the places of one code.
#[derive(Debug, Clone)]
pub(super) struct RootTransform<L: Lanes> {
    /// Places from here on are no bits of the codeword.
    length: u32,
    /// [(2 i + half) * COUNT + q]: half of alpha^(-i q).
    twiddles: Vec<u8>,
    /// [half * ROOM + i]: half of alpha^(-i COUNT).
    steps: Vec<u8>,
    /// 257 u for every point x = beta^-u of the transform; `u32::MAX` for x = 0.
    places: [u32; POINTS],
    points: Points<L>,
}

impl<L: Lanes> RootTransform<L> {
    pub(super) fn new(field: &Gf2m, map: &Map, t: usize, length: u32) -> RootTransform<L> {
        let order = u64::from(field.order());
        let inverse_power = |exponent: u64| map.pair(field.alpha_pow(order - exponent % order));
        let mut twiddles = vec![0; 2 * (t + 1) * L::COUNT];
        for (i, halves) in twiddles.chunks_exact_mut(2 * L::COUNT).enumerate() {
            for q in 0..L::COUNT {
                [halves[q], halves[L::COUNT + q]] = inverse_power((i * q) as u64);
            }
        }
        let mut steps = vec![0; 2 * ROOM];
        for i in 0..=t {
            [steps[i], steps[ROOM + i]] = inverse_power((i * L::COUNT) as u64);
        }
        let beta_inverse = inverse_power(u64::from(COSETS))[0];
        let mut exponents = [u32::MAX; 256];
        let mut element = 1;
        for u in 0..ORDER as u32 {
            exponents[usize::from(element)] = COSETS * u;
            element = multiply(element, beta_inverse);
        }
        let places = cantor_elements().map(|x| exponents[usize::from(x)]);
        RootTransform { length, twiddles, steps, places, points: Points::new() }
    }

    /// The error powers, or `None` unless there are as many as the degree of the locator says.
    #[inline(always)]
    pub(super) fn find(&self, map: &Map, factors: &[L::Factor; 256], locator: &Locator) -> Option<Roots> {
        let nu = factors[usize::from(map.nu[1])];
        let mut roots = Roots::NONE;
        // The coefficients of locator(alpha^(-first) x).
        let mut turned: Split<ROOM> = locator.coefficients;
        let (mut low, mut high) = ([L::zero(); POINTS], [L::zero(); POINTS]);
        for first in (0..COSETS).step_by(L::COUNT) {
            self.coefficients(map, factors, locator.degree, &turned, &mut low, &mut high);
            self.points.transform(&mut low);
            self.points.transform(&mut high);
            let cosets = u64::MAX >> (64 - (L::COUNT as u32).min(COSETS - first));
            for ((low, high), &place) in low.iter().zip(&high).zip(&self.places) {
                let mask = low.or(*high).zeros() & cosets;
                if mask != 0 && place != u32::MAX {
                    roots.push_mask(mask, first + place, self.length, locator.degree);
                }
            }
            for at in (0..=locator.degree).step_by(L::COUNT) {
                let step = Elements::<L> {
                    low: L::load(&self.steps[at..]),
                    high: L::load(&self.steps[ROOM + at..]),
                };
                turned.store(at, turned.load::<L>(at).multiply(step, &nu));
            }
        }
        (roots.powers().len() == locator.degree).then_some(roots)
    }

    /// The halves of the coefficients for the next cosets. On the group x^255 = 1, so higher
    /// coefficients join lower ones.
    #[inline(always)]
    fn coefficients(
        &self,
        map: &Map,
        factors: &[L::Factor; 256],
        degree: usize,
        turned: &Split<ROOM>,
        low: &mut [L; POINTS],
        high: &mut [L; POINTS],
    ) {
        low.fill(L::zero());
        high.fill(L::zero());
        for (i, halves) in self.twiddles.chunks_exact(2 * L::COUNT).take(degree + 1).enumerate() {
            let twiddle = Elements { low: L::load(halves), high: L::load(&halves[L::COUNT..]) };
            let term = twiddle.times(&Scalar::<L>::new(map, factors, turned.get(i)));
            let at = i % ORDER;
            low[at] = low[at].xor(term.low);
            high[at] = high[at].xor(term.high);
        }
    }
}
