//! How often a page, or its content, was accessed (the accessing table AT, section IV.B), up to 15.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::config::Popularity;
use super::probability::MOST;
use crate::Ppn;
use crate::fingerprint::Fingerprint;
use crate::map::prefetch;

/// A content of which at least one physical page holds a copy.
#[derive(Debug, Clone, Copy, Default)]
struct Value {
    accesses: u8,
    pages: u32,
}

/// Counts accesses by page or by content.
///
/// By page: one byte of the model a slot (4 bits in a drive). By content: an entry for each content that lies on the flash,
/// so the physical pages bound it, too.
#[derive(Debug, Clone)]
pub struct Accesses {
    /// Empty where contents are counted.
    of_page: Vec<u8>,
    of_value: Option<HashMap<Fingerprint, Value, FixedState>>,
}

impl Accesses {
    /// Nothing accessed yet.
    pub fn new(popularity: Popularity, slots: u32) -> Accesses {
        match popularity {
            Popularity::PageReads => Accesses { of_page: vec![0; slots as usize], of_value: None },
            Popularity::ValueAccesses => Accesses { of_page: Vec::new(), of_value: Some(HashMap::default()) },
        }
    }

    /// Brings the count of a page into the cache, where pages are counted.
    #[inline]
    pub fn prefetch(&self, ppn: Ppn) {
        prefetch(&self.of_page, ppn as usize);
    }

    /// A page was programmed with a content.
    #[inline]
    pub fn programmed(&mut self, ppn: Ppn, fingerprint: Fingerprint) {
        match &mut self.of_value {
            None => self.of_page[ppn as usize] = 0,
            Some(values) => {
                let value = values.entry(fingerprint).or_default();
                // The first write makes the content; every further one is an access of it.
                if value.pages > 0 {
                    value.accesses = (value.accesses + 1).min(MOST);
                }
                value.pages += 1;
            }
        }
    }

    /// The host read a page.
    #[inline]
    pub fn read(&mut self, ppn: Ppn, fingerprint: Fingerprint) {
        let count = match &mut self.of_value {
            None => self.of_page.get_mut(ppn as usize),
            Some(values) => values.get_mut(&fingerprint).map(|value| &mut value.accesses),
        };
        if let Some(count) = count {
            *count = (*count + 1).min(MOST);
        }
    }

    /// A page answered a write of its content.
    #[inline]
    pub fn answered(&mut self, fingerprint: Fingerprint) {
        if let Some(value) = self.of_value.as_mut().and_then(|values| values.get_mut(&fingerprint)) {
            value.accesses = (value.accesses + 1).min(MOST);
        }
    }

    /// The content of a page moved to another page, and its count with it.
    #[inline]
    pub fn moved(&mut self, from: Ppn, to: Ppn) {
        if self.of_value.is_none() {
            self.of_page[to as usize] = std::mem::take(&mut self.of_page[from as usize]);
        }
    }

    /// The content of a page is gone.
    #[inline]
    pub fn destroyed(&mut self, ppn: Ppn, fingerprint: Fingerprint) {
        match &mut self.of_value {
            None => self.of_page[ppn as usize] = 0,
            Some(values) => {
                let Some(value) = values.get_mut(&fingerprint) else { return };
                value.pages -= 1;
                if value.pages == 0 {
                    values.remove(&fingerprint);
                }
            }
        }
    }

    /// Accesses of a page, or of the content that it holds; at most 15.
    #[inline]
    pub fn of(&self, ppn: Ppn, fingerprint: Fingerprint) -> u8 {
        match &self.of_value {
            None => self.of_page[ppn as usize],
            Some(values) => values.get(&fingerprint).map_or(0, |value| value.accesses),
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
        (0..20).for_each(|_| accesses.read(1, 7));
        accesses.programmed(2, 7);
        accesses.answered(7);
        assert_eq!([accesses.of(1, 7), accesses.of(2, 7)], [15, 0]);
        accesses.moved(1, 3);
        assert_eq!([accesses.of(1, 7), accesses.of(3, 7)], [0, 15]);
        accesses.destroyed(3, 7);
        assert_eq!(accesses.of(3, 7), 0);
    }

    #[test]
    fn a_content_counts_reads_and_further_writes_while_a_page_holds_it() {
        let mut accesses = Accesses::new(Popularity::ValueAccesses, 4);
        accesses.programmed(1, 7);
        assert_eq!(accesses.of(1, 7), 0);
        accesses.read(1, 7);
        accesses.programmed(2, 7);
        accesses.answered(7);
        assert_eq!([accesses.of(1, 7), accesses.of(2, 7)], [3, 3]);
        accesses.destroyed(1, 7);
        assert_eq!(accesses.of(2, 7), 3);
        accesses.destroyed(2, 7);
        accesses.programmed(3, 7);
        assert_eq!(accesses.of(3, 7), 0);
    }
}
