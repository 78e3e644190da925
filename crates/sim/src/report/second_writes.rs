//! The part of a report that only a drive with second writes has.

use rewear_ftl::Ftl;
use schemars::JsonSchema;
use serde::Serialize;

/// Second writes in a replay; quantities count logical pages unless they say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SecondWriteReport {
    /// Host writes programmed as second writes, each on two flash pages.
    pub written: u64,
    /// Host reads that read a second write.
    pub read: u64,
    /// Second writes that cleaning moved; they became first writes.
    pub moved: u64,
    /// Attempts to encode that failed.
    pub encoding_failures: u64,
    /// Host writes that became first writes because every attempt failed.
    pub fallbacks: u64,
    /// Flash pages read for a second write before it came; the rest of `pages_read.before_write`
    /// was waited for.
    pub pages_prefetched: u64,
    /// Recycled blocks at the end.
    pub recycled_blocks: u32,
    /// Reused blocks at the end.
    pub reused_blocks: u32,
    /// Most blocks that were recycled or reused at a time.
    pub most_blocks: u32,
}

impl SecondWriteReport {
    pub(crate) fn new(ftl: &Ftl) -> Option<SecondWriteReport> {
        let (counters, figures) = (ftl.counters(), ftl.second_write_figures()?);
        Some(SecondWriteReport {
            written: counters.second_writes,
            read: counters.second_writes_read,
            moved: counters.second_writes_moved,
            encoding_failures: counters.encoding_failures,
            fallbacks: counters.second_write_fallbacks,
            pages_prefetched: counters.pages_prefetched,
            recycled_blocks: figures.recycled_blocks,
            reused_blocks: figures.reused_blocks,
            most_blocks: figures.most_blocks,
        })
    }
}
