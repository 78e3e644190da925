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
    /// Host writes programmed as third writes, each on four flash pages; these four only on a drive
    /// that makes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third: Option<u64>,
    /// Host writes programmed as fourth writes, each on eight flash pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fourth: Option<u64>,
    /// Host reads that read a third or fourth write; `read` leaves them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further_read: Option<u64>,
    /// Third and fourth writes that cleaning moved; `moved` leaves them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further_moved: Option<u64>,
}

impl SecondWriteReport {
    pub(crate) fn new(ftl: &Ftl) -> Option<SecondWriteReport> {
        let (counters, figures) = (ftl.counters(), ftl.second_write_figures()?);
        let further = |count| figures.makes_further_writes.then_some(count);
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
            third: further(counters.further_writes[0]),
            fourth: further(counters.further_writes[1]),
            further_read: further(counters.further_writes_read),
            further_moved: further(counters.further_writes_moved),
        })
    }
}
