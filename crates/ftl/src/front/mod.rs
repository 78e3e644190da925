//! The front of a drive: what a host asks, and what the drive says of itself.
//!
//! The way of a write, file by file: [`requests`] (what the host asks), [`buffer`] (behind a write
//! buffer), [`write`] (the three questions), [`answer`] (must it be written at all?). Then the
//! [`Cleaner`] finds a slot and the [`Hand`] programs it. A [`read`] is shorter. Data flows one way:
//! the front has a cleaner and a hand, the cleaner works on the hand, and the hand knows neither.

mod answer;
mod audit;
mod buffer;
mod bytes;
mod cache_hints;
mod figures;
mod handle_update;
mod idle;
mod map_journal;
mod mount;
mod new_drive;
mod overwrite;
mod read;
mod requests;
mod rewrite;
mod slc_cache;
mod write;

use std::collections::VecDeque;

use crate::address::Lpn;
use crate::cleaning::Cleaner;
use crate::front::map_journal::MapJournal;
use crate::hand::Hand;
use crate::hand::path::Path;
use crate::host::write_buffer::WriteBuffer;

/// A drive: flash, map and one scheme for each question.
///
/// Operations take the time at which they are asked for, in nanoseconds, and return the time at
/// which they end.
#[derive(Debug, Clone)]
pub struct Ftl {
    hand: Hand,
    cleaner: Cleaner,
    write_buffer: Option<Box<WriteBuffer>>,
    /// Pages that wait for idle time to be rewritten.
    rewriting: VecDeque<Lpn>,
    /// What `ftl.metadata_share` adds to programs of data.
    map_journal: Option<MapJournal>,
    /// Whether host reads and writes have anything to do before they come to the three questions.
    has_front: bool,
    /// Who has a say in host writes.
    path: Path,
    /// Who has a say in how they are programmed, in slots that others found for them.
    program_path: Path,
    /// Erases of each block when the counters were last reset.
    erases_before: Vec<u32>,
    reprograms_before: u64,
    unfinished_before: f64,
}

#[cfg(test)]
impl Ftl {
    /// For tests of policies, which fill units by hand.
    pub(crate) fn hand(&mut self) -> &mut Hand {
        &mut self.hand
    }
}
