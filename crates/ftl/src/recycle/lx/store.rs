//! The fingerprint store FS (section IV.C): a bounded set of invalid pages, found by their
//! fingerprints, whose worst makes way.
//!
//! An entry of the store is the page itself. The store's part lies with the rest of the page's
//! record ([`Pages`]), so that neither has to be asked for the other. Only an entry that makes way
//! leaves without a look at its page, which may be anywhere. The order knows its digest, and bits
//! of their own mark the pages in the store.

use super::bits::Bits;
use super::config::{LxConfig, Order};
use super::index::{Digest, Index};
use super::order::{Entry, Ranking};
use super::pages::{Marks, Page, Pages};
use super::probability::Class;
use crate::address::Ppn;
use crate::host::fingerprint::Fingerprint;

/// Entries that the index of a bounded store has room for from the beginning; a larger one grows
/// into its size.
const ROOM_AT_FIRST: usize = 1 << 18;

/// Entries of one key that a look-up tries: all of them, but for contents with hundreds of
/// invalid copies.
const MOST_TRIED: usize = 16;

/// Bytes of an entry in a drive, as the paper counts them: 16 of fingerprint, 4 of place, 4 of
/// probability.
pub const ENTRY_BYTES: u64 = 24;
/// Bytes of the model for each entry, about: its part of the index, and its places in the order.
pub const MODEL_BYTES_PER_ENTRY: u64 = 50;
/// Bytes of the model for each slot: its twins, and two bits.
pub const MODEL_BYTES_PER_SLOT: u64 = 9;

/// How far ahead those are looked at that leave a full store next. Some of them left already.
const OUT_AHEAD: usize = 8;

/// What became of a page that was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered {
    /// It is in the store now.
    Taken {
        /// Whether another one made way for it.
        evicted: bool,
    },
    /// The store is full of better ones.
    Refused,
}

/// Pages in the store with the same key: the one that joined before a page, and the one that joined
/// after it. Zero for a page without such a neighbour, so that its memory is never touched.
type Twins = [Ppn; 2];
const EARLIER: usize = 0;
const LATER: usize = 1;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Store {
    /// Of each key the page that joined last.
    index: Index,
    /// By page; the marks of the page say which of the two there are.
    twins: Vec<Twins>,
    /// A bit for each page in the store.
    stored: Bits,
    /// A bit for each of them that has twins.
    twinned: Bits,
    ranking: Ranking,
    count: usize,
    by_probability: bool,
    most_entries: usize,
}

impl Store {
    /// An empty store of pages below `slots`, whose order tells `classes` classes apart.
    pub fn new(config: &LxConfig, classes: usize, slots: u32) -> Store {
        let by_probability = config.order == Order::Probability;
        let most_entries = if config.entries == 0 { usize::MAX } else { config.entries as usize };
        let (classes, ties) = match config.order {
            Order::Lru => (1, super::config::Ties::NewestFirst),
            Order::Probability => (classes, config.ties),
        };
        Store {
            index: Index::with_room(config.entries.min(ROOM_AT_FIRST as u32) as usize),
            twins: vec![[Ppn(0); 2]; slots as usize],
            stored: Bits::new(slots),
            twinned: Bits::new(slots),
            ranking: Ranking::new(classes, ties),
            count: 0,
            by_probability,
            most_entries,
        }
    }

    /// Pages in the store.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether a page is in the store.
    #[inline]
    pub fn has(&self, ppn: Ppn) -> bool {
        self.stored.has(ppn)
    }

    /// Offers an invalid page. A full store takes it if it is better than its worst.
    pub fn offer(&mut self, pages: &mut Pages, ppn: Ppn) -> Offered {
        let mut evicted = false;
        if self.count >= self.most_entries {
            if self.ranking.would_be_last(self.rank_class(pages[ppn].class)) {
                return Offered::Refused;
            }
            evicted = self.evict(pages);
        }
        self.count += 1;
        self.stored.set(ppn);
        let digest = Digest::of(pages[ppn].fingerprint);
        self.link(pages, ppn, digest);
        self.enter_order(pages, Entry { ppn, digest });
        Offered::Taken { evicted }
    }

    /// Takes the last one of the order out, if there is one.
    #[inline]
    fn evict(&mut self, pages: &mut Pages) -> bool {
        let Some(Entry { ppn, digest }) = self.ranking.take_last() else { return false };
        self.forget(pages, ppn, digest);
        true
    }

    /// Takes a page out.
    pub fn remove(&mut self, pages: &mut Pages, ppn: Ppn) {
        self.leave_order(pages, ppn);
        self.forget(pages, ppn, Digest::of(pages[ppn].fingerprint));
    }

    #[inline]
    fn forget(&mut self, pages: &mut Pages, ppn: Ppn, digest: Digest) {
        self.count -= 1;
        self.stored.clear(ppn);
        if self.twinned.has(ppn) {
            return self.leave_twins(pages, ppn, digest);
        }
        if let Some(place) = self.index.find(digest, |other| other == ppn.0) {
            self.index.remove(digest, place);
        }
    }

