//! The keystream that makes any data look random to a code.

/// The increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection in which every input bit reaches every output
/// bit.
#[inline(always)]
const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// A keystream for each pair of a physical address and a number (of an attempt, of a write). It is
/// SplitMix64 in counter mode, so any word of it can be computed on its own. It decorrelates; it
/// does not encrypt.
#[derive(Debug, Clone, Copy)]
pub struct Keystream(u64);

impl Keystream {
    /// That of an address and a number.
    pub const fn new(address: u64, number: u16) -> Keystream {
        Keystream(mix(mix(address.wrapping_add(GOLDEN)) ^ (number as u64 + 1).wrapping_mul(GOLDEN)))
    }

    /// Word `i` of the keystream.
    #[inline(always)]
    pub const fn word(self, i: usize) -> u64 {
        mix(self.0.wrapping_add((i as u64).wrapping_mul(GOLDEN)))
    }

    /// Combines `words` with the keystream; doing it twice undoes it.
    #[inline(always)]
    pub fn apply(self, words: &mut [u64]) {
        for (i, word) in words.iter_mut().enumerate() {
            *word ^= self.word(i);
        }
    }

    /// Combines bytes with the keystream, its words in little-endian order.
    pub fn apply_to_bytes(self, bytes: &mut [u8]) {
        let (words, rest) = bytes.as_chunks_mut::<8>();
        for (i, word) in words.iter_mut().enumerate() {
            *word = (u64::from_le_bytes(*word) ^ self.word(i)).to_le_bytes();
        }
        let last = self.word(words.len()).to_le_bytes();
        rest.iter_mut().zip(last).for_each(|(byte, key)| *byte ^= key);
    }
}
