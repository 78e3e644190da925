//! What becomes of a unit that cleaning takes.

/// What becomes of a unit that cleaning takes. Said before its valid pages are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReclaimDecision {
    /// Its valid pages are moved, and it is erased.
    Erase,
    /// Its valid pages are moved, and it is written again without an erase.
    Reopen,
    /// As `Reopen`, but slots of it may refuse a write, so cleaning cannot rely on it as a place for pages.
    ReopenUncertain,
    /// Its valid pages stay; the other slots are written again.
    ReopenInPlace,
    /// Its valid pages stay; the others take second writes.
    ReopenForGroups,
    /// Its valid pages stay; the pages that are still erased are written.
    Seal,
}
