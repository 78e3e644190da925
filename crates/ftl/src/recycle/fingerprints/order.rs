//! The order of the store: entries ranked by class, among equals by age, with the exact rank of any entry.
//!
//! Every class is a list; a rank is the entries of the classes above plus those before the entry in its own list. For the
//! latter every entry carries a stamp that rises along the list, and a bit for each stamp in use: entries with a higher
//! stamp are counted 64 at a time, and 1024 at a time where the list is long. Insertion and removal take constant time.

use super::config::Ties;
use super::probability::Class;
use crate::NONE;
use crate::map::prefetch;

/// Stamps that one word of counts sums up.
const BLOCK: u32 = 1024;
/// Stamps that a list may use up for each of its entries before it is numbered anew.
const STAMPS_PER_ENTRY: u32 = 8;

#[derive(Debug, Clone, Copy)]
struct Link {
    /// Towards the end of the list that was joined last.
    later: u32,
    earlier: u32,
    stamp: u32,
    class: Class,
}

#[derive(Debug, Clone)]
struct List {
    latest: u32,
    earliest: u32,
    next_stamp: u32,
    used: Vec<u64>,
    per_block: Vec<u32>,
}

impl List {
    fn new() -> List {
        List { latest: NONE, earliest: NONE, next_stamp: 0, used: Vec::new(), per_block: Vec::new() }
    }

    #[inline]
    fn mark(&mut self, stamp: u32) {
        let (word, block) = ((stamp / 64) as usize, (stamp / BLOCK) as usize);
        if word >= self.used.len() {
            self.make_room(block);
        }
        self.used[word] |= 1 << (stamp % 64);
        self.per_block[block] += 1;
    }

    #[cold]
    fn make_room(&mut self, block: usize) {
        self.used.resize((block + 1) * (BLOCK as usize / 64), 0);
        self.per_block.resize(block + 1, 0);
    }

    #[inline]
    fn unmark(&mut self, stamp: u32) {
        self.used[(stamp / 64) as usize] &= !(1 << (stamp % 64));
        self.per_block[(stamp / BLOCK) as usize] -= 1;
    }

    /// Entries that joined the list after the one with this stamp.
    fn later_than(&self, stamp: u32) -> u32 {
        let (word, block) = ((stamp / 64) as usize, (stamp / BLOCK) as usize);
        let own = self.used[word] >> (stamp % 64) >> 1;
        let end = (block + 1) * (BLOCK as usize / 64);
        let near: u32 = self.used[word + 1..end].iter().map(|word| word.count_ones()).sum();
        own.count_ones() + near + self.per_block[block + 1..].iter().sum::<u32>()
    }
}

/// Entries in order. They are numbered by whoever owns them.
#[derive(Debug, Clone)]
pub struct Ranking {
    links: Vec<Link>,
    lists: Vec<List>,
    /// Entries of each list; by themselves, since a rank sums up all above.
    lens: Vec<u32>,
    newest_first: bool,
    /// No class below this one has an entry.
    lowest: Class,
}

impl Ranking {
    /// No entries; classes 0 to `classes - 1`, the highest first in the order.
    pub fn new(classes: usize, ties: Ties) -> Ranking {
        Ranking {
            links: Vec::new(),
            lists: (0..classes).map(|_| List::new()).collect(),
            lens: vec![0; classes],
            newest_first: ties == Ties::NewestFirst,
            lowest: 0,
        }
    }

    /// Adds an entry, as the newest of its class.
    #[inline]
    pub fn insert(&mut self, entry: u32, class: Class) {
        let (list, len) = (&self.lists[usize::from(class)], self.lens[usize::from(class)]);
        if list.next_stamp >= len.saturating_mul(STAMPS_PER_ENTRY).max(BLOCK) {
            self.renumber(class);
        }
        let list = &mut self.lists[usize::from(class)];
        let stamp = list.next_stamp;
        list.next_stamp += 1;
        list.mark(stamp);
        let earlier = std::mem::replace(&mut list.latest, entry);
        self.lens[usize::from(class)] += 1;
        let link = Link { later: NONE, earlier, stamp, class };
        match self.links.get_mut(entry as usize) {
            Some(own) => *own = link,
            None => self.links.resize(entry as usize + 1, link),
        }
        match earlier {
            NONE => self.lists[usize::from(class)].earliest = entry,
            earlier => self.links[earlier as usize].later = entry,
        }
        self.lowest = self.lowest.min(class);
    }

    /// Takes an entry out.
    #[inline]
    pub fn remove(&mut self, entry: u32) {
        let Link { later, earlier, stamp, class } = self.links[entry as usize];
        let list = &mut self.lists[usize::from(class)];
        list.unmark(stamp);
        self.lens[usize::from(class)] -= 1;
        match later {
            NONE => list.latest = earlier,
            later => self.links[later as usize].earlier = earlier,
        }
        match earlier {
            NONE => list.earliest = later,
            earlier => self.links[earlier as usize].later = later,
        }
    }

