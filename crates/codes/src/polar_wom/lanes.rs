//! The word a successive-cancellation encoder works on: 64 cells of one page, or of several pages
//! side by side.

/// The most pages side by side.
pub(super) const MAX_LANES: usize = 8;

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
     $shr:ident, $shl:ident, $sub:ident) => {
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
    _mm256_sub_epi64
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
    _mm512_sub_epi64
);
