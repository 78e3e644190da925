//! Lanes in vector registers of x86-64.

use super::gf256::{POLYNOMIAL, multiply};
use super::lanes::Lanes;
use std::arch::x86_64::*;

/// 32 elements in a register of AVX2; a product with one number is two look-ups by nibble.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(__m256i);

// SAFETY (of every block below): values of this type are only worked on in code compiled for AVX2,
// which is entered only where the machine has it; `load` and `store` check the length of what they
// touch.
impl Lanes for Avx2 {
    const COUNT: usize = 32;
    const SEARCH_UP_TO: usize = 10;
    const WORDS_A_PRODUCT: usize = 2;
    /// Products with 0..16, then with 0, 16, ..., 240.
    type Factor = [[u8; 16]; 2];

    fn factor(number: u8) -> [[u8; 16]; 2] {
        [0, 4].map(|shift| std::array::from_fn(|nibble| multiply(number, (nibble as u8) << shift)))
    }

    #[inline(always)]
    fn zero() -> Avx2 {
        unsafe { Avx2(_mm256_setzero_si256()) }
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Avx2 {
        unsafe { Avx2(_mm256_loadu_si256(bytes[..Self::COUNT].as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        unsafe { _mm256_storeu_si256(bytes[..Self::COUNT].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn xor(self, other: Avx2) -> Avx2 {
        unsafe { Avx2(_mm256_xor_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn or(self, other: Avx2) -> Avx2 {
        unsafe { Avx2(_mm256_or_si256(self.0, other.0)) }
    }

    #[inline(always)]
    fn multiply(self, other: Avx2) -> Avx2 {
        unsafe {
            let polynomial = _mm256_set1_epi8(POLYNOMIAL as i8);
            let (mut product, mut bits) = (_mm256_setzero_si256(), other.0);
            for _ in 0..8 {
                // Bit 7 of a byte chooses: the carry of the product, then the next bit of the
                // factor.
                let carry = _mm256_blendv_epi8(_mm256_setzero_si256(), polynomial, product);
                let term = _mm256_blendv_epi8(_mm256_setzero_si256(), self.0, bits);
                product = _mm256_xor_si256(_mm256_add_epi8(product, product), _mm256_xor_si256(carry, term));
                bits = _mm256_add_epi8(bits, bits);
            }
            Avx2(product)
        }
    }

    #[inline(always)]
    fn times(self, [low, high]: &[[u8; 16]; 2]) -> Avx2 {
        unsafe {
            let low = _mm256_broadcastsi128_si256(_mm_loadu_si128(low.as_ptr().cast()));
            let high = _mm256_broadcastsi128_si256(_mm_loadu_si128(high.as_ptr().cast()));
            let nibble = _mm256_set1_epi8(15);
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(self.0), nibble);
            let of_low = _mm256_shuffle_epi8(low, _mm256_and_si256(self.0, nibble));
            Avx2(_mm256_xor_si256(of_low, _mm256_shuffle_epi8(high, upper)))
        }
    }

    #[inline(always)]
    fn zeros(self) -> u64 {
        unsafe {
            let zero = _mm256_cmpeq_epi8(self.0, _mm256_setzero_si256());
            u64::from(_mm256_movemask_epi8(zero) as u32)
        }
    }

    #[inline(always)]
    fn sum(self) -> u8 {
        unsafe {
            sum_16(_mm_xor_si128(_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)))
        }
    }
}

/// 64 elements in a register of AVX-512; GFNI multiplies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gfni(__m512i);

// SAFETY (of every block below): as above, for AVX-512 F, BW and GFNI.
impl Lanes for Gfni {
    const COUNT: usize = 64;
    const SEARCH_UP_TO: usize = 10;
    const WORDS_A_PRODUCT: usize = 1;
    /// The number in every byte.
    type Factor = u64;

    fn factor(number: u8) -> u64 {
        u64::from_ne_bytes([number; 8])
    }

    #[inline(always)]
    fn zero() -> Gfni {
        unsafe { Gfni(_mm512_setzero_si512()) }
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Gfni {
        unsafe { Gfni(_mm512_loadu_si512(bytes[..Self::COUNT].as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        unsafe { _mm512_storeu_si512(bytes[..Self::COUNT].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn xor(self, other: Gfni) -> Gfni {
        unsafe { Gfni(_mm512_xor_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn or(self, other: Gfni) -> Gfni {
        unsafe { Gfni(_mm512_or_si512(self.0, other.0)) }
    }

    #[inline(always)]
    fn multiply(self, other: Gfni) -> Gfni {
        unsafe { Gfni(_mm512_gf2p8mul_epi8(self.0, other.0)) }
    }

    #[inline(always)]
    fn times(self, factor: &u64) -> Gfni {
        unsafe { Gfni(_mm512_gf2p8mul_epi8(self.0, _mm512_set1_epi64(*factor as i64))) }
    }

    #[inline(always)]
    fn zeros(self) -> u64 {
        unsafe { _mm512_testn_epi8_mask(self.0, self.0) }
    }

    #[inline(always)]
    fn sum(self) -> u8 {
        unsafe {
            let half =
                _mm256_xor_si256(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0));
            sum_16(_mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half)))
        }
    }
}

#[inline(always)]
fn sum_16(bytes: __m128i) -> u8 {
    // SAFETY: SSE2 is part of x86-64.
    let words = unsafe { [_mm_cvtsi128_si64(bytes), _mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes))] };
    let word = words[0] ^ words[1];
    let word = word ^ word >> 32;
    let word = word ^ word >> 16;
    (word ^ word >> 8) as u8
}

#[cfg(test)]
mod tests {
    use super::super::lanes::tests::check;
    use super::*;
    use crate::bch::chien::{ChienEngine, available_engines};

    #[target_feature(enable = "avx2")]
    fn check_avx2() {
        check::<Avx2>();
    }

    #[target_feature(enable = "avx512f,avx512bw,gfni")]
    fn check_gfni() {
        check::<Gfni>();
    }

    #[test]
    fn vector_lanes_are_the_field() {
        // SAFETY (both): the machine has the instructions.
        if available_engines().contains(&ChienEngine::Nibbles) {
            unsafe { check_avx2() }
        }
        if available_engines().contains(&ChienEngine::Gfni) {
            unsafe { check_gfni() }
        }
    }
}
