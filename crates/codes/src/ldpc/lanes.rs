//! Vectors of 8-bit numbers for the min-sum decoder.
//!
//! They are arrays of 16, which compilers turn into the vectors that every x86-64 and arm64 has.
//! Arrays as wide as AVX2's and AVX-512's vectors were slower.

/// Numbers in a vector.
pub(super) const LANES: usize = 16;

/// Signed 8-bit numbers.
#[derive(Clone, Copy)]
pub(super) struct Lanes([i8; LANES]);

impl Lanes {
    /// # Safety
    /// `at` is good for reading [`LANES`] bytes.
    #[inline(always)]
    pub(super) unsafe fn load(at: *const i8) -> Self {
        // SAFETY: as required of the caller; the read needs no alignment.
        Lanes(unsafe { at.cast::<[i8; LANES]>().read_unaligned() })
    }

    /// # Safety
    /// `at` is good for writing [`LANES`] bytes.
    #[inline(always)]
    pub(super) unsafe fn store(self, at: *mut i8) {
        // SAFETY: as required of the caller; the write needs no alignment.
        unsafe { at.cast::<[i8; LANES]>().write_unaligned(self.0) }
    }

    #[inline(always)]
    pub(super) fn splat(value: u8) -> Self {
        Lanes([value as i8; LANES])
    }

    #[inline(always)]
    fn with(self, other: Self, of: impl Fn(i8, i8) -> i8) -> Self {
        let mut out = self.0;
        for (lane, other) in out.iter_mut().zip(other.0) {
            *lane = of(*lane, other);
        }
        Lanes(out)
    }

    #[inline(always)]
    pub(super) fn add_saturating(self, other: Self) -> Self {
        self.with(other, i8::saturating_add)
    }

    #[inline(always)]
    pub(super) fn sub_saturating(self, other: Self) -> Self {
        self.with(other, i8::saturating_sub)
    }

    #[inline(always)]
    pub(super) fn sub_saturating_unsigned(self, other: Self) -> Self {
        self.with(other, |a, b| (a as u8).saturating_sub(b as u8) as i8)
    }

    #[inline(always)]
    pub(super) fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| a ^ b)
    }

    /// |x| as an unsigned number, so that |-128| = 128.
    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        Lanes(self.0.map(i8::wrapping_abs))
    }

    #[inline(always)]
    pub(super) fn min_unsigned(self, other: Self) -> Self {
        self.with(other, |a, b| (a as u8).min(b as u8) as i8)
    }

    #[inline(always)]
    pub(super) fn max_unsigned(self, other: Self) -> Self {
        self.with(other, |a, b| (a as u8).max(b as u8) as i8)
    }

    /// x >> bits for unsigned x, bits in 1..=7.
    #[inline(always)]
    pub(super) fn shift_right_unsigned(self, bits: u32) -> Self {
        Lanes(self.0.map(|lane| ((lane as u8) >> bits) as i8))
    }

    /// `equal` where the lanes of self and other agree, else `different`.
    #[inline(always)]
    pub(super) fn select_equal(self, other: Self, equal: Self, different: Self) -> Self {
        Lanes(std::array::from_fn(|i| if self.0[i] == other.0[i] { equal.0[i] } else { different.0[i] }))
    }

    /// -x where `sign` is negative, else x.
    #[inline(always)]
    pub(super) fn negate_where_negative(self, sign: Self) -> Self {
        self.with(sign, |lane, sign| (lane ^ (sign >> 7)).wrapping_sub(sign >> 7))
    }

    /// Bit i set where lane i is negative.
    #[inline(always)]
    pub(super) fn signs(self) -> u64 {
        self.0.iter().enumerate().fold(0, |bits, (i, &lane)| bits | u64::from(lane < 0) << i)
    }
}
