//! The blocks that take second writes now: a pair of RecycledActive blocks for every two planes, and the offset counter.

use rewear_flash::Nanos;

use crate::state::map::Map;
use crate::state::pairs::Pairs;

/// Two RecycledActive blocks; in sequential mode one, twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Active {
    pub(super) unit: u32,
    pub(super) partner: u32,
    /// The offset counter: no slot before it is written again.
    pub(super) next: u32,
}

/// Whether the old content of the next pair of pages is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefetch {
    Nothing,
    /// Wanted since.
    Due(Nanos),
    /// Read by then, from this slot of the active pair.
    Done {
        at: Nanos,
        slot: u32,
    },
}

/// What is known of a pair of pages from the writes that failed on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TriedPair {
    /// Writes that failed.
    pub(super) failures: u32,
    /// Whose chances stand for its own (see [`Masks`](super::encoding::Outcomes)).
    pub(super) mask: Option<u32>,
}

impl TriedPair {
    pub(super) const NEVER: TriedPair = TriedPair { failures: 0, mask: None };
}

/// The second writes of two planes (in sequential mode of one), or the further writes of more.
#[derive(Debug, Clone)]
pub(super) struct Lane<A = Active> {
    pub(super) active: Option<A>,
    pub(super) prefetch: Prefetch,
    /// The next pair of pages, where it was tried before.
    pub(super) tried: TriedPair,
}

impl<A> Lane<A> {
    pub(super) const IDLE: Lane<A> =
        Lane { active: None, prefetch: Prefetch::Nothing, tried: TriedPair::NEVER };
}

/// The next slot from the offset counter on at which both halves are invalid and were programmed only once.
pub(super) fn next_eligible(pairs: &Pairs, map: &Map, slots_per_unit: u32, active: Active) -> Option<u32> {
    let Active { unit, partner, next } = active;
    let free = |word: u32| {
        let taken = |unit| map.valid_word(unit, word) | pairs.twice_word(unit, word);
        // Slots behind the last are never valid.
        let behind = (word + 1) * 64;
        let exists = if behind <= slots_per_unit { u64::MAX } else { u64::MAX >> (behind - slots_per_unit) };
        !(taken(unit) | taken(partner)) & exists
    };
    let words = map.words_per_unit();
    for word in next / 64..words {
        let mut eligible = free(word);
        if !pairs.parallel() {
            // Both of two consecutive slots.
            let following = if word + 1 < words { free(word + 1) & 1 } else { 0 };
            eligible &= eligible >> 1 | following << 63;
        }
        if word == next / 64 {
            eligible &= u64::MAX << (next % 64);
        }
        if eligible != 0 {
            return Some(word * 64 + eligible.trailing_zeros());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_offset_counter_finds_what_a_search_finds(
            valid in prop::collection::vec(prop::collection::vec(any::<bool>(), 150), 2),
            again in prop::collection::vec(0u32..150, 0..20),
            next in 0u32..150,
            parallel in any::<bool>(),
        ) {
            let mut map = Map::new(400, 2, 150);
            for (unit, valid) in (0u32..).zip(&valid) {
                for slot in (0..150).filter(|&slot| valid[slot as usize]) {
                    map.bind(unit * 150 + slot, unit * 150 + slot, unit, slot);
                }
            }
            let mut pairs = Pairs::new(2, map.words_per_unit(), if parallel { 1 } else { 2 }, parallel);
            pairs.link(0, if parallel { 1 } else { 0 });
            for &slot in again.iter().filter(|&&slot| slot + 1 < 150) {
                pairs.programmed((0, slot));
            }
            let free = |(unit, slot): (u32, u32)| slot < 150 && !map.is_valid(unit, slot) && !pairs.is_twice(unit, slot);
            let expected = (next..150).find(|&slot| free((0, slot)) && free(pairs.second_half((0, slot))));
            let active = Active { unit: 0, partner: if parallel { 1 } else { 0 }, next };
            prop_assert_eq!(next_eligible(&pairs, &map, 150, active), expected);
        }
    }
}
