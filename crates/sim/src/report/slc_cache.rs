//! What the cache of cells with one bit each did.

use rewear_ftl::Ftl;
use schemars::JsonSchema;
use serde::Serialize;

/// The cache of `ftl.slc_cache`, in bytes of logical pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SlcCacheReport {
    /// Host writes that went to the cache.
    pub bytes_cached: u64,
    /// Host writes that went past the cache, because it was full.
    pub bytes_direct: u64,
    /// What was moved from the cache to cells with all of their bits. The rest of what was cached
    /// died there, or lies there yet.
    pub bytes_folded: u64,
    /// Erase units of the cache that were emptied.
    pub folds: u64,
    /// Of these, units that were emptied in idle time.
    pub idle_folds: u64,
    /// Blocks that were erased while their cells held one bit each.
    pub erases: u64,
}

impl SlcCacheReport {
    /// `None` on a drive without a cache.
    pub(super) fn new(ftl: &Ftl) -> Option<SlcCacheReport> {
        if !ftl.has_slc_cache() {
            return None;
        }
        let (counters, page) = (ftl.counters(), u64::from(ftl.layout().logical_page_bytes));
        Some(SlcCacheReport {
            bytes_cached: counters.pages_cached * page,
            bytes_direct: counters.writes_past_cache * page,
            bytes_folded: counters.pages_folded * page,
            folds: counters.folds,
            idle_folds: counters.idle_folds,
            erases: counters.cached_erases,
        })
    }
}