    /// A number that rises with the rank of an entry, and costs nothing to know.
    #[inline]
    pub fn order_key(&self, entry: u32) -> u64 {
        let Link { stamp, class, .. } = self.links[entry as usize];
        let age = if self.newest_first { !stamp } else { stamp };
        u64::from(Class::MAX - class) << 32 | u64::from(age)
    }

    /// The class of an entry.
    pub fn class(&self, entry: u32) -> Class {
        self.links[entry as usize].class
    }

    /// The last entry of the order, if there is one.
    pub fn last(&mut self) -> Option<u32> {
        let found =
            (self.lowest..self.lens.len() as Class).find(|&class| self.lens[usize::from(class)] > 0)?;
        self.lowest = found;
        let list = &self.lists[usize::from(found)];
        Some(if self.newest_first { list.earliest } else { list.latest })
    }

    /// The entry that will be the last of the order when the last one is gone, if it is of the same class; brings it into the cache.
    #[inline]
    pub fn before_last(&self, last: u32) -> Option<u32> {
        let Link { later, earlier, .. } = self.links[last as usize];
        let next = if self.newest_first { later } else { earlier };
        self.prefetch(next);
        Some(next).filter(|&next| next != NONE)
    }

    /// Brings the place of an entry, if there is one, into the cache.
    #[inline]
    pub fn prefetch(&self, entry: u32) {
        prefetch(&self.links, entry as usize);
    }

    /// Entries that a scan from the head compares until it is through with this one: its rank, from 1.
    pub fn rank(&self, entry: u32) -> u64 {
        let Link { stamp, class, .. } = self.links[entry as usize];
        let list = &self.lists[usize::from(class)];
        let later = list.later_than(stamp);
        let before = if self.newest_first { later } else { self.lens[usize::from(class)] - 1 - later };
        self.above(class) + u64::from(before) + 1
    }

    /// The rank that an entry added now would have.
    pub fn rank_of_new(&self, class: Class) -> u64 {
        let before = if self.newest_first { 0 } else { self.lens[usize::from(class)] };
        self.above(class) + u64::from(before) + 1
    }

    /// Whether an entry added now would be the last of the order.
    pub fn would_be_last(&mut self, class: Class) -> bool {
        match self.last() {
            None => true,
            Some(last) => match class.cmp(&self.class(last)) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => !self.newest_first,
                std::cmp::Ordering::Greater => false,
            },
        }
    }

    fn above(&self, class: Class) -> u64 {
        self.lens[usize::from(class) + 1..].iter().map(|&len| u64::from(len)).sum()
    }

    /// Gives the entries of a class the stamps 0, 1, ...
    #[cold]
    fn renumber(&mut self, class: Class) {
        let list = &mut self.lists[usize::from(class)];
        list.used.clear();
        list.per_block.clear();
        let (mut entry, mut stamp) = (list.earliest, 0);
        while entry != NONE {
            list.mark(stamp);
            self.links[entry as usize].stamp = stamp;
            (entry, stamp) = (self.links[entry as usize].later, stamp + 1);
        }
        list.next_stamp = stamp;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(steps: Vec<(u32, u8)>, ties: Ties) {
        let mut ranking = Ranking::new(4, ties);
        // (entry, class), the head first.
        let mut order: Vec<(u32, u8)> = Vec::new();
        for (entry, class) in steps {
            match order.iter().position(|&(other, _)| other == entry) {
                Some(at) => {
                    ranking.remove(entry);
                    order.remove(at);
                }
                None => {
                    let at = order.partition_point(|&(_, other)| match ties {
                        Ties::NewestFirst => other > class,
                        Ties::OldestFirst => other >= class,
                    });
                    assert_eq!(ranking.rank_of_new(class), at as u64 + 1);
                    assert_eq!(ranking.would_be_last(class), at == order.len());
                    ranking.insert(entry, class);
                    order.insert(at, (entry, class));
                }
            }
            assert_eq!(ranking.last(), order.last().map(|&(entry, _)| entry));
            for (rank, &(entry, class)) in (1..).zip(&order) {
                assert_eq!((ranking.rank(entry), ranking.class(entry)), (rank, class));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn ranks_agree_with_a_sorted_vector(
            steps in prop::collection::vec((0u32..30, 0u8..4), 1..400),
            newest in any::<bool>(),
        ) {
            check(steps, if newest { Ties::NewestFirst } else { Ties::OldestFirst });
        }
    }

    #[test]
    fn ranks_survive_renumbering() {
        let mut ranking = Ranking::new(1, Ties::NewestFirst);
        for entry in 0..20_000 {
            ranking.insert(entry, 0);
            if entry >= 6000 {
                ranking.remove(entry - 6000);
            }
        }
        assert_eq!(ranking.rank(19_999), 1);
        assert_eq!(ranking.rank(14_000), 6000);
        assert_eq!(ranking.last(), Some(14_000));
    }
}
