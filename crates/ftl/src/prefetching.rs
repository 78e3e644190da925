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

    /// As [`prefetch`](Self::prefetch), nearer to the look-up: what a recycling scheme knows of the page's present place.
    #[inline]
    pub fn prefetch_place(&self, lpn: u64) {
        if lpn < u64::from(self.core.map.logical_pages()) {
            self.core.recycle.prefetch(lpn as Lpn, self.core.map.find(lpn as Lpn));
        }
    }

    /// As [`prefetch_place`](Self::prefetch_place), still nearer to a write or trim: what a recycling scheme knows of the contents
    /// that come and go.
    #[inline]
    pub fn prefetch_content(&self, lpn: u64, content: Option<Fingerprint>) {
        if lpn < u64::from(self.core.map.logical_pages()) {
            self.core.recycle.prefetch_content(lpn as Lpn, self.core.map.find(lpn as Lpn), content);
        }
    }

    /// As [`prefetch_content`](Self::prefetch_content), still nearer to a write: what may answer it.
    #[inline]
    pub fn prefetch_match(&self, content: Fingerprint) {
        self.core.recycle.prefetch_match(content);
    }
}
