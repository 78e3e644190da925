//! Contents of valid pages, for deduplication (Chen, Luo, Zhang: CAFTL, FAST '11).

use super::index::{Digest, Index};
use super::pages::Pages;
use crate::address::Ppn;
use crate::host::fingerprint::Fingerprint;

/// Bytes of the model for each valid page: its part of a bucket of the index.
pub(super) const MODEL_BYTES_PER_PAGE: u64 = 16;

/// Which valid page holds a content. Bounded by the valid pages; CAFTL bounds its index further and
/// finds less.
///
/// Where two valid pages hold the same content (one of them was written while it could not be
/// compared), the later is known. Contents are those of [`Pages`], so a page must be added after
/// its content is noted there and removed before it is forgotten.
#[derive(Debug, Clone)]
pub(super) struct LivePages {
    page_of: Index,
}

impl LivePages {
    pub(super) fn new() -> LivePages {
        LivePages { page_of: Index::with_room(0) }
    }

    /// Brings the cells of a content into the cache.
    #[inline]
    pub(super) fn hint(&self, fingerprint: Fingerprint) {
        self.page_of.hint(Digest::of(fingerprint));
    }

    /// The page became valid.
    pub(super) fn add(&mut self, pages: &Pages, fingerprint: Fingerprint, ppn: Ppn) {
        let (digest, content_of) = (Digest::of(fingerprint), |other: u32| pages[Ppn(other)].fingerprint);
        match self.page_of.find(digest, |other| content_of(other) == fingerprint) {
            Some(place) => self.page_of.replace(place, ppn.0),
            None => self.page_of.insert(digest, ppn.0, content_of),
        }
    }

    /// The page is no longer valid.
    pub(super) fn remove(&mut self, fingerprint: Fingerprint, ppn: Ppn) {
        let digest = Digest::of(fingerprint);
        if let Some(place) = self.page_of.find(digest, |other| other == ppn.0) {
            self.page_of.remove(digest, place);
        }
    }

    /// The content of a valid page moved to another page, and is noted there only.
    pub(super) fn moved(&mut self, pages: &Pages, fingerprint: Fingerprint, from: Ppn, to: Ppn) {
        let (digest, content_of) = (Digest::of(fingerprint), |other: u32| pages[Ppn(other)].fingerprint);
        match self.page_of.find(digest, |other| other == from.0 || content_of(other) == fingerprint) {
            Some(place) => self.page_of.replace(place, to.0),
            None => self.page_of.insert(digest, to.0, content_of),
        }
    }

    /// A valid page with this content.
    pub(super) fn find(&self, pages: &Pages, fingerprint: Fingerprint) -> Option<Ppn> {
        let is_it = |other| pages[Ppn(other)].fingerprint == fingerprint;
        let place = self.page_of.find(Digest::of(fingerprint), is_it)?;
        Some(Ppn(self.page_of.at(place)))
    }
}
