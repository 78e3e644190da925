//! The index of closed erase units by their number of valid pages: the greedy victim in constant time.

use crate::NONE;

#[derive(Debug, Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
}

/// A bucket of units for each pool and each count of valid pages.
///
/// Buckets are circular doubly linked lists with a sentinel each, so that taking a unit out needs no branch. Within a
/// bucket the unit that has been there longest comes first.
#[derive(Debug, Clone)]
pub struct Victims {
    links: Vec<Link>,
    units: u32,
    buckets_per_pool: u32,
    /// No unit of the pool has fewer valid pages than this.
    fewest: Vec<u32>,
}

impl Victims {
    /// An empty index. Counts run from 0 to `slots_per_unit`.
    pub fn new(units: u32, pools: u32, slots_per_unit: u32) -> Victims {
        let buckets_per_pool = slots_per_unit + 1;
        let links =
            (0..units + pools * buckets_per_pool).map(|own| Link { next: own, previous: own }).collect();
        Victims { links, units, buckets_per_pool, fewest: vec![buckets_per_pool; pools as usize] }
    }

    /// Adds a unit that was just closed.
    #[inline]
    pub fn insert(&mut self, unit: u32, pool: u32, valid: u32) {
        let sentinel = self.sentinel(pool, valid);
        let last = self.links[sentinel as usize].previous;
        self.links[unit as usize] = Link { next: sentinel, previous: last };
        self.links[last as usize].next = unit;
        self.links[sentinel as usize].previous = unit;
        let fewest = &mut self.fewest[pool as usize];
        *fewest = (*fewest).min(valid);
    }

    /// Takes a unit out.
    #[inline]
    pub fn remove(&mut self, unit: u32) {
        let Link { next, previous } = self.links[unit as usize];
        self.links[previous as usize].next = next;
        self.links[next as usize].previous = previous;
    }

    /// Moves a unit to the bucket of its new count.
    #[inline]
    pub fn recount(&mut self, unit: u32, pool: u32, valid: u32) {
        self.remove(unit);
        self.insert(unit, pool, valid);
    }

    /// The unit of a pool with the fewest valid pages; among equals the one that has been so longest.
    #[inline]
    pub fn fewest_valid(&mut self, pool: u32) -> u32 {
        let mut valid = self.fewest[pool as usize];
        while valid < self.buckets_per_pool {
            let sentinel = self.sentinel(pool, valid);
            let first = self.links[sentinel as usize].next;
            if first != sentinel {
                self.fewest[pool as usize] = valid;
                return first;
            }
            valid += 1;
        }
        self.fewest[pool as usize] = valid;
        NONE
    }

    #[inline]
    fn sentinel(&self, pool: u32, valid: u32) -> u32 {
        self.units + pool * self.buckets_per_pool + valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_index_agrees_with_a_search(steps in prop::collection::vec((0u32..12, 0u32..9), 1..200)) {
            let mut index = Victims::new(12, 2, 8);
            let mut counts: Vec<Option<u32>> = vec![None; 12];
            for (unit, valid) in steps {
                let pool = unit / 6;
                match counts[unit as usize] {
                    None => index.insert(unit, pool, valid),
                    Some(_) => index.recount(unit, pool, valid),
                }
                counts[unit as usize] = Some(valid);
                if valid == 0 {
                    index.remove(unit);
                    counts[unit as usize] = None;
                }
                for pool in 0..2u32 {
                    let members = (pool * 6..pool * 6 + 6).filter_map(|unit| counts[unit as usize]);
                    let found = index.fewest_valid(pool);
                    prop_assert_eq!(members.min(), (found != NONE).then(|| counts[found as usize]).flatten());
                }
            }
        }
    }
}
