//! What is known of each physical page beside its owner: the fingerprint in its spare area, its place on the list of its logical
//! page, its entry in the store, and the class of its probability.
//!
//! Almost everything that happens to a page asks for all of it, so that it lies in half a cache line.

use super::probability::Class;
use crate::fingerprint::Fingerprint;
use crate::map::prefetch;
use crate::{Lpn, NONE, Ppn};

/// Bytes of the model for each slot.
pub(super) const MODEL_BYTES_PER_SLOT: u64 = 33;

/// What belongs together of a page.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
struct Page {
    /// 0 where the content is not known.
    fingerprint: Fingerprint,
    link: Link,
    /// Its latest entry in the store, or [`NONE`]; the store knows whether it still has it.
    entry: u32,
}

/// The place of a page on the list of the invalid pages that its logical page left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct Link {
    /// The page that the logical page left behind next; [`NONE`] at the head.
    pub newer: Ppn,
    /// The page that it had left behind before.
    pub older: Ppn,
    /// Whose list it is; [`NONE`] for a page that is on none.
    pub lpn: Lpn,
}

impl Link {
    /// On no list.
    pub const UNLISTED: Link = Link { newer: NONE, older: NONE, lpn: NONE };
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Pages {
    pages: Vec<Page>,
    classes: Vec<Class>,
}

impl Pages {
    /// Blank pages.
    pub fn new(slots: u32) -> Pages {
        let blank = Page { fingerprint: 0, link: Link::UNLISTED, entry: NONE };
        Pages { pages: vec![blank; slots as usize], classes: vec![0; slots as usize] }
    }

    /// Brings what is known of a page, if there is one, into the cache.
    #[inline]
    pub(super) fn prefetch(&self, ppn: Ppn) {
        prefetch(&self.pages, ppn as usize);
    }

    /// Brings the class of a page, if there is one, into the cache.
    #[inline]
    pub(super) fn prefetch_class(&self, ppn: Ppn) {
        prefetch(&self.classes, ppn as usize);
    }

    /// The fingerprint of a page's content.
    #[inline]
    pub(super) fn fingerprint(&self, ppn: Ppn) -> Option<Fingerprint> {
        Some(self.pages[ppn as usize].fingerprint).filter(|&fingerprint| fingerprint != 0)
    }

    /// As [`fingerprint`](Self::fingerprint), if there is such a page.
    #[inline]
    pub(super) fn fingerprint_if_any(&self, ppn: Ppn) -> Option<Fingerprint> {
        self.pages.get(ppn as usize).map(|page| page.fingerprint)
    }

    /// Notes the content of a page. A digest of 0 counts as 1, since 0 stands for an unknown content.
    #[inline]
    pub(super) fn set_fingerprint(&mut self, ppn: Ppn, fingerprint: Option<Fingerprint>) {
        self.pages[ppn as usize].fingerprint = fingerprint.unwrap_or(0);
    }

    /// The place of a page on a list.
    #[inline]
    pub fn link(&self, ppn: Ppn) -> Link {
        self.pages[ppn as usize].link
    }

    /// The place of a page on a list, to change it.
    #[inline]
    pub fn link_mut(&mut self, ppn: Ppn) -> &mut Link {
        &mut self.pages[ppn as usize].link
    }

    /// Whether nothing is known of a page but that it exists.
    #[inline]
    pub(super) fn is_blank(&self, ppn: Ppn) -> bool {
        let page = &self.pages[ppn as usize];
        page.fingerprint == 0 && page.link.lpn == NONE
    }

    /// Whether there is such a page.
    #[inline]
    pub(super) fn contains(&self, ppn: Ppn) -> bool {
        (ppn as usize) < self.pages.len()
    }

    /// The latest entry of a page in the store; [`NONE`] if it never had one.
    #[inline]
    pub(super) fn entry(&self, ppn: Ppn) -> u32 {
        self.pages[ppn as usize].entry
    }

    /// Notes the entry of a page.
    #[inline]
    pub(super) fn set_entry(&mut self, ppn: Ppn, entry: u32) {
        self.pages[ppn as usize].entry = entry;
    }

    /// The class of an invalid page's probability; 0 for all others.
    #[inline]
    pub(super) fn class(&self, ppn: Ppn) -> Class {
        self.classes[ppn as usize]
    }

    /// Notes the class of a page.
    #[inline]
    pub(super) fn set_class(&mut self, ppn: Ppn, class: Class) {
        self.classes[ppn as usize] = class;
    }
}

const _: () = assert!(size_of::<Page>() == 32);
