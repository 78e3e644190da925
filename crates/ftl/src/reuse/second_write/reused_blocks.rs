//! The reused blocks of each plane, which are found in turn.
//!
//! One is asked for whenever a victim is chosen, and that is done for many a host write. A bit a
//! block tells the next one without a look at the blocks between.

use crate::address::{Pool, Unit};

/// Most blocks that are looked at for a reused one: those of a word of bits.
const STEPS: u32 = u64::BITS;

#[derive(Debug, Clone, Default)]
pub(super) struct ReusedBlocks {
    /// By unit, and a word more: a look reads the word behind its first.
    bits: Vec<u64>,
    /// The block of each plane that is looked at next.
    hands: Vec<u32>,
    blocks_per_plane: u32,
}

impl ReusedBlocks {
    /// No block is reused.
    pub(super) fn new(planes: u32, blocks_per_plane: u32) -> ReusedBlocks {
        let words = (planes * blocks_per_plane / u64::BITS) as usize + 2;
        ReusedBlocks { bits: vec![0; words], hands: vec![0; planes as usize], blocks_per_plane }
    }

    /// A block is reused from now on, or is not.
    #[inline]
    pub(super) fn set(&mut self, unit: Unit, is_reused: bool) {
        let word = &mut self.bits[unit.index() / 64];
        *word = *word & !(1 << (unit.0 % 64)) | u64::from(is_reused) << (unit.0 % 64);
    }

    /// Whether a block is reused.
    pub(super) fn has(&self, unit: Unit) -> bool {
        self.among(unit.0, 1) == 1
    }

    /// The next reused block of a plane; `None` if the blocks looked at hold none.
    #[inline]
    pub(super) fn next(&mut self, plane: Pool) -> Option<Unit> {
        let (blocks, first) = (self.blocks_per_plane, plane.0 * self.blocks_per_plane);
        let (hand, steps) = (self.hands[plane.index()], STEPS.min(blocks));
        let to_the_end = steps.min(blocks - hand);
        let from_the_begin = match steps - to_the_end {
            0 => 0,
            rest => self.among(first, rest) << to_the_end,
        };
        let found = (self.among(first + hand, to_the_end) | from_the_begin).trailing_zeros();
        let within = |block| if block < blocks { block } else { block - blocks };
        self.hands[plane.index()] = within(hand + steps.min(found + 1));
        (found < steps).then(|| Unit(first + within(hand + found)))
    }

    /// A bit for each of 1 to 64 blocks in a row, the first one lowest.
    #[inline]
    fn among(&self, first: u32, blocks: u32) -> u64 {
        let (word, bit) = ((first / 64) as usize, first % 64);
        let bits = u128::from(self.bits[word]) | u128::from(self.bits[word + 1]) << 64;
        (bits >> bit) as u64 & u64::MAX >> (64 - blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_come_as_a_look_at_one_block_after_the_other_finds_them(
            blocks in 1u32..200,
            changes in prop::collection::vec((0u32..600, any::<bool>()), 1..80),
        ) {
            let (mut reused, mut model) = (ReusedBlocks::new(3, blocks), vec![false; 3 * blocks as usize]);
            let mut hand = 0;
            for (unit, is_reused) in changes {
                let unit = Unit(unit % (3 * blocks));
                reused.set(unit, is_reused);
                model[unit.index()] = is_reused;
                prop_assert!(Unit::all(3 * blocks).all(|unit| reused.has(unit) == model[unit.index()]));
                let mut expected = None;
                for _ in 0..STEPS.min(blocks) {
                    let unit = Unit(blocks + hand);
                    hand = (hand + 1) % blocks;
                    if model[unit.index()] {
                        expected = Some(unit);
                        break;
                    }
                }
                prop_assert_eq!(reused.next(Pool(1)), expected);
            }
        }
    }
}
