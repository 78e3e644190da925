//! How often a page, or its content, was accessed (the accessing table AT, section IV.B), up to 15.

use crate::address::Ppn;

use super::config::Popularity;
use super::index::{Digest, Index};
use super::pages::Pages;
use super::probability::MOST;
use crate::cache_hints::hint;
use crate::host::fingerprint::Fingerprint;
use crate::state::table::table;

/// No content.
const NONE: u32 = u32::MAX;

/// Counts accesses by page or by content.
#[derive(Debug, Clone)]
pub enum Accesses {
    /// With what else is known of a page (4 bits in a drive).
    OfPage,
    /// An entry for each content that lies on the flash, so the physical pages bound it, too.
    OfValue(Values),
}

/// The contents on the flash, and which page holds which.
#[derive(Debug, Clone)]
pub struct Values {
    values: Vec<Value>,
    free: Vec<u32>,
    index: Index,
    /// Number of the value of each page; [`NONE`] where nothing is known.
    of_page: Vec<u32>,
}

/// A content with a copy on at least one physical page.
#[derive(Debug, Clone, Copy)]
struct Value {
    key: Fingerprint,
    pages: u32,
    accesses: u8,
}

impl Values {
    #[inline]
    fn of(&self, ppn: Ppn) -> Option<&Value> {
        self.values.get(self.of_page[ppn.index()] as usize)
    }

    #[inline]
    fn access(&mut self, ppn: Ppn) {
        if let Some(value) = self.values.get_mut(self.of_page[ppn.index()] as usize) {
            value.accesses = (value.accesses + 1).min(MOST);
        }
    }

    fn join(&mut self, ppn: Ppn, key: Fingerprint) {
        if let Some(place) =
            self.index.find(Digest::of(key), |number| self.values[number as usize].key == key)
        {
            let number = self.index.at(place);
            self.of_page[ppn.index()] = number;
            self.values[number as usize].pages += 1;
            // The first write makes the content; every further one is an access of it.
            return self.access(ppn);
        }
        let value = Value { key, pages: 1, accesses: 0 };
        let number = match self.free.pop() {
            Some(number) => {
                self.values[number as usize] = value;
                number
            }
            None => {
                self.values.push(value);
                self.values.len() as u32 - 1
            }
        };
        self.index.insert(Digest::of(key), number, |other| self.values[other as usize].key);
        self.of_page[ppn.index()] = number;
    }

    fn leave(&mut self, ppn: Ppn) {
        let number = std::mem::replace(&mut self.of_page[ppn.index()], NONE);
        let Some(value) = self.values.get_mut(number as usize) else { return };
        value.pages -= 1;
        if value.pages == 0 {
            let digest = Digest::of(value.key);
            if let Some(place) = self.index.find(digest, |other| other == number) {
                self.index.remove(digest, place);
            }
            self.free.push(number);
        }
    }
}

impl Accesses {
    /// Bytes of the model for each slot, where contents are counted: value, its part of the index,
    /// number.
    pub const MODEL_BYTES_PER_VALUE: u64 = 52;

    /// Nothing accessed yet.
    pub fn new(popularity: Popularity, slots: u32) -> Accesses {
        match popularity {
            Popularity::PageReads => Accesses::OfPage,
            Popularity::ValueAccesses => Accesses::OfValue(Values {
                values: Vec::new(),
                free: Vec::new(),
                index: Index::with_room(0),
                of_page: table(NONE, slots as usize),
            }),
        }
    }

    /// Brings the number of the content of a page into the cache, where contents are counted.
    #[inline]
    pub fn hint(&self, ppn: Ppn) {
        if let Accesses::OfValue(values) = self {
            hint(&values.of_page, ppn.index());
        }
    }

    /// Brings what finds the count of a content into the cache.
    #[inline]
    pub fn hint_value(&self, fingerprint: Fingerprint) {
        if let Accesses::OfValue(values) = self {
            values.index.hint(Digest::of(fingerprint));
        }
    }

    /// Brings the count that a content probably has into the cache, whose place in the index is
    /// there.
    #[inline]
    pub fn hint_count(&self, fingerprint: Fingerprint) {
        if let Accesses::OfValue(values) = self {
            hint(&values.values, values.index.likely(Digest::of(fingerprint)) as usize);
        }
    }

