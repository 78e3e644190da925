//! The fingerprint store FS (section IV.C): a bounded index from fingerprint to invalid page, whose worst entry makes way.

use super::config::{FingerprintsConfig, Order};
use super::index::Index;
use super::order::Ranking;
use super::probability::Class;
use crate::fingerprint::Fingerprint;
use crate::map::prefetch;
use crate::{NONE, Ppn};

/// Entries that the index of a bounded store has room for from the beginning; a larger one grows into its size.
const ROOM_AT_FIRST: usize = 1 << 18;

/// Entries of one key that a look-up tries: all of them, but for contents of which hundreds of copies are invalid.
const MOST_TRIED: usize = 16;

/// Bytes of an entry in a drive, as the paper counts them: 16 of fingerprint, 4 of place, 4 of probability.
pub const ENTRY_BYTES: u64 = 24;
/// Bytes of the model for each entry: the entry, its place in the order, and in the index.
pub const MODEL_BYTES_PER_ENTRY: u64 = 72;

/// How many of those that leave a full store next are looked at ahead: their entries, and nearer what leads to them. Some of them
/// left already.
const OUT_AHEAD: (usize, usize) = (24, 8);

/// Half a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
struct Entry {
    key: Fingerprint,
    ppn: Ppn,
    /// Neighbours among the entries of the same key; the first one joined last.
    next: u32,
    previous: u32,
    /// Its place in the order.
    stamp: u32,
}

const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    const FREE: Entry = Entry { key: 0, ppn: NONE, next: NONE, previous: NONE, stamp: 0 };
}

/// What became of a page that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// It has this entry now.
    Taken {
        /// The entry.
        entry: u32,
        /// Whether another one made way for it, whose page is not told.
        evicted: bool,
    },
    /// The store is full of better ones.
    Refused,
}

/// Pages found for a key, in the store's order.
#[derive(Debug, Clone, Copy)]
pub struct Matches {
    found: [u32; MOST_TRIED],
    len: usize,
}

impl Matches {
    /// The entries, the first of the order first.
    pub fn entries(&self) -> impl Iterator<Item = u32> + '_ {
        self.found[..self.len].iter().copied()
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Store {
    entries: Vec<Entry>,
    /// By which each entry is ranked.
    classes: Vec<Class>,
    free: Vec<u32>,
    /// Of each key the entry that joined last.
    index: Index,
    ranking: Ranking,
    by_probability: bool,
    most_entries: usize,
    key_mask: Fingerprint,
}

impl Store {
    /// An empty store whose order tells `classes` classes apart.
    pub fn new(config: &FingerprintsConfig, classes: usize) -> Store {
        let by_probability = config.order == Order::Probability;
        let most_entries = if config.entries == 0 { usize::MAX } else { config.entries as usize };
        let (classes, ties) = match config.order {
            Order::Lru => (1, super::config::Ties::NewestFirst),
            Order::Probability => (classes, config.ties),
        };
        Store {
            entries: Vec::new(),
            classes: Vec::new(),
            free: Vec::new(),
            index: Index::with_room(config.entries.min(ROOM_AT_FIRST as u32) as usize),
            ranking: Ranking::new(classes, ties),
            by_probability,
            most_entries,
            key_mask: Fingerprint::MAX >> (128 - config.fingerprint_bits.clamp(1, 128)),
        }
    }

