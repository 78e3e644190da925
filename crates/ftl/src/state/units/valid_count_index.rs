//! The index of closed erase units by their number of valid pages: the greedy victim in constant
//! time, and the oldest unit of every count.

use crate::address::Unit;
use crate::cache_hints::hint;

#[derive(Debug, Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
}

/// A closed unit as a policy sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The unit.
    pub unit: Unit,
    /// Its valid pages.
    pub valid: u32,
    /// Nothing where the index keeps no times.
    since: Option<u64>,
}

impl Candidate {
    /// When it was closed or last lost a valid page, told only to a policy that
    /// [asks](crate::policies::victim::policy::Policy::ASKS_FOR_AGE).
    pub fn since(&self) -> u64 {
        self.since.unwrap_or_else(|| unreachable!("a victim policy that looks at age has ASKS_FOR_AGE"))
    }
}

/// A bucket of units for each pool and each count of valid pages.
///
/// Buckets are circular doubly linked lists with a sentinel each, so that taking a unit out needs
/// no branch. Within a bucket the unit that has been there longest comes first.
#[derive(Debug, Clone)]
pub struct ValidCountIndex {
    links: Vec<Link>,
    units: u32,
    buckets_per_pool: u32,
    /// No unit of the pool has fewer valid pages than this.
    fewest: Vec<u32>,
    /// When each unit came into its bucket; empty where nobody asks.
    since: Vec<u64>,
}

impl ValidCountIndex {
    /// An empty index. Counts run from 0 to `slots_per_unit`. With `keeps_times` it remembers when
    /// units changed bucket.
    pub fn new(units: u32, pools: u32, slots_per_unit: u32, keeps_times: bool) -> ValidCountIndex {
        let buckets_per_pool = slots_per_unit + 1;
        let links =
            (0..units + pools * buckets_per_pool).map(|own| Link { next: own, previous: own }).collect();
        let since = vec![0; if keeps_times { units as usize } else { 0 }];
        ValidCountIndex {
            links,
            units,
            buckets_per_pool,
            fewest: vec![buckets_per_pool; pools as usize],
            since,
        }
    }

    /// Adds a unit that was just closed, at time `now`, which never runs backwards.
    #[inline(always)] // With `remove` in one piece: their indices are checked once.
    pub fn insert(&mut self, unit: Unit, queue: u32, valid: u32, now: u64) {
        if let Some(since) = self.since.get_mut(unit.index()) {
            *since = now;
        }
        debug_assert!(valid < self.buckets_per_pool, "{valid} valid slots");
        let sentinel = self.sentinel(queue, valid);
        let links = self.links.as_mut_slice();
        let last = std::mem::replace(&mut links[sentinel as usize].previous, unit.0);
        links[unit.index()] = Link { next: sentinel, previous: last };
        links[last as usize].next = unit.0;
        let fewest = &mut self.fewest[queue as usize];
        *fewest = (*fewest).min(valid);
    }

    /// Takes a unit out.
    #[inline(always)]
    pub fn remove(&mut self, unit: Unit) {
        let links = self.links.as_mut_slice();
        let Link { next, previous } = links[unit.index()];
        links[previous as usize].next = next;
        links[next as usize].previous = previous;
    }