    /// Brings the place in the index of the content of a page into the cache, whose count is there.
    #[inline]
    pub fn hint_key_of(&self, ppn: Ppn) {
        if let Accesses::OfValue(values) = self
            && let Some(value) = values.of(ppn)
        {
            values.index.hint(Digest::of(value.key));
        }
    }

    /// Brings the count of the content of a page into the cache, whose number is there.
    #[inline]
    pub fn hint_value_of(&self, ppn: Ppn) {
        if let Accesses::OfValue(values) = self
            && let Some(&number) = values.of_page.get(ppn.index())
        {
            hint(&values.values, number as usize);
        }
    }

    /// A page was programmed with a content.
    #[inline]
    pub fn programmed(&mut self, pages: &mut Pages, ppn: Ppn, fingerprint: Fingerprint) {
        match self {
            Accesses::OfPage => pages[ppn].accesses = 0,
            Accesses::OfValue(values) => values.join(ppn, fingerprint),
        }
    }

    /// The host read a page.
    #[inline]
    pub fn read(&mut self, pages: &mut Pages, ppn: Ppn) {
        match self {
            Accesses::OfPage => pages[ppn].accesses = (pages[ppn].accesses + 1).min(MOST),
            Accesses::OfValue(values) => values.access(ppn),
        }
    }

    /// A page answered a write of its content.
    #[inline]
    pub fn answered(&mut self, ppn: Ppn) {
        if let Accesses::OfValue(values) = self {
            values.access(ppn);
        }
    }

    /// The content of a page moved to another page, and its count with it.
    #[inline]
    pub fn moved(&mut self, pages: &mut Pages, from: Ppn, to: Ppn) {
        match self {
            Accesses::OfPage => pages[to].accesses = std::mem::take(&mut pages[from].accesses),
            Accesses::OfValue(values) => {
                values.of_page[to.index()] = std::mem::replace(&mut values.of_page[from.index()], NONE);
            }
        }
    }

    /// The content of a page is gone.
    #[inline]
    pub fn destroyed(&mut self, pages: &mut Pages, ppn: Ppn) {
        match self {
            Accesses::OfPage => pages[ppn].accesses = 0,
            Accesses::OfValue(values) => values.leave(ppn),
        }
    }

    /// Accesses of a page, or of the content that it holds; at most 15.
    #[inline]
    pub fn of(&self, pages: &Pages, ppn: Ppn) -> u8 {
        match self {
            Accesses::OfPage => pages[ppn].accesses,
            Accesses::OfValue(values) => values.of(ppn).map_or(0, |value| value.accesses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_their_own_reads_up_to_fifteen() {
        let (mut accesses, mut pages) = (Accesses::new(Popularity::PageReads, 4), Pages::new(4));
        accesses.programmed(&mut pages, Ppn(1), 7);
        (0..20).for_each(|_| accesses.read(&mut pages, Ppn(1)));
        accesses.programmed(&mut pages, Ppn(2), 7);
        accesses.answered(Ppn(2));
        assert_eq!([1, 2].map(|ppn| accesses.of(&pages, Ppn(ppn))), [15, 0]);
        accesses.moved(&mut pages, Ppn(1), Ppn(3));
        assert_eq!([1, 3].map(|ppn| accesses.of(&pages, Ppn(ppn))), [0, 15]);
        accesses.destroyed(&mut pages, Ppn(3));
        assert_eq!(accesses.of(&pages, Ppn(3)), 0);
    }

    #[test]
    fn a_content_counts_reads_and_further_writes_while_a_page_holds_it() {
        let (mut accesses, mut pages) = (Accesses::new(Popularity::ValueAccesses, 4), Pages::new(4));
        accesses.programmed(&mut pages, Ppn(1), 7);
        assert_eq!(accesses.of(&pages, Ppn(1)), 0);
        accesses.read(&mut pages, Ppn(1));
        accesses.programmed(&mut pages, Ppn(2), 7);
        accesses.answered(Ppn(2));
        assert_eq!([1, 2].map(|ppn| accesses.of(&pages, Ppn(ppn))), [3, 3]);
        accesses.destroyed(&mut pages, Ppn(1));
        assert_eq!(accesses.of(&pages, Ppn(2)), 3);
        accesses.destroyed(&mut pages, Ppn(2));
        accesses.programmed(&mut pages, Ppn(3), 7);
        assert_eq!(accesses.of(&pages, Ppn(3)), 0);
    }
}
