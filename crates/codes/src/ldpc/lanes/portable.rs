//! 16 numbers without any special instruction.

use super::Lanes;

impl Lanes for [i8; 16] {
    const WIDTH: usize = 16;
    #[inline(always)]
    unsafe fn load(at: *const i8) -> Self {
        // SAFETY: the caller vouches for 16 readable bytes.
        unsafe { at.cast::<[i8; 16]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut i8) {
        // SAFETY: the caller vouches for 16 writable bytes.
        unsafe { at.cast::<[i8; 16]>().write_unaligned(self) }
    }
    #[inline(always)]
    unsafe fn splat(value: u8) -> Self {
        [value as i8; 16]
    }
    #[inline(always)]
    unsafe fn add_saturating(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i].saturating_add(other[i]))
    }
    #[inline(always)]
    unsafe fn sub_saturating(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i].saturating_sub(other[i]))
    }
    #[inline(always)]
    unsafe fn sub_saturating_unsigned(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as u8).saturating_sub(other[i] as u8) as i8)
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] ^ other[i])
    }
    #[inline(always)]
    unsafe fn abs(self) -> Self {
        std::array::from_fn(|i| self[i].wrapping_abs())
    }
    #[inline(always)]
    unsafe fn min_unsigned(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as u8).min(other[i] as u8) as i8)
    }
    #[inline(always)]
    unsafe fn max_unsigned(self, other: Self) -> Self {
        std::array::from_fn(|i| (self[i] as u8).max(other[i] as u8) as i8)
    }
    #[inline(always)]
    unsafe fn shift_right_unsigned(self, bits: u32) -> Self {
        std::array::from_fn(|i| ((self[i] as u8) >> bits) as i8)
    }
    #[inline(always)]
    unsafe fn select_equal(self, other: Self, equal: Self, different: Self) -> Self {
        std::array::from_fn(|i| if self[i] == other[i] { equal[i] } else { different[i] })
    }
    #[inline(always)]
    unsafe fn negate_where_negative(self, sign: Self) -> Self {
        std::array::from_fn(|i| {
            let mask = sign[i] >> 7;
            (self[i] ^ mask).wrapping_sub(mask)
        })
    }
    #[inline(always)]
    unsafe fn signs(self) -> u64 {
        self.iter().enumerate().fold(0, |bits, (i, &x)| bits | u64::from(x < 0) << i)
    }
}
