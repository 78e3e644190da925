//! Many elements of GF(2^8) side by side, one a byte.

use super::gf256::{POLYNOMIAL, multiply};

/// A register of elements. Operations may only be reached from code compiled for the register.
pub(super) trait Lanes: Copy {
    /// Elements in a register.
    const COUNT: usize;
    /// Degree of a locator up to which trying all places one after another is faster than the
    /// transform.
    const SEARCH_UP_TO: usize;
    /// 64-bit words of a remainder that are summed between two products, a power of two: where
    /// products are cheap, few.
    const WORDS_A_PRODUCT: usize;
    /// What multiplying by one number needs.
    type Factor: Copy + std::fmt::Debug;

    fn factor(number: u8) -> Self::Factor;
    fn zero() -> Self;
    /// The first [`Lanes::COUNT`] bytes.
    fn load(bytes: &[u8]) -> Self;
    /// Replaces the first [`Lanes::COUNT`] bytes.
    fn store(self, bytes: &mut [u8]);
    fn xor(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Products of elements in the same lane.
    fn multiply(self, other: Self) -> Self;
    /// Products with one number.
    fn times(self, factor: &Self::Factor) -> Self;
    /// Bit i is set when the element in lane i is 0.
    fn zeros(self) -> u64;
    /// The sum of all lanes.
    fn sum(self) -> u8;
}

/// 32 elements in 64-bit words, for any machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable([u64; 4]);

const ONES: u64 = 0x0101_0101_0101_0101;

/// 0xff in every byte in which `ones`, 0 or 1 in every byte, is 1.
#[inline(always)]
fn fill(ones: u64) -> u64 {
    (ones << 8).wrapping_sub(ones)
}

impl Portable {
    #[inline(always)]
    fn map(self, other: Portable, word: impl Fn(u64, u64) -> u64) -> Portable {
        Portable(std::array::from_fn(|i| word(self.0[i], other.0[i])))
    }
}

impl Lanes for Portable {
    const COUNT: usize = 32;
    const SEARCH_UP_TO: usize = 4;
    const WORDS_A_PRODUCT: usize = 8;
    /// number x^k in every byte, for bit k of the other factor.
    type Factor = [u64; 8];

    fn factor(number: u8) -> [u64; 8] {
        std::array::from_fn(|k| u64::from(multiply(number, 1 << k)) * ONES)
    }

    #[inline(always)]
    fn zero() -> Portable {
        Portable([0; 4])
    }

    #[inline(always)]
    fn load(bytes: &[u8]) -> Portable {
        let (words, _) = bytes[..Self::COUNT].as_chunks::<8>();
        Portable(std::array::from_fn(|i| u64::from_le_bytes(words[i])))
    }

    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        let (words, _) = bytes[..Self::COUNT].as_chunks_mut::<8>();
        for (bytes, word) in words.iter_mut().zip(self.0) {
            *bytes = word.to_le_bytes();
        }
    }

    #[inline(always)]
    fn xor(self, other: Portable) -> Portable {
        self.map(other, |a, b| a ^ b)
    }

    #[inline(always)]
    fn or(self, other: Portable) -> Portable {
        self.map(other, |a, b| a | b)
    }

    #[inline] // Long, and in many places.
    fn multiply(self, other: Portable) -> Portable {
        self.map(other, |a, b| {
            let mut product = 0;
            for k in (0..8).rev() {
                let carry = product >> 7 & ONES;
                product = (product << 1 & !ONES) ^ (fill(carry) & (u64::from(POLYNOMIAL) * ONES));
                product ^= a & fill(b >> k & ONES);
            }
            product
        })
    }

    #[inline]
    fn times(self, factor: &[u64; 8]) -> Portable {
        self.map(self, |a, _| (0..8).fold(0, |product, k| product ^ (fill(a >> k & ONES) & factor[k])))
    }

    #[inline(always)]
    fn zeros(self) -> u64 {
        let bytes = self.0.iter().flat_map(|word| word.to_le_bytes());
        bytes.enumerate().fold(0, |mask, (i, byte)| mask | u64::from(byte == 0) << i)
    }

    #[inline(always)]
    fn sum(self) -> u8 {
        self.0.iter().fold(0, |sum, word| sum ^ word).to_le_bytes().into_iter().fold(0, |a, b| a ^ b)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Every operation of `L` against single elements.
    pub(in crate::bch::tower) fn check<L: Lanes>() {
        for factor in 0..=255u8 {
            let a: Vec<u8> = (0..L::COUNT).map(|i| (i * 37 + usize::from(factor) * 5) as u8).collect();
            let b: Vec<u8> = a.iter().map(|x| x.wrapping_mul(91) ^ factor).collect();
            let each = |word: &dyn Fn(u8, u8) -> u8| -> Vec<u8> {
                a.iter().zip(&b).map(|(a, b)| word(*a, *b)).collect()
            };
            let bytes = |lanes: L| {
                let mut out = vec![0; L::COUNT];
                lanes.store(&mut out);
                out
            };
            let (left, right) = (L::load(&a), L::load(&b));
            assert_eq!(bytes(left.multiply(right)), each(&multiply));
            assert_eq!(bytes(left.xor(right)), each(&|a, b| a ^ b));
            assert_eq!(bytes(left.or(right)), each(&|a, b| a | b));
            assert_eq!(bytes(left.times(&L::factor(factor))), each(&|a, _| multiply(a, factor)));
            assert_eq!(left.sum(), a.iter().fold(0, |sum, x| sum ^ x));
            let zeros = (0..L::COUNT).fold(0, |mask, i| mask | u64::from(a[i] == 0) << i);
            assert_eq!(left.zeros(), zeros);
            assert_eq!(bytes(L::zero()), vec![0; L::COUNT]);
        }
    }

    #[test]
    fn portable_lanes_are_the_field() {
        check::<Portable>();
    }
}