    /// The probability of a page in the store changed, or it was loaded anew.
    pub fn rerank(&mut self, pages: &mut Pages, ppn: Ppn, class: Class) {
        self.leave_order(pages, ppn);
        pages[ppn].class = class;
        self.enter_order(pages, Entry { ppn, digest: Digest::of(pages[ppn].fingerprint) });
    }

    #[inline(always)]
    fn enter_order(&mut self, pages: &mut Pages, entry: Entry) {
        let class = self.rank_class(pages[entry.ppn].class);
        self.ranking.insert(entry, class, |page, stamp| pages[page].stamp = stamp);
    }

    #[inline(always)]
    fn leave_order(&mut self, pages: &Pages, ppn: Ppn) {
        let Page { class, stamp, .. } = pages[ppn];
        self.ranking.remove(self.rank_class(class), stamp);
    }

    /// Whether the order depends on probabilities.
    #[inline]
    pub fn ranks_by_probability(&self) -> bool {
        self.by_probability
    }

    /// Whether an invalid page of this class would be taken now.
    pub fn would_take(&mut self, class: Class) -> bool {
        let class = self.rank_class(class);
        self.count < self.most_entries || !self.ranking.would_be_last(class)
    }

    /// The rank of a page in the store: comparisons of a scan that ends with it.
    pub fn rank(&self, pages: &Pages, ppn: Ppn) -> u64 {
        let Page { class, stamp, .. } = pages[ppn];
        self.ranking.rank(self.rank_class(class), stamp)
    }

    /// The rank that a page of this class would have if it were added now.
    pub fn rank_of_new(&self, class: Class) -> u64 {
        self.ranking.rank_of_new(self.rank_class(class))
    }

    /// Brings what finds a fingerprint into the cache.
    #[inline]
    pub fn hint(&self, fingerprint: Fingerprint) {
        self.index.hint(Digest::of(fingerprint));
    }

    /// A page that a look-up may find, or page 0.
    #[inline]
    pub fn likely(&self, fingerprint: Fingerprint) -> Ppn {
        Ppn(self.index.likely(Digest::of(fingerprint)))
    }

    /// Brings into the cache what it takes to let those go that make way soon, if the store is
    /// full.
    #[inline]
    pub fn hint_next_out(&self) {
        if self.count >= self.most_entries
            && let Some(entry) = self.ranking.last_in(OUT_AHEAD)
        {
            self.index.hint(entry.digest);
        }
    }

    /// The page with the key of a fingerprint that joined last.
    #[inline]
    pub fn latest(&self, pages: &Pages, fingerprint: Fingerprint) -> Option<Ppn> {
        let place =
            self.index.find(Digest::of(fingerprint), |other| pages[Ppn(other)].fingerprint == fingerprint)?;
        Some(Ppn(self.index.at(place)))
    }

    /// The first page of the order with the key of a fingerprint; with `tried`, the first one
    /// behind that.
    #[inline]
    pub fn first_match(&self, pages: &Pages, fingerprint: Fingerprint, tried: Option<Ppn>) -> Option<Ppn> {
        let latest = self.latest(pages, fingerprint)?;
        if tried.is_none() && !self.twinned.has(latest) {
            return Some(latest);
        }
        self.first_of_twins(pages, latest, tried)
    }

    #[inline(never)]
    fn first_of_twins(&self, pages: &Pages, latest: Ppn, tried: Option<Ppn>) -> Option<Ppn> {
        let order_key =
            |ppn: Ppn| self.ranking.order_key(self.rank_class(pages[ppn].class), pages[ppn].stamp);
        let earlier =
            |&ppn: &Ppn| pages[ppn].marks.has(Marks::EARLIER_TWIN).then(|| self.twins[ppn.index()][EARLIER]);
        let behind = tried.map(order_key);
        std::iter::successors(Some(latest), earlier)
            .take(MOST_TRIED)
            .filter(|&ppn| behind.is_none_or(|behind| order_key(ppn) > behind))
            .min_by_key(|&ppn| order_key(ppn))
    }

    /// Whether order, index and twins know a page, for tests.
    pub(super) fn finds(&self, pages: &Pages, ppn: Ppn) -> bool {
        let Page { class, stamp, .. } = pages[ppn];
        let is_ranked = self.ranking.at(self.rank_class(class), stamp).is_some_and(|entry| entry.ppn == ppn);
        let has_twins = pages[ppn].marks.has(Marks::TWINS);
        let [earlier, later] = self.twins[ppn.index()];
        let is_linked = |mark: Marks, twin: Ppn, back: usize| {
            !pages[ppn].marks.has(mark) || self.has(twin) && self.twins[twin.index()][back] == ppn
        };
        let is_latest = self.latest(pages, pages[ppn].fingerprint) == Some(ppn);
        is_ranked
            && has_twins == self.twinned.has(ppn)
            && is_linked(Marks::EARLIER_TWIN, earlier, LATER)
            && is_linked(Marks::LATER_TWIN, later, EARLIER)
            && is_latest != pages[ppn].marks.has(Marks::LATER_TWIN)
    }

