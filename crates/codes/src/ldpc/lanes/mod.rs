//! Vectors of 8-bit numbers for the min-sum decoder.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Which instructions the min-sum decoder runs on. All give the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneEngine {
    /// Arrays of 16 numbers, which any compiler turns into the machine's vectors.
    Portable,
    /// AVX2, 32 numbers.
    Avx2,
    /// AVX-512 BW, 64 numbers.
    Avx512,
}

/// The engines this machine can run, slowest first.
pub fn available_engines() -> Vec<LaneEngine> {
    let mut engines = vec![LaneEngine::Portable];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            engines.push(LaneEngine::Avx2);
        }
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            engines.push(LaneEngine::Avx512);
        }
    }
    engines
}

/// A vector of `WIDTH` (at most 64) signed 8-bit numbers.
///
/// # Safety
/// All methods need the instructions of the implementing type; `load` and `store` need `WIDTH`
/// readable or writable bytes.
pub(super) trait Lanes: Copy {
    const WIDTH: usize;
    unsafe fn load(at: *const i8) -> Self;
    unsafe fn store(self, at: *mut i8);
    unsafe fn splat(value: u8) -> Self;
    unsafe fn add_saturating(self, other: Self) -> Self;
    unsafe fn sub_saturating(self, other: Self) -> Self;
    unsafe fn sub_saturating_unsigned(self, other: Self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// |x| as an unsigned number, so that |-128| = 128.
    unsafe fn abs(self) -> Self;
    unsafe fn min_unsigned(self, other: Self) -> Self;
    unsafe fn max_unsigned(self, other: Self) -> Self;
    /// x >> bits for unsigned x, bits in 1..=7.
    unsafe fn shift_right_unsigned(self, bits: u32) -> Self;
    /// `equal` where the lanes of self and other agree, else `different`.
    unsafe fn select_equal(self, other: Self, equal: Self, different: Self) -> Self;
    /// -x where `sign` is negative, else x.
    unsafe fn negate_where_negative(self, sign: Self) -> Self;
    /// Bit i set where lane i is negative.
    unsafe fn signs(self) -> u64;
}
