//! What a recycling scheme did, as reports show it.

use rewear_ftl::recycle::counters::RecycleCounters;
use schemars::JsonSchema;
use serde::Serialize;

/// Counts logical pages since the warm-up, unless stated otherwise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RecycleReport {
    /// Pages that requests wrote whose content the workload told.
    pub pages_with_known_content: u64,
    /// All pages that requests wrote.
    pub pages_written: u64,
    /// What the scheme counted.
    #[serde(flatten)]
    pub counters: RecycleCounters,
    /// Look-ups that found nothing.
    pub misses: u64,
    /// Mean rank of the matching entry in the store's order: the comparisons of a scan. Absent
    /// without a hit.
    pub comparisons_per_hit: Option<f64>,
}

impl RecycleReport {
    pub(crate) fn new(counters: RecycleCounters, (known, written): (u64, u64)) -> RecycleReport {
        RecycleReport {
            pages_with_known_content: known,
            pages_written: written,
            counters,
            misses: counters.lookups - counters.hits,
            comparisons_per_hit: (counters.hits > 0)
                .then(|| counters.comparisons as f64 / counters.hits as f64),
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
