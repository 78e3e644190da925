//! AVX2 and AVX-512. The methods are inlined into functions that enable the instructions.

use super::Lanes;
use std::arch::x86_64::*;

impl Lanes for __m256i {
    const WIDTH: usize = 32;
    #[inline(always)]
    unsafe fn load(at: *const i8) -> Self {
        // SAFETY: as required by the trait; the same holds below.
        unsafe { _mm256_loadu_si256(at.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut i8) {
        unsafe { _mm256_storeu_si256(at.cast(), self) }
    }
    #[inline(always)]
    unsafe fn splat(value: u8) -> Self {
        unsafe { _mm256_set1_epi8(value as i8) }
    }
    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        unsafe { _mm256_adds_epi8(self, other) }
    }
    #[inline(always)]
    unsafe fn sub_saturating(self, other: Self) -> Self {
        unsafe { _mm256_subs_epi8(self, other) }
    }
    #[inline(always)]
    unsafe fn sub_saturating_unsigned(self, other: Self) -> Self {
        unsafe { _mm256_subs_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm256_xor_si256(self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        unsafe { _mm256_abs_epi8(self) }
    }
    #[inline(always)]
    unsafe fn min_unsigned(self, other: Self) -> Self {
        unsafe { _mm256_min_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn max_unsigned(self, other: Self) -> Self {
        unsafe { _mm256_max_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn shift_right_unsigned(self, bits: u32) -> Self {
        unsafe {
            let shifted = _mm256_srl_epi16(self, _mm_cvtsi32_si128(bits as i32));
            _mm256_and_si256(shifted, _mm256_set1_epi8((0xffu8 >> bits) as i8))
        }
    }
    #[inline(always)]
    unsafe fn select_equal(self, other: Self, equal: Self, different: Self) -> Self {
        unsafe { _mm256_blendv_epi8(different, equal, _mm256_cmpeq_epi8(self, other)) }
    }
    #[inline(always)]
    unsafe fn negate_where_negative(self, sign: Self) -> Self {
        unsafe {
            let mask = _mm256_cmpgt_epi8(_mm256_setzero_si256(), sign);
            _mm256_sub_epi8(_mm256_xor_si256(self, mask), mask)
        }
    }
    #[inline(always)]
    unsafe fn signs(self) -> u64 {
        unsafe { u64::from(_mm256_movemask_epi8(self) as u32) }
    }
}

impl Lanes for __m512i {
    const WIDTH: usize = 64;
    #[inline(always)]
    unsafe fn load(at: *const i8) -> Self {
        // SAFETY: as required by the trait; the same holds below.
        unsafe { _mm512_loadu_si512(at.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut i8) {
        unsafe { _mm512_storeu_si512(at.cast(), self) }
    }
    #[inline(always)]
    unsafe fn splat(value: u8) -> Self {
        unsafe { _mm512_set1_epi8(value as i8) }
    }
    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        unsafe { _mm512_adds_epi8(self, other) }
    }
    #[inline(always)]
    unsafe fn sub_saturating(self, other: Self) -> Self {
        unsafe { _mm512_subs_epi8(self, other) }
    }
    #[inline(always)]
    unsafe fn sub_saturating_unsigned(self, other: Self) -> Self {
        unsafe { _mm512_subs_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        unsafe { _mm512_xor_si512(self, other) }
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        unsafe { _mm512_abs_epi8(self) }
    }
    #[inline(always)]
    unsafe fn min_unsigned(self, other: Self) -> Self {
        unsafe { _mm512_min_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn max_unsigned(self, other: Self) -> Self {
        unsafe { _mm512_max_epu8(self, other) }
    }
    #[inline(always)]
    unsafe fn shift_right_unsigned(self, bits: u32) -> Self {
        unsafe {
            let shifted = _mm512_srl_epi16(self, _mm_cvtsi32_si128(bits as i32));
            _mm512_and_si512(shifted, _mm512_set1_epi8((0xffu8 >> bits) as i8))
        }
    }
    #[inline(always)]
    unsafe fn select_equal(self, other: Self, equal: Self, different: Self) -> Self {
        unsafe { _mm512_mask_blend_epi8(_mm512_cmpeq_epi8_mask(self, other), different, equal) }
    }
    #[inline(always)]
    unsafe fn negate_where_negative(self, sign: Self) -> Self {
        unsafe { _mm512_mask_sub_epi8(self, _mm512_movepi8_mask(sign), _mm512_setzero_si512(), self) }
    }
    #[inline(always)]
    unsafe fn signs(self) -> u64 {
        unsafe { _mm512_movepi8_mask(self) }
    }
}
