//! The keystream that makes any data look random to the code.

/// The increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection in which every input bit reaches every output bit.
#[inline(always)]
const fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The keystream of one attempt at one physical address: SplitMix64 in counter mode, so that any word of it can be
/// computed on its own. It decorrelates; it does not encrypt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keystream(u64);

impl Keystream {
    pub(super) const fn new(address: u64, attempt: u8) -> Keystream {
        Keystream(mix(mix(address.wrapping_add(GOLDEN)) ^ (attempt as u64 + 1).wrapping_mul(GOLDEN)))
    }

    /// Word `i` of the keystream.
    #[inline(always)]
    pub(super) const fn word(self, i: usize) -> u64 {
        mix(self.0.wrapping_add((i as u64).wrapping_mul(GOLDEN)))
    }

    /// Combines `words` with the keystream; doing it twice undoes it.
    #[inline(always)]
    pub(super) fn apply(self, words: &mut [u64]) {
        for (i, word) in words.iter_mut().enumerate() {
            *word ^= self.word(i);
        }
    }
}
