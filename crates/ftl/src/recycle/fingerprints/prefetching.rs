//! What will be asked for soon, brought into the cache; no effect on results.

use super::{Fingerprints, pages};
use crate::address::{Lpn, Ppn};
use crate::host::fingerprint::Fingerprint;

impl Fingerprints {
    /// Brings what finds the list of a logical page and the content to be written there into the cache.
    #[inline]
    pub fn prefetch_keys(&self, lpn: u64, content: Option<Fingerprint>) {
        self.history.prefetch(lpn);
        let Some(content) = content else { return };
        self.store.prefetch(content);
        self.accesses.prefetch_value(content);
        if let Some(live) = &self.live {
            live.prefetch(content);
        }
    }

    /// As [`prefetch_keys`](Self::prefetch_keys), nearer to the request: what is known of the present place of the page, and of the
    /// head of the list that it may join.
    #[inline]
    pub fn prefetch_pages(&self, lpn: Lpn, ppn: Ppn) {
        self.pages.prefetch(ppn);
        self.pages.prefetch(self.history.newest(lpn));
        self.accesses.prefetch(ppn);
    }

    /// As [`prefetch_pages`](Self::prefetch_pages), still nearer to a write or trim that leaves a page behind, which will be offered to
    /// the store.
    #[inline]
    pub fn prefetch_left(&self, ppn: Ppn) {
        self.store.prefetch(self.pages[ppn].fingerprint);
        self.accesses.prefetch_value_of(ppn);
    }

    /// Brings the page that may match a content to be written into the cache, for which its [keys](Self::prefetch_keys) must be there.
    #[inline]
    pub fn prefetch_match(&self, content: Fingerprint) {
        self.pages.prefetch(self.store.likely(content));
    }

    /// Brings what is known of some pages in a row into the cache.
    #[inline]
    pub fn prefetch_row(&self, first: Ppn, pages: u32) {
        Ppn::each(first..first + pages)
            .step_by(pages::PER_CACHE_LINE)
            .for_each(|ppn| self.pages.prefetch(ppn));
    }
}