    /// Entries in use.
    pub fn count(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// The page of an entry.
    #[inline]
    pub fn page(&self, entry: u32) -> Ppn {
        self.entries[entry as usize].ppn
    }

    /// Whether an entry is that of a page. [`NONE`] is nobody's.
    #[inline]
    pub fn is_of(&self, entry: u32, ppn: Ppn) -> bool {
        self.entries.get(entry as usize).is_some_and(|entry| entry.ppn == ppn)
    }

    /// Offers an invalid page. A full store takes it if it is better than the worst entry.
    pub fn offer(&mut self, fingerprint: Fingerprint, ppn: Ppn, class: Class) -> Offered {
        let (key, rank_class) = (fingerprint & self.key_mask, self.rank_class(class));
        let mut evicted = false;
        if self.count() >= self.most_entries {
            if self.ranking.would_be_last(rank_class) {
                return Offered::Refused;
            }
            if let Some(last) = self.ranking.last() {
                self.remove(last);
                evicted = true;
            }
        }
        let own = Entry { key, ppn, ..Entry::FREE };
        let entry = match self.free.pop() {
            Some(entry) => {
                self.entries[entry as usize] = own;
                entry
            }
            None => {
                self.entries.push(own);
                self.classes.push(0);
                self.entries.len() as u32 - 1
            }
        };
        self.link(entry, key);
        self.enter_order(entry, rank_class);
        Offered::Taken { entry, evicted }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, entry: u32) {
        let Entry { key, next, previous, stamp, .. } =
            std::mem::replace(&mut self.entries[entry as usize], Entry::FREE);
        self.ranking.remove(self.classes[entry as usize], stamp);
        if next != NONE {
            self.entries[next as usize].previous = previous;
        }
        if previous != NONE {
            self.entries[previous as usize].next = next;
        } else {
            if let Some(place) = self.index.find(key, |other| other == entry) {
                match next {
                    NONE => self.index.remove(place),
                    next => self.index.replace(place, next),
                }
            }
        }
        self.free.push(entry);
    }

    /// The probability of an entry's page changed, or the page was loaded anew.
    pub fn rerank(&mut self, entry: u32, class: Class) {
        let class = self.rank_class(class);
        self.ranking.remove(self.classes[entry as usize], self.entries[entry as usize].stamp);
        self.enter_order(entry, class);
    }

    #[inline]
    fn enter_order(&mut self, entry: u32, class: Class) {
        self.classes[entry as usize] = class;
        let entries = &mut self.entries;
        self.ranking.insert(entry, class, |entry, stamp| entries[entry as usize].stamp = stamp);
    }

    /// Whether the order depends on probabilities.
    pub fn ranks_by_probability(&self) -> bool {
        self.by_probability
    }

    /// Whether an invalid page of this class would be taken now.
    pub fn would_take(&mut self, class: Class) -> bool {
        let class = self.rank_class(class);
        self.count() < self.most_entries || !self.ranking.would_be_last(class)
    }

    /// The rank of an entry: comparisons of a scan that ends with it.
    pub fn rank(&self, entry: u32) -> u64 {
        self.ranking.rank(self.classes[entry as usize], self.entries[entry as usize].stamp)
    }

    /// The rank that a page of this class would have if it were added now.
    pub fn rank_of_new(&self, class: Class) -> u64 {
        self.ranking.rank_of_new(self.rank_class(class))
    }

    /// Brings the cells of the index for a fingerprint into the cache.
    #[inline]
    pub fn prefetch(&self, fingerprint: Fingerprint) {
        self.index.prefetch(fingerprint & self.key_mask);
    }

    /// Brings the entry that a look-up is likely to find into the cache.
    #[inline]
    pub fn prefetch_match(&self, fingerprint: Fingerprint) {
        if let Some(entry) = self.index.likely(fingerprint & self.key_mask) {
            self.prefetch_entry(entry);
        }
    }

    /// Brings an entry, if there is one, into the cache.
    #[inline]
    pub fn prefetch_entry(&self, entry: u32) {
        prefetch(&self.entries, entry as usize);
    }

    /// Brings into the cache what it takes to let those go that make way soon, if the store is full.
    #[inline]
    pub fn prefetch_next_out(&self) {
        if self.count() < self.most_entries {
            return;
        }
        if let Some(far) = self.ranking.last_in(OUT_AHEAD.0) {
            self.prefetch_entry(far);
        }
        if let Some(near) = self.ranking.last_in(OUT_AHEAD.1) {
            self.index.prefetch(self.entries[near as usize].key);
        }
    }

    /// The latest entry with the key of a fingerprint.
    #[inline]
    pub fn first(&self, fingerprint: Fingerprint) -> Option<u32> {
        let key = fingerprint & self.key_mask;
        let place = self.index.find(key, |entry| self.entries[entry as usize].key == key)?;
        Some(self.index.at(place))
    }

    /// The entries with the key of a fingerprint, in the store's order; `None` if there are none.
    #[inline]
    pub fn matches(&self, fingerprint: Fingerprint) -> Option<Matches> {
        self.first(fingerprint).map(|first| self.matches_from(first))
    }

    #[inline(never)]
    fn matches_from(&self, first: u32) -> Matches {
        let mut matches = Matches { found: [NONE; MOST_TRIED], len: 0 };
        let mut entry = first;
        while entry != NONE && matches.len < MOST_TRIED {
            matches.found[matches.len] = entry;
            matches.len += 1;
            entry = self.entries[entry as usize].next;
        }
        if matches.len > 1 {
            let order_key = |&entry: &u32| {
                self.ranking.order_key(self.classes[entry as usize], self.entries[entry as usize].stamp)
            };
            matches.found[..matches.len].sort_unstable_by_key(order_key);
        }
        matches
    }

    #[inline]
    fn rank_class(&self, class: Class) -> Class {
        if self.by_probability { class } else { 0 }
    }

    fn link(&mut self, entry: u32, key: Fingerprint) {
        match self.index.find(key, |other| self.entries[other as usize].key == key) {
            Some(place) => {
                let next = self.index.at(place);
                self.index.replace(place, entry);
                self.entries[entry as usize].next = next;
                self.entries[next as usize].previous = entry;
            }
            None => self.index.insert(key, entry),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::Ties;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
        #[test]
        fn the_store_agrees_with_a_sorted_vector_and_never_outgrows_its_bound(
            steps in prop::collection::vec((0u128..6, 0u8..4, 0u32..4), 1..300),
            bound in 1u32..12,
            newest in any::<bool>(),
            lru in any::<bool>(),
            bits in prop_oneof![Just(128u32), Just(1), Just(2)],
        ) {
            let config = FingerprintsConfig {
                entries: bound,
                order: if lru { Order::Lru } else { Order::Probability },
                ties: if newest { Ties::NewestFirst } else { Ties::OldestFirst },
                fingerprint_bits: bits,
                verify: true,
                ..FingerprintsConfig::default()
            };
            let mut store = Store::new(&config, 4);
            // (class, key, page, entry), the head first.
            let mut order: Vec<(u8, u128, u32, u32)> = Vec::new();
            let mask = u128::MAX >> (128 - bits);
            for (ppn, (fingerprint, class, what)) in (0u32..).zip(steps) {
                let (class, key) = (if lru { 0 } else { class }, fingerprint & mask);
                let place = |order: &[(u8, u128, u32, u32)]| order.partition_point(|&(other, ..)| {
                    if newest || lru { other > class } else { other >= class }
                });
                if what == 0 && !order.is_empty() {
                    let (.., entry) = order.remove(ppn as usize % order.len());
                    store.remove(entry);
                } else if what == 1 && !order.is_empty() {
                    let (_, key, page, entry) = order.remove(ppn as usize % order.len());
                    store.rerank(entry, class);
                    order.insert(place(&order), (class, key, page, entry));
                } else {
                    let at = place(&order);
                    let full = order.len() == bound as usize;
                    prop_assert_eq!(store.would_take(class), !(full && at == order.len()));
                    match store.offer(fingerprint, ppn, class) {
                        Offered::Refused => prop_assert!(full && at == order.len()),
                        Offered::Taken { entry, evicted } => {
                            prop_assert_eq!(evicted, full);
                            if let Some((_, _, page, entry)) = order.pop_if(|_| full) {
                                prop_assert!(!store.is_of(entry, page));
                            }
                            prop_assert!(store.is_of(entry, ppn));
                            order.insert(at, (class, key, ppn, entry));
                        }
                    }
                }
                prop_assert!(store.count() <= bound as usize);
                prop_assert_eq!(store.count(), order.len());
                for key in 0..6 {
                    let found: Vec<_> = store.matches(key).iter().flat_map(|found| found.entries()).map(|entry| store.page(entry)).collect();
                    let own = order.iter().filter(|&&(_, other, ..)| other == key & mask);
                    let expected: Vec<_> = own.map(|&(_, _, page, _)| page).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
