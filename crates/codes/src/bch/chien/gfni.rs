//! 64 powers at a time with AVX-512 and GFNI: a constant factor of GF(2^16) is four 8 x 8 bit
//! matrices on bytes.

use super::{Roots, Terms, block_step, with_capacity};
use crate::bch::berlekamp_massey::ErrorLocator;
use crate::gf2m::Gf2m;
use std::arch::x86_64::*;

pub(super) fn supported() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("gfni")
}

/// Matrices of one factor: low byte from low, low from high, high from low, high from high.
type Matrices = [i64; 4];

#[derive(Debug, Clone)]
pub(super) struct MatrixSteps {
    /// Entry i-1 multiplies by alpha^(-64 i).
    steps: Vec<Matrices>,
}

impl MatrixSteps {
    pub(super) fn new(field: &Gf2m, t: usize) -> MatrixSteps {
        let steps = (1..=t as u64).map(|i| matrices(field, block_step(field, i))).collect();
        MatrixSteps { steps }
    }

    pub(super) fn search(&self, field: &Gf2m, locator: &ErrorLocator, length: u32, roots: &mut Roots) {
        // SAFETY: a `MatrixSteps` is used only where `supported()` is true.
        unsafe { with_capacity!(locator.degree, self.search_blocks(field, locator, length, roots)) }
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn search_blocks<const CAPACITY: usize>(
        &self,
        field: &Gf2m,
        locator: &ErrorLocator,
        length: u32,
        roots: &mut Roots,
    ) {
        let mut storage = [Terms::ZERO; CAPACITY];
        let terms = &mut storage[..locator.degree];
        for (i, term) in terms.iter_mut().enumerate() {
            *term = Terms::new(field, locator.coefficients[i + 1], i as u32 + 1);
        }
        let [one_low, one_high] = locator.coefficients[0].to_le_bytes();
        for first in (0..length).step_by(64) {
            let mut low = _mm512_set1_epi8(one_low as i8);
            let mut high = _mm512_set1_epi8(one_high as i8);
            for (term, [ll, lh, hl, hh]) in terms.iter_mut().zip(&self.steps) {
                // SAFETY: `Terms` is two aligned arrays of 64 bytes.
                unsafe {
                    let term_low = _mm512_load_si512(term.low.as_ptr().cast());
                    let term_high = _mm512_load_si512(term.high.as_ptr().cast());
                    low = _mm512_xor_si512(low, term_low);
                    high = _mm512_xor_si512(high, term_high);
                    let next_low = _mm512_xor_si512(transform(term_low, *ll), transform(term_high, *lh));
                    let next_high = _mm512_xor_si512(transform(term_low, *hl), transform(term_high, *hh));
                    _mm512_store_si512(term.low.as_mut_ptr().cast(), next_low);
                    _mm512_store_si512(term.high.as_mut_ptr().cast(), next_high);
                }
            }
            let mask = _mm512_testn_epi8_mask(_mm512_or_si512(low, high), _mm512_set1_epi8(-1));
            if mask != 0 && roots.push_mask(mask, first, length, locator.degree) {
                return;
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,gfni")]
fn transform(bytes: __m512i, matrix: i64) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8(bytes, _mm512_set1_epi64(matrix), 0)
}

/// The bit matrices of multiplication by `factor`. The instruction wants the row of output bit i in
/// byte 7 - i, and bit j of a row to be the weight of input bit j.
fn matrices(field: &Gf2m, factor: u16) -> Matrices {
    let mut out = [0u64; 4];
    for input in 0..field.degree() as usize {
        let image = field.mul(factor, 1 << input);
        for output in (0..16).filter(|&output| image >> output & 1 == 1) {
            let which = 2 * (output / 8) + input / 8;
            out[which] |= 1 << (8 * (7 - output % 8) + input % 8);
        }
    }
    out.map(|matrix| matrix as i64)
}