    #[inline]
    fn rank_class(&self, class: Class) -> Class {
        if self.by_probability { class } else { 0 }
    }

    #[inline(always)]
    fn link(&mut self, pages: &mut Pages, ppn: Ppn, digest: Digest) {
        let fingerprint = pages[ppn].fingerprint;
        let key_of = |other: u32| pages[Ppn(other)].fingerprint;
        match self.index.find(digest, |other| key_of(other) == fingerprint) {
            None => self.index.insert(digest, ppn.0, key_of),
            Some(place) => {
                let earlier = Ppn(self.index.at(place));
                self.index.replace(place, ppn.0);
                self.twins[ppn.index()][EARLIER] = earlier;
                self.twins[earlier.index()][LATER] = ppn;
                pages[ppn].marks.set(Marks::EARLIER_TWIN);
                pages[earlier].marks.set(Marks::LATER_TWIN);
                self.twinned.set(ppn);
                self.twinned.set(earlier);
            }
        }
    }

    /// A page leaves others with the same key.
    #[inline(never)]
    fn leave_twins(&mut self, pages: &mut Pages, ppn: Ppn, digest: Digest) {
        let (marks, [earlier, later]) = (pages[ppn].marks, self.twins[ppn.index()]);
        let (has_earlier, has_later) = (marks.has(Marks::EARLIER_TWIN), marks.has(Marks::LATER_TWIN));
        self.loses(pages, ppn, Marks::TWINS);
        if has_earlier {
            self.twins[earlier.index()][LATER] = later;
            if !has_later {
                self.loses(pages, earlier, Marks::LATER_TWIN);
            }
        }
        if has_later {
            self.twins[later.index()][EARLIER] = earlier;
            if !has_earlier {
                self.loses(pages, later, Marks::EARLIER_TWIN);
            }
        } else if let Some(place) = self.index.find(digest, |other| other == ppn.0) {
            self.index.replace(place, earlier.0);
        }
    }

    fn loses(&mut self, pages: &mut Pages, ppn: Ppn, twin: Marks) {
        pages[ppn].marks.clear(twin);
        if !pages[ppn].marks.has(Marks::TWINS) {
            self.twinned.clear(ppn);
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
        ) {
            let config = LxConfig {
                entries: bound,
                order: if lru { Order::Lru } else { Order::Probability },
                ties: if newest { Ties::NewestFirst } else { Ties::OldestFirst },
                ..LxConfig::default()
            };
            let (mut store, mut pages) = (Store::new(&config, 4, 300), Pages::new(300));
            // (class, key, page), the head first.
            let mut order: Vec<(u8, u128, u32)> = Vec::new();
            for (ppn, (fingerprint, class, what)) in (0u32..).zip(steps) {
                let class = if lru { 0 } else { class };
                let place = |order: &[(u8, u128, u32)]| order.partition_point(|&(other, ..)| {
                    if newest || lru { other > class } else { other >= class }
                });
                if what == 0 && !order.is_empty() {
                    let (.., page) = order.remove(ppn as usize % order.len());
                    store.remove(&mut pages, Ppn(page));
                } else if what == 1 && !order.is_empty() {
                    let (_, key, page) = order.remove(ppn as usize % order.len());
                    store.rerank(&mut pages, Ppn(page), class);
                    order.insert(place(&order), (class, key, page));
                } else {
                    let at = place(&order);
                    let full = order.len() == bound as usize;
                    prop_assert_eq!(store.would_take(class), !(full && at == order.len()));
                    (pages[Ppn(ppn)].fingerprint, pages[Ppn(ppn)].class) = (fingerprint, class);
                    match store.offer(&mut pages, Ppn(ppn)) {
                        Offered::Refused => prop_assert!(full && at == order.len()),
                        Offered::Taken { evicted } => {
                            prop_assert_eq!(evicted, full);
                            if let Some((.., page)) = order.pop_if(|_| full) {
                                prop_assert!(!store.has(Ppn(page)));
                            }
                            prop_assert!(store.has(Ppn(ppn)));
                            order.insert(at, (class, fingerprint, ppn));
                        }
                    }
                }
                prop_assert!(store.count() <= bound as usize);
                prop_assert_eq!(store.count(), order.len());
                for key in 0..6 {
                    let next = |tried| store.first_match(&pages, key, tried);
                    let found: Vec<_> = std::iter::successors(next(None), |&page| next(Some(page))).collect();
                    let own = order.iter().filter(|&&(_, other, _)| other == key);
                    let expected: Vec<_> = own.map(|&(.., page)| Ppn(page)).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
