//! The word a successive-cancellation encoder works on: 64 cells of one page, or of several pages
//! side by side.

use crate::isa::{Isa, Level};

/// The most pages side by side.
pub(super) const MAX_LANES: usize = 16;

/// 64 cells of each of [`Lanes::COUNT`] pages.
pub(super) trait Lanes: Copy {
    /// Pages side by side.
    const COUNT: usize;

    /// The same 64 bits in every page.
    fn splat(word: u64) -> Self;
    /// The 64 bits of page `lane`.
    fn get(&self, lane: usize) -> u64;
    /// Replaces the 64 bits of page `lane`.
    fn set(&mut self, lane: usize, word: u64);
    /// Page `lane` gets `word(lane)`.
    fn from_lanes(word: impl FnMut(usize) -> u64) -> Self;
    /// The first [`Lanes::COUNT`] of `words`, in turn.
    fn load(words: &[u64]) -> Self;
    /// Puts them back.
    fn store(self, words: &mut [u64]);
    /// Transposes [`Lanes::COUNT`] values: what was in lane `i` of value `j` is in lane `j` of value
    /// `i`.
    fn transpose(block: &mut [Self]);
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// `self & !other`.
    fn minus(self, other: Self) -> Self;
    /// Every page's bits shifted towards bit 0.
    fn shr<const BITS: u32>(self) -> Self;
    /// Every page's bits shifted away from bit 0.
    fn shl<const BITS: u32>(self) -> Self;
    /// `-x` in 64-bit arithmetic, page by page.
    fn negate(self) -> Self;

    /// `known ? a : b`, bit by bit.
    #[inline(always)]
    fn select(known: Self, a: Self, b: Self) -> Self {
        b.xor(known.and(a.xor(b)))
    }
}

/// A piece of work on the widest words of an instruction set.
///
/// `run` must be `#[inline(always)]`, as must everything in it that should become vector code.
pub(super) trait LaneKernel {
    /// The result of the work.
    type Output;
    /// Does the work.
    fn run<T: Lanes>(self) -> Self::Output;
}

/// Runs `kernel` compiled for `isa`.
#[inline]
pub(super) fn run_lanes<K: LaneKernel>(isa: Isa, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    fn avx2<K: LaneKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2Lanes>()
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    fn avx512<K: LaneKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512Lanes>()
    }
    match isa.0 {
        Level::Portable => kernel.run::<u64>(),
        // SAFETY: an `Isa` of this level exists only where the processor has these features.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2(kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512(kernel) },
    }
}

impl Lanes for u64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        word
    }
    #[inline(always)]
    fn get(&self, _lane: usize) -> u64 {
        *self
    }
    #[inline(always)]
    fn set(&mut self, _lane: usize, word: u64) {
        *self = word;
    }
    #[inline(always)]
    fn from_lanes(mut word: impl FnMut(usize) -> u64) -> Self {
        word(0)
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        words[0]
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words[0] = self;
    }
    #[inline(always)]
    fn transpose(_block: &mut [Self]) {}
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self & !other
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self) -> Self {
        self >> BITS
    }
    #[inline(always)]
    fn shl<const BITS: u32>(self) -> Self {
        self << BITS
    }
    #[inline(always)]
    fn negate(self) -> Self {
        self.wrapping_neg()
    }
}

