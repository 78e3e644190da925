//! Cell levels as packed nibbles, one a byte, and as bit planes.
//!
//! The cells of a page lie column by column: column `c` has a cell of each word. Its first half of
//! words has the low nibbles of its bytes, its second half the high ones.

use super::metrics::LANES;

const NIBBLES: u32 = 0x0f0f_0f0f;

/// Spreads the levels of a page, a byte a word.
#[inline(always)]
pub(super) fn unpack(words: usize, image: &[u8], columns: &mut [[u8; LANES]]) {
    for (bytes, levels) in image.chunks_exact(words / 2).zip(columns) {
        let (low, high) = levels.split_at_mut(words / 2);
        let halves = low.as_chunks_mut::<4>().0.iter_mut().zip(high.as_chunks_mut::<4>().0);
        for (four, (low, high)) in bytes.as_chunks::<4>().0.iter().zip(halves) {
            let four = u32::from_le_bytes(*four);
            *low = (four & NIBBLES).to_le_bytes();
            *high = (four >> 4 & NIBBLES).to_le_bytes();
        }
    }
}

/// Packs the levels of a page again.
#[inline(always)]
pub(super) fn pack(words: usize, columns: &[[u8; LANES]], image: &mut [u8]) {
    for (bytes, levels) in image.chunks_exact_mut(words / 2).zip(columns) {
        let (low, high) = levels.split_at(words / 2);
        let halves = low.as_chunks::<4>().0.iter().zip(high.as_chunks::<4>().0);
        for (four, (low, high)) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(halves) {
            *four = (u32::from_le_bytes(*low) | u32::from_le_bytes(*high) << 4).to_le_bytes();
        }
    }
}

/// Bit `plane` of the cells of a column, whose packed levels are `bytes`; bit `w` is that of word
/// `w`.
#[inline(always)]
pub(super) fn plane(bytes: &[u8], plane: usize) -> u64 {
    let half = |shift: usize| {
        let mut bits = 0;
        for (i, eight) in bytes.chunks(8).enumerate() {
            let word = crate::bits::u64_from(eight) >> shift & 0x0101_0101_0101_0101;
            // Gathers the lowest bits of eight bytes in the highest byte.
            bits |= (word.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
        }
        bits
    };
    half(plane) | half(plane + 4) << bytes.len()
}

/// [`plane`] of the cells of 64 words.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn plane_avx2(bytes: &[u8; 32], plane: usize) -> u64 {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi32_si128, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_sll_epi16,
    };
    // SAFETY: the array has 32 bytes, and the load needs no alignment.
    let cells = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast::<__m256i>()) };
    // The bit becomes the highest of its byte.
    let bits = |places: usize| {
        let moved = _mm256_sll_epi16(cells, _mm_cvtsi32_si128(places as i32));
        u64::from(_mm256_movemask_epi8(moved) as u32)
    };
    bits(7 - plane) | bits(3 - plane) << 32
}
