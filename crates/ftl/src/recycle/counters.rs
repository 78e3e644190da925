//! What a recycling scheme counts.

use schemars::JsonSchema;
use serde::Serialize;

/// Counters since the last reset. All count logical pages unless they say otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecycleCounters {
    /// Host writes whose content was looked up in the store.
    pub lookups: u64,
    /// Look-ups that found an invalid page with the content, which was revived.
    pub hits: u64,
    /// Of these, writes of the very content that their logical page held already.
    pub hits_in_place: u64,
    /// Matches by a digest (or of worn cells) that turned out to be of other content.
    pub false_matches: u64,
    /// Matches that could not be revived where they lie: in a unit that is being emptied, or in
    /// another plane.
    pub unavailable_matches: u64,
    /// Fingerprint comparisons of a scan in the store's order that ends at the match, summed over
    /// all hits. Reports give their mean.
    #[serde(skip)]
    pub comparisons: u64,
    /// Pages that entered the store.
    pub insertions: u64,
    /// Entries that a full store gave up for better ones.
    pub evictions: u64,
    /// Pages that a full store did not take.
    pub rejections: u64,
    /// Pages put to the head of the store because a logical neighbour was recycled.
    pub fast_loads: u64,
    /// Pages in the store that cleaning erased or gave back for writing.
    pub lost_to_cleaning: u64,
    /// Entries of the store now.
    pub entries: u64,
    /// The most entries that the store ever held.
    pub most_entries: u64,
}
