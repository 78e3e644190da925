//! What is known of each physical page beside its owner: the fingerprint in its spare area, its entry in the store, and
//! the class of its probability.

use super::probability::Class;
use crate::fingerprint::Fingerprint;
use crate::map::prefetch;
use crate::{NONE, Ppn};

/// Bytes of the model for each slot.
pub(super) const MODEL_BYTES_PER_SLOT: u64 = 21;

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Pages {
    /// 0 where the content is not known.
    fingerprints: Vec<Fingerprint>,
    /// Entry in the store, plus 1; 0 for none.
    entries: Vec<u32>,
    classes: Vec<Class>,
}

impl Pages {
    /// Blank pages.
    pub(super) fn new(slots: u32) -> Pages {
        let slots = slots as usize;
        Pages { fingerprints: vec![0; slots], entries: vec![0; slots], classes: vec![0; slots] }
    }

    /// Brings what is known of a page into the cache.
    #[inline]
    pub(super) fn prefetch(&self, ppn: Ppn) {
        prefetch(&self.fingerprints, ppn as usize);
        prefetch(&self.entries, ppn as usize);
        prefetch(&self.classes, ppn as usize);
    }

    /// The fingerprint of a page's content.
    #[inline]
    pub(super) fn fingerprint(&self, ppn: Ppn) -> Option<Fingerprint> {
        Some(self.fingerprints[ppn as usize]).filter(|&fingerprint| fingerprint != 0)
    }

    /// Notes the content of a page. A digest of 0 counts as 1, since 0 stands for an unknown content.
    #[inline]
    pub(super) fn set_fingerprint(&mut self, ppn: Ppn, fingerprint: Option<Fingerprint>) {
        self.fingerprints[ppn as usize] = fingerprint.unwrap_or(0);
    }

    /// The entry of a page in the store; [`NONE`] if it has none.
    #[inline]
    pub(super) fn entry(&self, ppn: Ppn) -> u32 {
        self.entries[ppn as usize].wrapping_sub(1)
    }

    /// Notes the entry of a page, or [`NONE`].
    #[inline]
    pub(super) fn set_entry(&mut self, ppn: Ppn, entry: u32) {
        self.entries[ppn as usize] = entry.wrapping_add(1);
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

const _: () = assert!(NONE.wrapping_add(1) == 0);
