//! Flash pages programmed and read by cause, and logical pages that were moved.

use rewear_ftl::Counters;
use rewear_ftl::state::counters as counted;
use serde::Serialize;

/// Flash pages programmed, by cause.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PagesProgrammed {
    pub host: u64,
    pub moved: u64,
    pub rewritten: u64,
    pub metadata: u64,
    pub total: u64,
}

impl PagesProgrammed {
    pub(super) fn new(programmed: &counted::Programmed) -> PagesProgrammed {
        let &counted::Programmed { host, moved, rewritten, metadata } = programmed;
        PagesProgrammed { host, moved, rewritten, metadata, total: programmed.total() }
    }
}

/// Flash pages read, by cause.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs)]
pub struct PagesRead {
    pub host: u64,
    pub moved: u64,
    pub read_modify_write: u64,
    pub before_write: u64,
    pub rewritten: u64,
    pub verification: u64,
    pub metadata: u64,
    pub total: u64,
}

impl PagesRead {
    pub(super) fn new(read: &counted::PagesRead) -> PagesRead {
        let &counted::PagesRead {
            host,
            moved,
            read_modify_write,
            before_write,
            rewritten,
            verification,
            metadata,
        } = read;
        let total = read.total();
        PagesRead { host, moved, read_modify_write, before_write, rewritten, verification, metadata, total }
    }
}

/// Logical pages that changed their place without the host.
#[derive(Debug, Clone, Serialize)]
pub struct MoveReport {
    /// Logical pages moved: by cleaning, by wear levelling, and off erase units that are to be retired.
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
