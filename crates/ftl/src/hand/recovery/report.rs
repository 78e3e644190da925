//! What a mount found, and why a drive cannot be mounted.

use rewear_flash::{Address, ConfigError};

use crate::address::Ppn;
use crate::error::FtlError;

/// What a mount found and read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MountReport {
    /// Programs and noted changes up to the checkpoint that the mount began with; 0 where there was
    /// none.
    pub checkpoint_sequence: u64,
    /// Programs and noted changes of the drive.
    pub sequence: u64,
    /// Changes that the journal noted behind the checkpoint.
    pub journal_changes: u64,
    /// Log pages read.
    pub log_pages_read: u64,
    /// Records read: spare areas of flash pages.
    pub records_read: u64,
    /// Erase units whose records were all read.
    pub units_scanned: u32,
    /// Logical pages that hold neither a whole program nor nothing.
    pub torn_pages: u64,
    /// Logical pages with an unreadable part although no program of it was under way.
    pub damaged_pages: u64,
    /// Whether the newest program turned out to be torn by its data alone.
    pub newest_was_torn: bool,
}

/// What a mount needs and finds damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damaged {
    /// A page of the journal or of a checkpoint.
    LogPage,
    /// The record of a page that was programmed since the checkpoint.
    Record,
}

impl std::fmt::Display for Damaged {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Damaged::LogPage => "a page of the drive's log",
            Damaged::Record => "the record of a page",
        })
    }
}

/// Why a drive cannot be mounted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MountError {
    /// The configuration cannot be, or is not that of the cells.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The mount itself could not write its checkpoint, or found damage.
    #[error("mounting: {0}")]
    Drive(#[from] FtlError),
    /// Something was programmed and cannot be read, and what it said is nowhere else.
    #[error(
        "{what} at {at} is damaged, and without it old data could pass for new. Nothing was changed; serve a copy of the \
         image from before the damage, or make the drive anew"
    )]
    Damaged {
        /// What.
        what: Damaged,
        /// Its first flash page.
        at: Address,
    },
    /// Two logical pages claim a physical page, or half of one is missing: the cells were not
    /// written by this translation layer.
    #[error("the records on the flash contradict each other about physical page {ppn}")]
    Contradiction {
        /// The page.
        ppn: Ppn,
    },
}
