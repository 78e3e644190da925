//! A seeded permutation of 0..n that needs no table: a Feistel network over the next even power of
//! two, walked until it falls below n.

use crate::mix::mix;

/// Rounds of the network; four make it indistinguishable from a random permutation for our purpose
/// (Luby and Rackoff 1988).
const ROUNDS: usize = 4;

/// Scatters numbers below `size`.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    size: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// A permutation of `0..size`, `size` at least 1 and below 2^62.
    pub(crate) fn new(size: u64, seed: u64) -> Self {
        let bits = 64 - size.saturating_sub(1).leading_zeros();
        let keys = std::array::from_fn(|round| mix(seed ^ mix(round as u64 + 1)));
        Self { size, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// Where `index`, below the size, goes.
    #[inline]
    pub(crate) fn apply(&self, index: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let mut value = index;
        // The network permutes less than four times the size; on average less than four steps lead
        // back into it.
        loop {
            let (mut left, mut right) = (value >> self.half_bits, value & mask);
            for key in self.keys {
                (left, right) = (right, left ^ (mix(right ^ key) & mask));
            }
            value = left << self.half_bits | right;
            if value < self.size {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_hit_once() {
        for size in [1, 2, 3, 16, 17, 1000, 4096, 5001] {
            let permutation = Permutation::new(size, 7);
            let mut seen = vec![false; size as usize];
            for index in 0..size {
                assert!(!std::mem::replace(&mut seen[permutation.apply(index) as usize], true));
            }
        }
    }

    #[test]
    fn neighbours_part_and_seeds_differ() {
        let one = Permutation::new(1 << 20, 1);
        let other = Permutation::new(1 << 20, 2);
        let close = (0..1000).filter(|&index| one.apply(index).abs_diff(one.apply(index + 1)) < 1000).count();
        let same = (0..1000).filter(|&index| one.apply(index) == other.apply(index)).count();
        assert!(close < 20 && same < 5, "{close} {same}");
    }
}
