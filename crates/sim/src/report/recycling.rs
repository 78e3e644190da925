//! What a recycling scheme did, as reports show it.

use rewear_ftl::recycle::counters::RecycleCounters;
use schemars::JsonSchema;
use serde::Serialize;

/// Counts logical pages since the warm-up, unless stated otherwise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecycleReport {
    /// Pages that requests wrote (warm-up included) whose content the workload told.
    pub pages_with_known_content: u64,
    /// All pages that requests wrote (warm-up included).
    pub pages_written: u64,
    /// Writes whose content was looked up in the store.
    pub lookups: u64,
    /// Look-ups answered by an invalid page.
    pub hits: u64,
    /// Look-ups that found nothing.
    pub misses: u64,
    /// Hits by the page that the write replaced.
    pub hits_in_place: u64,
    /// Matches whose content turned out to be another.
    pub false_matches: u64,
    /// Matches that could not be revived where they lie.
    pub unavailable_matches: u64,
    /// Mean rank of the matching entry in the store's order: the comparisons of a scan. Absent without a hit.
    pub comparisons_per_hit: Option<f64>,
    /// Pages that entered the store.
    pub insertions: u64,
    /// Entries that a full store gave up for better ones.
    pub evictions: u64,
    /// Pages that a full store did not take.
    pub rejections: u64,
    /// Pages loaded to the head of the store because a logical neighbour was recycled.
    pub fast_loads: u64,
    /// Pages in the store whose content cleaning destroyed.
    pub lost_to_cleaning: u64,
    /// Entries of the store at the end.
    pub entries: u64,
    /// The most entries that the store held.
    pub most_entries: u64,
}

impl RecycleReport {
    pub(crate) fn new(counters: &RecycleCounters, (known, written): (u64, u64)) -> RecycleReport {
        RecycleReport {
            pages_with_known_content: known,
            pages_written: written,
            lookups: counters.lookups,
            hits: counters.hits,
            misses: counters.lookups - counters.hits,
            hits_in_place: counters.hits_in_place,
            false_matches: counters.false_matches,
            unavailable_matches: counters.unavailable_matches,
            comparisons_per_hit: (counters.hits > 0)
                .then(|| counters.comparisons as f64 / counters.hits as f64),
            insertions: counters.insertions,
            evictions: counters.evictions,
            rejections: counters.rejections,
            fast_loads: counters.fast_loads,
            lost_to_cleaning: counters.lost_to_cleaning,
            entries: counters.entries,
            most_entries: counters.most_entries,
        }
    }

    /// What a reader of the figures must know.
    pub(crate) fn note(&self) -> Option<String> {
        let unknown = self.pages_written - self.pages_with_known_content;
        // A few partial writes are in every trace.
        (unknown * 10 > self.pages_written).then(|| {
            format!(
                "The content of {unknown} of {} pages written is not known (the workload does not tell it, or a part of a page was written); \
                 each counted as content never seen before, so less was recycled than with real data.",
                self.pages_written
            )
        })
    }
}
