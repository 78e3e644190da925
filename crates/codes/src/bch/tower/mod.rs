//! Codes over GF(2^16) decoded by vectors of bytes: the field as pairs over GF(2^8), in which a
//! product of vectors is three products of byte vectors, without tables of logarithms.
//!
//! Every page of 4 KB has this field. Three steps take most of the time at large t, and all are
//! vector work here. They are the syndromes of the remainder ([`syndromes`]), Berlekamp-Massey
//! ([`berlekamp_massey`]) and the search for roots ([`roots`]). The last is a Fourier transform in
//! place of a trial of all places.

mod berlekamp_massey;
mod gf256;
mod lanes;
mod map;
mod roots;
mod split;
mod syndromes;
mod transform;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::MAX_ERRORS;
use super::berlekamp_massey::ErrorLocator;
use super::chien::{ChienEngine, ChienSearch, Roots};
use super::remainder::Remainder;
use crate::gf2m::Gf2m;
use berlekamp_massey::{Locator, error_locator};
use lanes::{Lanes, Portable};
use map::Map;
use roots::RootTransform;
use syndromes::SyndromeBlocks;

/// The field degree all of this is for.
pub(super) const DEGREE: u32 = 16;

/// A decoder for one code, on the registers of this machine.
#[derive(Debug, Clone)]
pub(super) struct Tower(Registers);

#[derive(Debug, Clone)]
enum Registers {
    Portable(Box<Decoder<Portable>>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Box<Decoder<x86::Avx2>>),
    #[cfg(target_arch = "x86_64")]
    Gfni(Box<Decoder<x86::Gfni>>),
}

impl Tower {
    /// `None` for other fields and for [`ChienEngine::Scalar`]. Takes the instructions of `engine`,
    /// which this machine has.
    pub(super) fn new(
        field: &Gf2m,
        t: usize,
        parity_bits: usize,
        length: u32,
        engine: ChienEngine,
    ) -> Option<Tower> {
        if field.degree() != DEGREE {
            return None;
        }
        Some(Tower(match engine {
            ChienEngine::Scalar => return None,
            #[cfg(target_arch = "x86_64")]
            ChienEngine::Gfni => Registers::Gfni(Box::new(Decoder::new(field, t, parity_bits, length))),
            #[cfg(target_arch = "x86_64")]
            ChienEngine::Nibbles => Registers::Avx2(Box::new(Decoder::new(field, t, parity_bits, length))),
            _ => Registers::Portable(Box::new(Decoder::new(field, t, parity_bits, length))),
        }))
    }

    /// S_1, S_3, ..., S_(2t-1) of a remainder, at index 0, 1, ..., t-1.
    pub(super) fn odd_syndromes(&self, remainder: &Remainder) -> [u16; MAX_ERRORS] {
        match &self.0 {
            Registers::Portable(decoder) => decoder.odd_syndromes(remainder),
            // SAFETY (both): decoders with these registers exist only where the machine has the
            // instructions.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2(decoder) => unsafe { odd_syndromes_avx2(decoder, remainder) },
            #[cfg(target_arch = "x86_64")]
            Registers::Gfni(decoder) => unsafe { odd_syndromes_gfni(decoder, remainder) },
        }
    }

    /// The error powers of at most t errors with these odd syndromes; `chien` searches for few.
    pub(super) fn locate(&self, field: &Gf2m, chien: &ChienSearch, odd: &[u16; MAX_ERRORS]) -> Option<Roots> {
        match &self.0 {
            Registers::Portable(decoder) => decoder.locate(field, chien, odd),
            // SAFETY (both): as above.
            #[cfg(target_arch = "x86_64")]
            Registers::Avx2(decoder) => unsafe { locate_avx2(decoder, field, chien, odd) },
            #[cfg(target_arch = "x86_64")]
            Registers::Gfni(decoder) => unsafe { locate_gfni(decoder, field, chien, odd) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn odd_syndromes_avx2(decoder: &Decoder<x86::Avx2>, remainder: &Remainder) -> [u16; MAX_ERRORS] {
    decoder.odd_syndromes(remainder)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,gfni,avx2,bmi1,bmi2")]
fn odd_syndromes_gfni(decoder: &Decoder<x86::Gfni>, remainder: &Remainder) -> [u16; MAX_ERRORS] {
    decoder.odd_syndromes(remainder)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn locate_avx2(
    decoder: &Decoder<x86::Avx2>,
    field: &Gf2m,
    chien: &ChienSearch,
    odd: &[u16; MAX_ERRORS],
) -> Option<Roots> {
    decoder.locate(field, chien, odd)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,gfni,avx2,bmi1,bmi2")]
fn locate_gfni(
    decoder: &Decoder<x86::Gfni>,
    field: &Gf2m,
    chien: &ChienSearch,
    odd: &[u16; MAX_ERRORS],
) -> Option<Roots> {
    decoder.locate(field, chien, odd)
}

/// The tables of one code.
#[derive(Debug, Clone)]
struct Decoder<L: Lanes> {
    t: usize,
    map: Map,
    factors: Vec<L::Factor>,
    syndromes: SyndromeBlocks<L>,
    roots: RootTransform<L>,
}

impl<L: Lanes> Decoder<L> {
    fn new(field: &Gf2m, t: usize, parity_bits: usize, length: u32) -> Decoder<L> {
        let map = Map::new(field);
        Decoder {
            t,
            factors: (0..=255).map(L::factor).collect(),
            syndromes: SyndromeBlocks::new(field, &map, t, parity_bits),
            roots: RootTransform::new(field, &map, t, length),
            map,
        }
    }

    /// The multipliers by every number.
    #[inline(always)]
    fn factors(&self) -> Option<&[L::Factor; 256]> {
        self.factors.first_chunk()
    }

    #[inline(always)]
    fn odd_syndromes(&self, remainder: &Remainder) -> [u16; MAX_ERRORS] {
        let mut odd = [0; MAX_ERRORS];
        if let Some(factors) = self.factors() {
            self.syndromes.sum(remainder, &factors[usize::from(self.map.nu[1])], |i, pair| {
                if i < self.t {
                    odd[i] = self.map.element(pair);
                }
            });
        }
        odd
    }

    #[inline(always)]
    fn locate(&self, field: &Gf2m, chien: &ChienSearch, odd: &[u16; MAX_ERRORS]) -> Option<Roots> {
        let factors = self.factors()?;
        let locator = error_locator::<L>(&self.map, factors, odd, self.t)?;
        if locator.degree > L::SEARCH_UP_TO {
            return self.roots.find(&self.map, factors, &locator);
        }
        chien.roots(field, &self.polynomial(&locator))
    }

    /// The locator in polynomial basis, its constant term 1.
    fn polynomial(&self, locator: &Locator) -> ErrorLocator {
        let mut coefficients = [0; MAX_ERRORS + 1];
        for (i, coefficient) in coefficients[..=locator.degree].iter_mut().enumerate() {
            *coefficient = self.map.element(locator.coefficients.get(i));
        }
        ErrorLocator { coefficients, degree: locator.degree }
    }
}
