//! How often a page, or its content, was accessed (the accessing table AT, section IV.B), up to 15.

use super::config::Popularity;
use super::index::Index;
use super::probability::MOST;
use crate::fingerprint::Fingerprint;
use crate::map::prefetch;
use crate::{NONE, Ppn};

/// Counts accesses by page or by content.
#[derive(Debug, Clone)]
pub enum Accesses {
    /// One byte of the model a slot (4 bits in a drive).
    OfPage(Vec<u8>),
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

/// A content of which at least one physical page holds a copy.
#[derive(Debug, Clone, Copy)]
struct Value {
    key: Fingerprint,
    pages: u32,
    accesses: u8,
}

impl Values {
    #[inline]
    fn of(&self, ppn: Ppn) -> Option<&Value> {
        self.values.get(self.of_page[ppn as usize] as usize)
    }

    #[inline]
    fn access(&mut self, ppn: Ppn) {
        if let Some(value) = self.values.get_mut(self.of_page[ppn as usize] as usize) {
            value.accesses = (value.accesses + 1).min(MOST);
        }
    }

    fn join(&mut self, ppn: Ppn, key: Fingerprint) {
        if let Some(place) = self.index.find(key, |number| self.values[number as usize].key == key) {
            let number = self.index.at(place);
            self.of_page[ppn as usize] = number;
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
        self.index.insert(key, number);
        self.of_page[ppn as usize] = number;
    }

    fn leave(&mut self, ppn: Ppn) {
        let number = std::mem::replace(&mut self.of_page[ppn as usize], NONE);
        let Some(value) = self.values.get_mut(number as usize) else { return };
        value.pages -= 1;
        if value.pages == 0 {
            if let Some(place) = self.index.find(value.key, |other| other == number) {
                self.index.remove(place);
            }
            self.free.push(number);
        }
    }
}

impl Accesses {
    /// Bytes of the model for each slot, where contents are counted: value, cells of the index, number.
    pub const MODEL_BYTES_PER_VALUE: u64 = 52;

    /// Nothing accessed yet.
    pub fn new(popularity: Popularity, slots: u32) -> Accesses {
        match popularity {
            Popularity::PageReads => Accesses::OfPage(vec![0; slots as usize]),
            Popularity::ValueAccesses => Accesses::OfValue(Values {
                values: Vec::new(),
                free: Vec::new(),
                index: Index::with_room(0),
                of_page: vec![NONE; slots as usize],
            }),
        }
    }

    /// Brings what tells the count of a page into the cache.
    #[inline]
    pub fn prefetch(&self, ppn: Ppn) {
        match self {
            Accesses::OfPage(counts) => prefetch(counts, ppn as usize),
            Accesses::OfValue(values) => prefetch(&values.of_page, ppn as usize),
        }
    }

    /// Brings what finds the count of a content into the cache.
    #[inline]
    pub fn prefetch_value(&self, fingerprint: Fingerprint) {
        if let Accesses::OfValue(values) = self {
            values.index.prefetch(fingerprint);
        }
    }

    /// Brings the count of the content of a page into the cache, whose number is there.
    #[inline]
    pub fn prefetch_value_of(&self, ppn: Ppn) {
        if let Accesses::OfValue(values) = self
            && let Some(&number) = values.of_page.get(ppn as usize)
        {
            prefetch(&values.values, number as usize);
        }
    }

    /// A page was programmed with a content.
    #[inline]
    pub fn programmed(&mut self, ppn: Ppn, fingerprint: Fingerprint) {
        match self {
            Accesses::OfPage(counts) => counts[ppn as usize] = 0,
            Accesses::OfValue(values) => values.join(ppn, fingerprint),
        }
    }

    /// The host read a page.
    #[inline]
    pub fn read(&mut self, ppn: Ppn) {
        match self {
            Accesses::OfPage(counts) => {
                let count = &mut counts[ppn as usize];
                *count = (*count + 1).min(MOST);
            }
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
    pub fn moved(&mut self, from: Ppn, to: Ppn) {
        match self {
            Accesses::OfPage(counts) => counts[to as usize] = std::mem::take(&mut counts[from as usize]),
            Accesses::OfValue(values) => {
                values.of_page[to as usize] = std::mem::replace(&mut values.of_page[from as usize], NONE);
            }
        }
    }

    /// The content of a page is gone.
    #[inline]
    pub fn destroyed(&mut self, ppn: Ppn) {
        match self {
            Accesses::OfPage(counts) => counts[ppn as usize] = 0,
            Accesses::OfValue(values) => values.leave(ppn),
        }
    }

    /// Accesses of a page, or of the content that it holds; at most 15.
    #[inline]
    pub fn of(&self, ppn: Ppn) -> u8 {
        match self {
            Accesses::OfPage(counts) => counts[ppn as usize],
            Accesses::OfValue(values) => values.of(ppn).map_or(0, |value| value.accesses),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_count_their_own_reads_up_to_fifteen() {
        let mut accesses = Accesses::new(Popularity::PageReads, 4);
        accesses.programmed(1, 7);
        (0..20).for_each(|_| accesses.read(1));
        accesses.programmed(2, 7);
        accesses.answered(2);
        assert_eq!([accesses.of(1), accesses.of(2)], [15, 0]);
        accesses.moved(1, 3);
        assert_eq!([accesses.of(1), accesses.of(3)], [0, 15]);
        accesses.destroyed(3);
        assert_eq!(accesses.of(3), 0);
    }

    #[test]
    fn a_content_counts_reads_and_further_writes_while_a_page_holds_it() {
        let mut accesses = Accesses::new(Popularity::ValueAccesses, 4);
        accesses.programmed(1, 7);
        assert_eq!(accesses.of(1), 0);
        accesses.read(1);
        accesses.programmed(2, 7);
        accesses.answered(2);
        assert_eq!([accesses.of(1), accesses.of(2)], [3, 3]);
        accesses.destroyed(1);
        assert_eq!(accesses.of(2), 3);
        accesses.destroyed(2);
        accesses.programmed(3, 7);
        assert_eq!(accesses.of(3), 0);
    }
}
