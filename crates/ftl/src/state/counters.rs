//! What happened: one set of counters for every scheme.
//!
//! Physical quantities count flash pages, host quantities count logical pages. Conservation: the
//! programs by cause add up to the programs of the array, and the erases per block to `erases`.

use crate::state::events::Events;

/// Flash pages programmed, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Programmed {
    /// For a host write.
    pub host: u64,
    /// For a valid page that cleaning moved.
    pub moved: u64,
    /// Because a page was to be read more cheaply.
    pub rewritten: u64,
    /// For the translation layer's own records.
    pub metadata: u64,
}

/// Why a flash page is programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramCause {
    /// A host write.
    Host,
    /// A valid page was moved.
    Moved,
    /// A page was to be read more cheaply.
    Rewritten,
    /// The translation layer's own records.
    Metadata,
}

impl Programmed {
    #[inline(always)]
    pub(crate) fn by(&mut self, cause: ProgramCause) -> &mut u64 {
        match cause {
            ProgramCause::Host => &mut self.host,
            ProgramCause::Moved => &mut self.moved,
            ProgramCause::Rewritten => &mut self.rewritten,
            ProgramCause::Metadata => &mut self.metadata,
        }
    }

    /// All causes.
    pub fn total(&self) -> u64 {
        self.host + self.moved + self.rewritten + self.metadata
    }
}

/// Flash pages read, by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PagesRead {
    /// For a host read.
    pub host: u64,
    /// For a valid page that cleaning moved.
    pub moved: u64,
    /// Because a host write covered a part of a page only.
    pub read_modify_write: u64,
    /// The translation layer's own records.
    pub metadata: u64,
    /// Because a code must know what the cells hold before it writes them.
    pub before_write: u64,
    /// Because a page was to be rewritten in idle time. A rewrite right behind a host read needs
    /// none of its own.
    pub rewritten: u64,
}

impl PagesRead {
    /// All causes.
    pub fn total(&self) -> u64 {
        self.host + self.moved + self.read_modify_write + self.metadata + self.before_write + self.rewritten
    }
}

/// Counters since the last reset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Logical pages that the host read.
    pub host_pages_read: u64,
    /// Of these, pages that were never written or were trimmed: answered from the map without a
    /// flash operation.
    pub unmapped_pages_read: u64,
    /// Logical pages that the host wrote.
    pub host_pages_written: u64,
    /// Logical pages that the host trimmed.
    pub host_pages_trimmed: u64,
    /// Those that reports show as they are counted.
    pub events: Events,
    /// Erase units whose high pages were opened for writing while their low pages kept their data.
    pub seals: u64,
    /// Flash pages programmed.
    pub programmed: Programmed,
    /// Flash pages read.
    pub read: PagesRead,
    /// Logical pages moved: by cleaning, by wear levelling, and off units that are to be retired.
    pub pages_moved: u64,
    /// Of these, pages moved by wear levelling.
    pub pages_levelled: u64,
    /// Of these, pages moved in idle time.
    pub pages_moved_idle: u64,
    /// Logical pages rewritten to be read more cheaply.
    pub pages_rewritten: u64,
    /// Victims that cleaning took.
    pub garbage_collections: u64,
    /// Of these, victims that were finished in idle time.
    pub idle_collections: u64,
    /// Units of cold data that wear levelling emptied.
    pub levellings: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Of these, blocks of the cache (`ftl.slc_cache`).
    pub cached_erases: u64,
    /// Host writes that went to the cache.
    pub pages_cached: u64,
    /// Host writes that went past the cache, because it was full.
    pub writes_past_cache: u64,
    /// Logical pages moved (see `pages_moved`) out of the cache.
    pub pages_folded: u64,
    /// Units of the cache that were emptied.
    pub folds: u64,
    /// Of these, units that were emptied in idle time.
    pub idle_folds: u64,
    /// Of the blocks erased, blocks of the log of `ftl.recovery`.
    pub log_erases: u64,
    /// Erase units that cleaning gave back for writing without an erase.
    pub reopens: u64,
    /// Logical pages for which a slot did not take the data, so that another was written.
    pub writes_refused: u64,
    /// Valid pages of all victims, those included whose pages stay.
    pub victim_valid_pages: u64,
    /// Programs of second writes, each of two flash pages.
    pub second_writes: u64,
    /// Attempts to encode a second write that failed.
    pub encoding_failures: u64,
    /// Host writes that became first writes because every attempt failed.
    pub second_write_fallbacks: u64,
    /// Host reads of second writes.
    pub second_writes_read: u64,
    /// Pages moved (see `pages_moved`) that were second writes.
    pub second_writes_moved: u64,
    /// Flash pages read for a second write before it came.
    pub pages_prefetched: u64,
    /// Programs of logical pages that failed; they count under their cause, and the page was
    /// programmed once more elsewhere.
    pub program_failures: u64,
    /// Erases of blocks that failed.
    pub erase_failures: u64,
}
