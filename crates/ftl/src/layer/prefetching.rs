//! What a replay may tell of pages that come soon, so that they are in the cache when they come. No effect on results.

use crate::address::{Lpn, Ppn};
use crate::host::fingerprint::Fingerprint;
use crate::layer::Ftl;

impl Ftl {
    /// Tells the processor that a logical page will soon be looked up; no effect on results.
    #[inline]
    pub fn prefetch(&self, lpn: u64) {
        self.state.map.prefetch(lpn);
    }

    /// Tells a recycling scheme the same, and what will be written there, if it is a write of known content.
    #[inline]
    pub fn prefetch_keys(&self, lpn: u64, content: Option<Fingerprint>) {
        self.state.recycle.prefetch_keys(lpn, content);
    }

    /// As [`prefetch_keys`](Self::prefetch_keys), nearer to the look-up: what the scheme knows of the page's present place.
    #[inline]
    pub fn prefetch_pages(&self, lpn: u64) {
        if let Some(ppn) = self.present_place(lpn) {
            self.state.recycle.prefetch_pages(Lpn(lpn as u32), ppn);
        }
    }

    /// As [`prefetch_pages`](Self::prefetch_pages), still nearer to a write or trim: what the scheme knows of the content that goes, and
    /// which page may hold the one that comes.
    #[inline]
    pub fn prefetch_matches(&self, lpn: u64, content: Option<Fingerprint>) {
        if let Some(ppn) = self.present_place(lpn) {
            self.state.recycle.prefetch_left(ppn);
        }
        if let Some(content) = content {
            self.state.recycle.prefetch_match(content);
        }
    }

    #[inline]
    fn present_place(&self, lpn: u64) -> Option<Ppn> {
        let map = &self.state.map;
        let ppn = if lpn < u64::from(map.logical_pages()) { map.find(Lpn(lpn as u32)) } else { Ppn::NONE };
        ppn.is_some().then_some(ppn)
    }
}