    /// Bytes that the lists take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.links.as_slice())
    }

    /// Brings the links of a unit into the cache.
    #[inline]
    pub(crate) fn hint(&self, unit: Unit) {
        hint(&self.links, unit.index());
    }

    /// Moves a unit to the bucket of its new count.
    #[inline(always)]
    pub fn recount(&mut self, unit: Unit, queue: u32, valid: u32, now: u64) {
        self.remove(unit);
        self.insert(unit, queue, valid, now);
    }

    /// The unit of a queue with the fewest valid pages; among equals the one that has been so
    /// longest.
    #[inline]
    pub fn fewest_valid(&self, queue: u32) -> Option<Unit> {
        (self.fewest[queue as usize]..self.buckets_per_pool).find_map(|valid| self.head(queue, valid))
    }

    /// Makes sure that the next look for the fewest valid pages begins where they are.
    #[inline]
    pub fn settle(&mut self, queue: u32) {
        let mut counts = self.fewest[queue as usize]..self.buckets_per_pool;
        let fewest = counts.find(|&valid| self.head(queue, valid).is_some());
        self.fewest[queue as usize] = fewest.unwrap_or(self.buckets_per_pool);
    }

    /// The unit that has been longest in a bucket.
    #[inline]
    fn head(&self, queue: u32, valid: u32) -> Option<Unit> {
        let sentinel = self.sentinel(queue, valid);
        let unit = self.links[sentinel as usize].next;
        (unit != sentinel).then_some(Unit(unit))
    }

    /// The first unit of every bucket of a queue that has one, fewest valid pages first.
    pub fn heads(&self, queue: u32) -> impl Iterator<Item = Candidate> + '_ {
        (self.fewest[queue as usize]..self.buckets_per_pool)
            .filter_map(move |valid| self.head(queue, valid).map(|unit| self.candidate(unit, valid)))
    }

    /// All units of a queue, fewest valid pages first, among equals the one that has been so
    /// longest.
    pub fn in_order(&self, queue: u32) -> impl Iterator<Item = Candidate> + '_ {
        self.heads(queue)
            .flat_map(move |head| self.from(head.unit).map(move |unit| self.candidate(unit, head.valid)))
    }

    /// A unit and those behind it in its bucket.
    #[inline]
    pub(super) fn from(&self, unit: Unit) -> impl Iterator<Item = Unit> + '_ {
        let next =
            |&Unit(at): &Unit| Some(self.links[at as usize].next).filter(|&at| at < self.units).map(Unit);
        std::iter::successors(Some(unit), next)
    }

    /// Whether a unit comes before another in the bucket that both are in.
    pub(super) fn is_before(&self, unit: Unit, other: Unit) -> bool {
        self.from(unit).any(|at| at == other)
    }

    /// Queues of the index.
    pub(super) fn queues(&self) -> u32 {
        self.fewest.len() as u32
    }

    /// Units in a queue; none if there is no such queue.
    pub fn count(&self, queue: u32) -> usize {
        if (queue as usize) < self.fewest.len() { self.in_order(queue).count() } else { 0 }
    }

    fn candidate(&self, unit: Unit, valid: u32) -> Candidate {
        Candidate { unit, valid, since: self.since.get(unit.index()).copied() }
    }

    #[inline]
    fn sentinel(&self, queue: u32, valid: u32) -> u32 {
        self.units + queue * self.buckets_per_pool + valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_index_agrees_with_a_search(steps in prop::collection::vec((0u32..12, 0u32..9), 1..200)) {
            let mut index = ValidCountIndex::new(12, 2, 8, true);
            let mut counts: Vec<Option<u32>> = vec![None; 12];
            for (now, (unit, valid)) in (0u64..).zip(steps) {
                let pool = unit / 6;
                match counts[unit as usize] {
                    None => index.insert(Unit(unit), pool, valid, now),
                    Some(_) => index.recount(Unit(unit), pool, valid, now),
                }
                counts[unit as usize] = Some(valid);
                if valid == 0 {
                    index.remove(Unit(unit));
                    counts[unit as usize] = None;
                }
                for pool in 0..2u32 {
                    let members = (pool * 6..pool * 6 + 6).filter_map(|unit| counts[unit as usize]);
                    let found = index.fewest_valid(pool);
                    prop_assert_eq!(members.min(), found.and_then(|unit| counts[unit.index()]));
                    let order: Vec<_> = index.in_order(pool).map(|at| (at.valid, at.since)).collect();
                    let units: Vec<_> = index.in_order(pool).collect();
                    for pair in units.windows(2).filter(|pair| pair[0].valid == pair[1].valid) {
                        prop_assert!(index.is_before(pair[0].unit, pair[1].unit));
                        prop_assert!(!index.is_before(pair[1].unit, pair[0].unit));
                    }
                    prop_assert!(order.is_sorted());
                    prop_assert_eq!(order.len(), (pool * 6..pool * 6 + 6).filter(|&unit| counts[unit as usize].is_some()).count());
                }
            }
        }
    }
}
