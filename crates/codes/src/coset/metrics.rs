//! Vectors of path metrics: one signed byte for each of 64 words that are searched side by side.

/// Words of a page that are searched side by side.
pub(super) const LANES: usize = 64;

/// 64 path metrics.
///
/// # Safety
/// All methods need the instructions of the implementing type.
pub(super) trait Metrics: Copy {
    unsafe fn load(from: &[u8; LANES]) -> Self;
    unsafe fn store(self, to: &mut [u8; LANES]);
    /// The sum of signed bytes, cut at both ends.
    unsafe fn add_saturating(self, other: Self) -> Self;
    unsafe fn sub_saturating(self, other: Self) -> Self;
    unsafe fn sub_wrapping(self, other: Self) -> Self;
    /// The smaller signed byte.
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn and(self, other: Self) -> Self;
    unsafe fn or(self, other: Self) -> Self;
    /// The lanes in which `self` is below `other`, as signed bytes.
    unsafe fn is_below(self, other: Self) -> u64;
    /// The entry of `table` that each lane of `self`, which has `bits` bits, names.
    unsafe fn look_up(self, table: &[u8; 128], bits: usize) -> Self;
    /// `other` in the lanes of `mask`, else `self`.
    unsafe fn replace(self, mask: u64, other: Self) -> Self;
}

impl Metrics for [u8; LANES] {
    #[inline(always)]
    unsafe fn load(from: &[u8; LANES]) -> Self {
        *from
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [u8; LANES]) {
        *to = self;
    }
    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as i8).saturating_add(other[i] as i8) as u8)
    }
    #[inline(always)]
    unsafe fn sub_saturating(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as i8).saturating_sub(other[i] as i8) as u8)
    }
    #[inline(always)]
    unsafe fn sub_wrapping(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i].wrapping_sub(other[i]))
    }
    #[inline(always)]
    unsafe fn min(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as i8).min(other[i] as i8) as u8)
    }
    #[inline(always)]
    unsafe fn and(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] & other[i])
    }
    #[inline(always)]
    unsafe fn or(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] | other[i])
    }
    #[inline(always)]
    unsafe fn is_below(self, other: Self) -> u64 {
        let below: [u8; LANES] = std::array::from_fn(|i| u8::from((self[i] as i8) < other[i] as i8));
        below.as_chunks::<8>().0.iter().enumerate().fold(0, |mask, (i, eight)| {
            // Gathers the lowest bits of eight bytes in the highest byte.
            let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            mask | bits << (8 * i)
        })
    }
    #[inline(always)]
    unsafe fn look_up(self, table: &[u8; 128], _: usize) -> Self {
        self.map(|index| table[usize::from(index) % 128])
    }
    #[inline(always)]
    unsafe fn replace(self, mask: u64, other: Self) -> Self {
        std::array::from_fn(|i| if mask >> i & 1 == 1 { other[i] } else { self[i] })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Metrics};
    use std::arch::x86_64::*;

    /// Tables of 16 entries for an index of 4 to 7 bits.
    #[inline(always)]
    fn tables(bits: usize) -> usize {
        1 << (bits - 4)
    }

    /// Two registers of AVX2.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Pair(__m256i, __m256i);

    impl Metrics for Pair {
        #[inline(always)]
        unsafe fn load(from: &[u8; LANES]) -> Self {
            let (low, high) = from.split_at(32);
            unsafe { Pair(_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast())) }
        }
        #[inline(always)]
        unsafe fn store(self, to: &mut [u8; LANES]) {
            let (low, high) = to.split_at_mut(32);
            unsafe {
                _mm256_storeu_si256(low.as_mut_ptr().cast(), self.0);
                _mm256_storeu_si256(high.as_mut_ptr().cast(), self.1);
            }
        }
        #[inline(always)]
        unsafe fn add_saturating(self, other: Self) -> Self {
            unsafe { Pair(_mm256_adds_epi8(self.0, other.0), _mm256_adds_epi8(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn sub_saturating(self, other: Self) -> Self {
            unsafe { Pair(_mm256_subs_epi8(self.0, other.0), _mm256_subs_epi8(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn sub_wrapping(self, other: Self) -> Self {
            unsafe { Pair(_mm256_sub_epi8(self.0, other.0), _mm256_sub_epi8(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn min(self, other: Self) -> Self {
            unsafe { Pair(_mm256_min_epi8(self.0, other.0), _mm256_min_epi8(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn and(self, other: Self) -> Self {
            unsafe { Pair(_mm256_and_si256(self.0, other.0), _mm256_and_si256(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn or(self, other: Self) -> Self {
            unsafe { Pair(_mm256_or_si256(self.0, other.0), _mm256_or_si256(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn is_below(self, other: Self) -> u64 {
            unsafe {
                let (low, high) = (_mm256_cmpgt_epi8(other.0, self.0), _mm256_cmpgt_epi8(other.1, self.1));
                let (low, high) = (_mm256_movemask_epi8(low) as u32, _mm256_movemask_epi8(high) as u32);
                u64::from(low) | u64::from(high) << 32
            }
        }
        #[inline(always)]
        unsafe fn look_up(self, table: &[u8; 128], bits: usize) -> Self {
            unsafe { Pair(look_up(self.0, table, bits), look_up(self.1, table, bits)) }
        }
        #[inline(always)]
        unsafe fn replace(self, mask: u64, other: Self) -> Self {
            unsafe {
                let (low, high) = (spread(mask as u32), spread((mask >> 32) as u32));
                Pair(_mm256_blendv_epi8(self.0, other.0, low), _mm256_blendv_epi8(self.1, other.1, high))
            }
        }
    }

    #[inline(always)]
    unsafe fn look_up(index: __m256i, table: &[u8; 128], bits: usize) -> __m256i {
        // SAFETY: as the trait requires.
        unsafe {
            let (high, nibble) = (_mm256_set1_epi8(0x70), _mm256_set1_epi8(15));
            let (part, low) = (_mm256_and_si256(index, high), _mm256_and_si256(index, nibble));
            let mut found = _mm256_setzero_si256();
            for (i, table) in table.as_chunks::<16>().0[..tables(bits)].iter().enumerate() {
                let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
                let here = _mm256_cmpeq_epi8(part, _mm256_set1_epi8((i as i8) << 4));
                found = _mm256_or_si256(found, _mm256_and_si256(here, _mm256_shuffle_epi8(table, low)));
            }
            found
        }
    }

    /// A byte of ones for each bit.
    #[inline(always)]
    unsafe fn spread(bits: u32) -> __m256i {
        // SAFETY: as the trait requires.
        unsafe {
            let bytes =
                _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let spread = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), bytes);
            _mm256_cmpeq_epi8(_mm256_and_si256(spread, bit), bit)
        }
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Pair;