/// Implements [`Lanes`] for a vector register; its operations may only be reached from code
/// compiled for that register.
#[cfg(target_arch = "x86_64")]
macro_rules! vector_lanes {
    ($name:ident, $register:ident, $count:literal, $splat:ident, $and:ident, $or:ident, $xor:ident, $andnot:ident,
     $shr:ident, $shl:ident, $sub:ident, $loadu:ident, $storeu:ident, $transpose:ident) => {
        /// Several pages in one vector register.
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name(std::arch::x86_64::$register);

        // SAFETY (of every block below): values of this type are only worked on under an `Isa` that
        // has the register.
        impl Lanes for $name {
            const COUNT: usize = $count;

            #[inline(always)]
            fn splat(word: u64) -> Self {
                unsafe { Self(std::arch::x86_64::$splat(word as i64)) }
            }
            #[inline(always)]
            fn get(&self, lane: usize) -> u64 {
                // SAFETY: the register is `COUNT` numbers of 64 bits without padding.
                let words: &[u64; $count] = unsafe { &*(&raw const self.0).cast() };
                words[lane]
            }
            #[inline(always)]
            fn set(&mut self, lane: usize, word: u64) {
                // SAFETY: as above; every bit pattern is a register.
                let words: &mut [u64; $count] = unsafe { &mut *(&raw mut self.0).cast() };
                words[lane] = word;
            }
            #[inline(always)]
            fn from_lanes(word: impl FnMut(usize) -> u64) -> Self {
                let words: [u64; $count] = std::array::from_fn(word);
                // SAFETY: as above.
                Self(unsafe { std::mem::transmute::<[u64; $count], std::arch::x86_64::$register>(words) })
            }
            #[inline(always)]
            fn load(words: &[u64]) -> Self {
                let words = &words[..$count];
                // SAFETY: the slice is as long as the register.
                unsafe { Self(std::arch::x86_64::$loadu(words.as_ptr().cast())) }
            }
            #[inline(always)]
            fn store(self, words: &mut [u64]) {
                let words = &mut words[..$count];
                // SAFETY: as above.
                unsafe { std::arch::x86_64::$storeu(words.as_mut_ptr().cast(), self.0) }
            }
            #[inline(always)]
            fn transpose(block: &mut [Self]) {
                let block: &mut [Self; $count] = block.try_into().expect("a square");
                unsafe { $transpose(block) }
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                unsafe { Self(std::arch::x86_64::$and(self.0, other.0)) }
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                unsafe { Self(std::arch::x86_64::$or(self.0, other.0)) }
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                unsafe { Self(std::arch::x86_64::$xor(self.0, other.0)) }
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                unsafe { Self(std::arch::x86_64::$andnot(other.0, self.0)) }
            }
            #[inline(always)]
            fn shr<const BITS: u32>(self) -> Self {
                unsafe {
                    Self(std::arch::x86_64::$shr(self.0, std::arch::x86_64::_mm_cvtsi32_si128(BITS as i32)))
                }
            }
            #[inline(always)]
            fn shl<const BITS: u32>(self) -> Self {
                unsafe {
                    Self(std::arch::x86_64::$shl(self.0, std::arch::x86_64::_mm_cvtsi32_si128(BITS as i32)))
                }
            }
            #[inline(always)]
            fn negate(self) -> Self {
                unsafe { Self(std::arch::x86_64::$sub(Self::splat(0).0, self.0)) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
vector_lanes!(
    Avx2Lanes,
    __m256i,
    4,
    _mm256_set1_epi64x,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_xor_si256,
    _mm256_andnot_si256,
    _mm256_srl_epi64,
    _mm256_sll_epi64,
    _mm256_sub_epi64,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    transpose_4
);
#[cfg(target_arch = "x86_64")]
vector_lanes!(
    Avx512Lanes,
    __m512i,
    8,
    _mm512_set1_epi64,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_xor_si512,
    _mm512_andnot_si512,
    _mm512_srl_epi64,
    _mm512_sll_epi64,
    _mm512_sub_epi64,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    transpose_8
);

/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn transpose_4(block: &mut [Avx2Lanes; 4]) {
    use std::arch::x86_64::*;
    let [a, b, c, d] = block.map(|value| value.0);
    unsafe {
        let (ab_even, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let (cd_even, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        *block = [
            Avx2Lanes(_mm256_permute2x128_si256::<0x20>(ab_even, cd_even)),
            Avx2Lanes(_mm256_permute2x128_si256::<0x20>(ab_odd, cd_odd)),
            Avx2Lanes(_mm256_permute2x128_si256::<0x31>(ab_even, cd_even)),
            Avx2Lanes(_mm256_permute2x128_si256::<0x31>(ab_odd, cd_odd)),
        ];
    }
}

/// # Safety
/// The processor has AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn transpose_8(block: &mut [Avx512Lanes; 8]) {
    use std::arch::x86_64::*;
    let rows = block.map(|value| value.0);
    unsafe {
        for odd in 0..2 {
            // Words 2i + odd of two rows side by side, in the quarter i.
            let pair = |i: usize| {
                let (a, b) = (rows[2 * i], rows[2 * i + 1]);
                if odd == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
            };
            let pairs = [pair(0), pair(1), pair(2), pair(3)];
            // The even quarters of two pairs, then the odd ones.
            let even = |a, b| _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
            let other = |a, b| _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b);
            let (a, b) = (even(pairs[0], pairs[1]), even(pairs[2], pairs[3]));
            (block[odd], block[4 + odd]) = (Avx512Lanes(even(a, b)), Avx512Lanes(other(a, b)));
            let (a, b) = (other(pairs[0], pairs[1]), other(pairs[2], pairs[3]));
            (block[2 + odd], block[6 + odd]) = (Avx512Lanes(even(a, b)), Avx512Lanes(other(a, b)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polar_wom::pair::Pair;

    struct TransposePairs;
    impl LaneKernel for TransposePairs {
        type Output = ();
        #[inline(always)]
        fn run<T: Lanes>(self) {
            Transpose.run::<Pair<T>>();
        }
    }

    struct Transpose;
    impl LaneKernel for Transpose {
        type Output = ();
        #[inline(always)]
        fn run<T: Lanes>(self) {
            let mut block: Vec<T> =
                (0..T::COUNT).map(|j| T::from_lanes(|i| (T::COUNT * j + i) as u64)).collect();
            T::transpose(&mut block);
            for (i, value) in block.into_iter().enumerate() {
                let mut words = [0; MAX_LANES];
                value.store(&mut words);
                let wanted: Vec<u64> = (0..T::COUNT).map(|j| (T::COUNT * j + i) as u64).collect();
                assert_eq!(words[..T::COUNT], wanted);
                assert_eq!(T::load(&words).get(T::COUNT - 1), wanted[T::COUNT - 1]);
            }
        }
    }

    #[test]
    fn lanes_and_words_change_places() {
        for isa in Isa::available() {
            run_lanes(isa, Transpose);
            run_lanes(isa, TransposePairs);
        }
    }
}
