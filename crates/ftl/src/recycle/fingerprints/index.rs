//! An index from contents to numbers (of entries, of pages), for keys that look random already.
//!
//! Open addressing with linear probing: a cell is 32 bits of the key's digest and the number, 8 bytes, so that a look-up that
//! finds nothing touches one cache line, and neither growing nor removing asks for a key. The owner of the numbers compares keys.

use crate::fingerprint::Fingerprint;
use crate::map::prefetch;

/// No number, and a cell that is free.
const FREE: u64 = u64::MAX;
/// Cells at least.
const LEAST_CELLS: usize = 64;

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// Digest in the upper half, number in the lower; a power of two of them, at most half in use.
    cells: Vec<u64>,
    used: usize,
    /// A digest's home is its topmost bits.
    shift: u32,
}

/// Where a search ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place(usize);

impl Index {
    /// An empty index with room for so many numbers before it grows.
    pub(super) fn with_room(numbers: usize) -> Index {
        let cells = (numbers * 2).next_power_of_two().max(LEAST_CELLS);
        Index { cells: vec![FREE; cells], used: 0, shift: 32 - cells.ilog2() }
    }

    /// Fingerprints are uniform where they come from a hash; where a trace numbers its contents, this spreads them.
    #[inline]
    fn digest(key: Fingerprint) -> u32 {
        let folded = key as u64 ^ (key >> 64) as u64;
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
    }

    #[inline]
    fn home(&self, digest: u32) -> usize {
        (digest >> self.shift) as usize
    }

    /// Brings the cells of a key into the cache.
    #[inline]
    pub(super) fn prefetch(&self, key: Fingerprint) {
        prefetch(&self.cells, self.home(Index::digest(key)));
    }

    /// The number of a key, if it lies in its home cell; or another key's of the same digest.
    #[inline]
    pub(super) fn likely(&self, key: Fingerprint) -> Option<u32> {
        let digest = Index::digest(key);
        let cell = self.cells[self.home(digest)];
        ((cell >> 32) as u32 == digest && cell != FREE).then_some(cell as u32)
    }

    /// The place of the first number of this key's digest that `is_it` accepts.
    #[inline]
    pub(super) fn find(&self, key: Fingerprint, is_it: impl Fn(u32) -> bool) -> Option<Place> {
        let digest = Index::digest(key);
        let mut at = self.home(digest);
        loop {
            let cell = self.cells[at];
            if cell == FREE {
                return None;
            }
            if (cell >> 32) as u32 == digest && is_it(cell as u32) {
                return Some(Place(at));
            }
            at = (at + 1) & (self.cells.len() - 1);
        }
    }

    /// The number at a place.
    #[inline]
    pub(super) fn at(&self, place: Place) -> u32 {
        self.cells[place.0] as u32
    }

    /// Puts another number of the same key to a place.
    #[inline]
    pub(super) fn replace(&mut self, place: Place, number: u32) {
        let cell = &mut self.cells[place.0];
        *cell = *cell & !0xffff_ffff | u64::from(number);
    }

    /// Adds a number below 2^32 - 1 of a key.
    #[inline]
    pub(super) fn insert(&mut self, key: Fingerprint, number: u32) {
        if self.used * 2 >= self.cells.len() {
            self.grow();
        }
        self.put(u64::from(Index::digest(key)) << 32 | u64::from(number));
        self.used += 1;
    }

    /// Takes out what is at a place; the cells behind move up.
    #[inline]
    pub(super) fn remove(&mut self, place: Place) {
        let mask = self.cells.len() - 1;
        let (mut hole, mut at) = (place.0, place.0);
        loop {
            at = (at + 1) & mask;
            let cell = self.cells[at];
            if cell == FREE {
                break;
            }
            let home = self.home((cell >> 32) as u32);
            // A cell may move up to its home and no further.
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.cells[hole] = cell;
                hole = at;
            }
        }
        self.cells[hole] = FREE;
        self.used -= 1;
    }

    #[inline]
    fn put(&mut self, cell: u64) {
        let mask = self.cells.len() - 1;
        let mut at = self.home((cell >> 32) as u32);
        while self.cells[at] != FREE {
            at = (at + 1) & mask;
        }
        self.cells[at] = cell;
    }

    #[cold]
    fn grow(&mut self) {
        let doubled = vec![FREE; self.cells.len() * 2];
        let before = std::mem::replace(&mut self.cells, doubled);
        self.shift -= 1;
        before.into_iter().filter(|&cell| cell != FREE).for_each(|cell| self.put(cell));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        /// Keys of few digests and of many, so that runs of cells are long, wrap round, and the table grows.
        #[test]
        fn it_agrees_with_a_map(steps in prop::collection::vec((0u32..300, any::<bool>()), 1..900), scattered in any::<bool>()) {
            // A digest whose home is the last cell, until the table is large.
            let last = (0..).find(|&key| Index::digest(key) >> 20 == 0xfff).unwrap_or(0);
            let key_of = |number: u32| match scattered {
                true => u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
                // Halves that fold to the same: one digest for all.
                false => u128::from(number) << 64 | u128::from(number) ^ last,
            };
            let mut index = Index::with_room(0);
            let mut map = BTreeMap::new();
            for (number, adds) in steps {
                let found = index.find(key_of(number), |other| key_of(other & 0xffff) == key_of(number));
                prop_assert_eq!(found.map(|place| index.at(place)), map.get(&number).copied());
                match (found, adds) {
                    (None, true) => {
                        index.insert(key_of(number), number);
                        map.insert(number, number);
                    }
                    (Some(place), true) => {
                        index.replace(place, number | 0x1_0000);
                        map.insert(number, number | 0x1_0000);
                    }
                    (Some(place), false) => {
                        index.remove(place);
                        map.remove(&number);
                    }
                    (None, false) => {}
                }
                prop_assert_eq!(index.used, map.len());
            }
            for (&number, &value) in &map {
                let found = index.find(key_of(number), |other| other & 0xffff == number);
                prop_assert_eq!(found.map(|place| index.at(place)), Some(value));
            }
        }
    }
}
