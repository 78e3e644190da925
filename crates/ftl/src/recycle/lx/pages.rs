//! The record of each physical page beside its owner. It has the fingerprint, which the paper keeps
//! in the page's metadata, the place on the list of its logical page, the place in the store's
//! order, the count of accesses, and the class of its probability.
//!
//! Almost everything that happens to a page asks for all of it, so that it lies in half a cache
//! line.

use std::ops::{Index, IndexMut};

use super::probability::Class;
use crate::address::Ppn;
use crate::cache_hints::hint;
use crate::host::fingerprint::Fingerprint;
use crate::state::table::table;

/// Bytes of the model for each slot.
pub(super) const MODEL_BYTES_PER_SLOT: u64 = size_of::<Page>() as u64;

/// What is known of one page.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct Page {
    /// Digest of its content; 0 where that is not known.
    pub(super) fingerprint: Fingerprint,
    /// The page that its logical page left behind next; [`NONE`] at the head of the list.
    pub(super) newer: Ppn,
    /// The page that its logical page had left behind before.
    pub(super) older: Ppn,
    /// Its place in the store's order; of no meaning for a page that is not in the store.
    pub(super) stamp: u32,
    /// The class of an invalid page's probability; 0 for all others.
    pub(super) class: Class,
    /// How often it was accessed, where pages are counted and not contents.
    pub(super) accesses: u8,
    pub(super) marks: Marks,
}

/// Pages in a cache line.
pub(super) const PER_CACHE_LINE: usize = 64 / size_of::<Page>();

const _: () = assert!(PER_CACHE_LINE == 2);

impl Page {
    const BLANK: Page = Page {
        fingerprint: 0,
        newer: Ppn::NONE,
        older: Ppn::NONE,
        stamp: 0,
        class: 0,
        accesses: 0,
        marks: Marks(0),
    };

    /// Whether nothing is known of it but that it exists.
    #[inline]
    pub(super) fn is_blank(&self) -> bool {
        self.fingerprint == 0 && !self.marks.has(Marks::LISTED)
    }

    #[inline]
    pub(super) fn content(&self) -> Option<Fingerprint> {
        Some(self.fingerprint).filter(|&fingerprint| fingerprint != 0)
    }
}

/// What is true of a page: a set of the constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u8);

impl Marks {
    /// It is on the list of a logical page.
    pub(super) const LISTED: Marks = Marks(1);
    /// It was loaded by [`fast_loading`](super::fast_loading) and so counts as accessed most often.
    pub(super) const LOADED: Marks = Marks(2);
    /// A page with the same key joined the store before it, and is still there. Of a page that is
    /// in the store.
    pub(super) const EARLIER_TWIN: Marks = Marks(4);
    /// One joined after it.
    pub(super) const LATER_TWIN: Marks = Marks(8);
    /// The last two.
    pub(super) const TWINS: Marks = Marks(4 | 8);
    /// It may be in the front of a list: it was, since it joined the list.
    pub(super) const IN_FRONT: Marks = Marks(16);
    /// This, and that it is on a list at all.
    pub(super) const LISTED_IN_FRONT: Marks = Marks(1 | 16);

    /// Whether any of `others` is set.
    #[inline]
    pub(super) fn has(self, others: Marks) -> bool {
        self.0 & others.0 != 0
    }

    #[inline]
    pub(super) fn set(&mut self, others: Marks) {
        self.0 |= others.0;
    }

    #[inline]
    pub(super) fn clear(&mut self, others: Marks) {
        self.0 &= !others.0;
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Pages(Vec<Page>);

impl Pages {
    /// Blank pages.
    pub fn new(slots: u32) -> Pages {
        Pages(table(Page::BLANK, slots as usize))
    }

    /// Brings what is known of a page, if there is one, into the cache.
    #[inline]
    pub(super) fn hint(&self, ppn: Ppn) {
        hint(&self.0, ppn.index());
    }

    /// The content of a page; 0 where it is not known, or there is no such page.
    #[inline]
    pub(super) fn content_of(&self, ppn: Ppn) -> Fingerprint {
        self.0.get(ppn.index()).map_or(0, |page| page.fingerprint)
    }

    /// Forgets everything.
    #[inline]
    pub(super) fn blank(&mut self, ppn: Ppn) {
        self[ppn] = Page::BLANK;
    }
}

impl Index<Ppn> for Pages {
    type Output = Page;

    #[inline]
    fn index(&self, ppn: Ppn) -> &Page {
        &self.0[ppn.index()]
    }
}

impl IndexMut<Ppn> for Pages {
    #[inline]
    fn index_mut(&mut self, ppn: Ppn) -> &mut Page {
        &mut self.0[ppn.index()]
    }
}
