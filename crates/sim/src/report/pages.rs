//! Flash pages programmed and read by cause, and logical pages that were moved.

use rewear_ftl::Counters;
use rewear_ftl::state::counters as counted;
use schemars::JsonSchema;
use serde::Serialize;

/// Flash pages programmed, by cause.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PagesProgrammed {
    /// For the host.
    pub host: u64,
    /// Moved by cleaning or wear levelling.
    pub moved: u64,
    /// Rewritten to be read more cheaply.
    pub rewritten: u64,
    /// For the drive's own use: summaries, log, checkpoints.
    pub metadata: u64,
    /// All of these.
    pub total: u64,
}

impl PagesProgrammed {
    pub(super) fn new(programmed: &counted::Programmed) -> PagesProgrammed {
        let &counted::Programmed { host, moved, rewritten, metadata } = programmed;
        PagesProgrammed { host, moved, rewritten, metadata, total: programmed.total() }
    }
}

/// Flash pages read, by cause.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PagesRead {
    /// For the host.
    pub host: u64,
    /// To move them.
    pub moved: u64,
    /// Because the host wrote a part of a page.
    pub read_modify_write: u64,
    /// Because a code had to know what the cells hold.
    pub before_write: u64,
    /// To rewrite them.
    pub rewritten: u64,
    /// Summaries.
    pub metadata: u64,
    /// All of these.
    pub total: u64,
}

impl PagesRead {
    pub(super) fn new(read: &counted::PagesRead) -> PagesRead {
        let &counted::PagesRead { host, moved, read_modify_write, before_write, rewritten, metadata } = read;
        let total = read.total();
        PagesRead { host, moved, read_modify_write, before_write, rewritten, metadata, total }
    }
}

/// Logical pages that changed their place without the host.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MoveReport {
    /// Logical pages moved: by cleaning, by wear levelling, and off erase units that are to be
    /// retired.
    pub pages_moved: u64,
    /// Logical pages rewritten to be read more cheaply.
    pub pages_rewritten: u64,
    /// Of the pages moved, those moved by wear levelling.
    pub pages_levelled: u64,
    /// Of the pages moved, those moved in idle time.
    pub pages_moved_idle: u64,
}

impl MoveReport {
    pub(super) fn new(counters: &Counters) -> MoveReport {
        MoveReport {
            pages_moved: counters.pages_moved,
            pages_rewritten: counters.pages_rewritten,
            pages_levelled: counters.pages_levelled,
            pages_moved_idle: counters.pages_moved_idle,
        }
    }
}
