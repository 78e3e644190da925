//! What a replay may tell of pages that come soon, so that they are in the cache when they come. No effect on results.

use crate::Lpn;
use crate::fingerprint::Fingerprint;
use crate::ftl::Ftl;

impl Ftl {
    /// Tells the processor that a logical page will soon be looked up; no effect on results.
    #[inline]
    pub fn prefetch(&self, lpn: u64) {
        self.core.map.prefetch(lpn);
    }

    /// Tells a recycling scheme the same, and what will be written there, if it is a write of known content.
    #[inline]
    pub fn prefetch_names(&self, lpn: u64, content: Option<Fingerprint>) {
        self.core.recycle.prefetch_names(lpn, content);
    }

    /// As [`prefetch_names`](Self::prefetch_names), nearer to the look-up: what the scheme knows of the page's present place.
    #[inline]
    pub fn prefetch_pages(&self, lpn: u64) {
        if lpn < u64::from(self.core.map.logical_pages()) {
            self.core.recycle.prefetch_pages(lpn as Lpn, self.core.map.find(lpn as Lpn));
        }
    }

    /// As [`prefetch_pages`](Self::prefetch_pages), still nearer to a write or trim: what the scheme knows of the contents that come
    /// and go.
    #[inline]
    pub fn prefetch_matches(&self, lpn: u64, content: Option<Fingerprint>) {
        if lpn < u64::from(self.core.map.logical_pages()) {
            self.core.recycle.prefetch_matches(self.core.map.find(lpn as Lpn), content);
        }
    }
}
