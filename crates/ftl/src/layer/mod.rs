//! The translation layer: what schemes and policies decide, it does.
//!
//! The way of a write, file by file: [`front`] (the buffer), [`write`] (the three questions),
//! [`answer`] (must it be written at all?), [`place`] and `group_write` (where?), [`prepare`] (its
//! cells), [`program`] (mode, cells, array, counter), [`bind`] (the map). A [`read`] is shorter.
//! What happens where no unit has room is in [`cleaning`](crate::cleaning).

mod answer;
mod audit;
mod bind;
pub(crate) mod buffers;
mod bytes;
mod cache_hints;
pub(crate) mod cause;
mod fast_path;
mod figures;
mod flash;
mod front;
mod gather;
mod group_flash;
mod group_write;
mod handle_update;
mod map_journal;
mod new_drive;
mod overwrite;
pub(crate) mod path;
mod place;
mod prepare;
mod program;
mod read;
mod refusals;
mod rewrite;
mod rewrite_queue;
pub(crate) mod scrambler;
mod slc_cache;
pub(crate) mod stored;
mod write;

use crate::address::{Lpn, Slot};
use crate::cleaning::nested::Collecting;
use crate::cleaning::read_ahead::ReadAhead;
use crate::cleaning::under_way::UnderWay;
use crate::effort::Effort;
use crate::host::write_buffer::WriteBuffer;
use crate::layer::buffers::Buffers;
use crate::layer::map_journal::MapJournal;
use crate::layer::path::Path;
use crate::layer::refusals::Refusals;
use crate::layer::rewrite_queue::RewriteQueue;
use crate::policies::background::Background;
use crate::policies::slc_cache::SlcCache;
use crate::policies::streams::Streams;
use crate::policies::victim::VictimPolicy;
use crate::recovery::log::Log;
use crate::recycle::Recycle;
use crate::reuse::Reuse;
use crate::state::State;

/// A drive: flash, map and one scheme for each question.
///
/// Operations take the time at which they are asked for, in nanoseconds, and return the time at
/// which they end.
#[derive(Debug, Clone)]
pub struct Ftl {
    pub(crate) state: State,
    pub(crate) recycle: Recycle,
    pub(crate) reuse: Reuse,
    pub(crate) effort: Effort,
    pub(crate) buffers: Buffers,
    pub(crate) refusals: Refusals,
    pub(crate) victim: VictimPolicy,
    pub(crate) streams: Streams,
    pub(crate) slc_cache: Option<SlcCache>,
    /// See [`crate::policies::wear_levelling`]: the spread of wear that is tolerated.
    pub(crate) spread_passes: Option<u32>,
    pub(crate) background: Option<Background>,
    pub(crate) read_ahead: ReadAhead,
    /// Work space: the valid pages of a victim with their owners.
    pub(crate) leaving: Vec<(Slot, Lpn)>,
    pub(crate) collecting: Collecting,
    /// What each pool is cleaning in the present idle time; see [`crate::cleaning`].
    pub(crate) under_way: Vec<Option<UnderWay>>,
    pub(crate) write_buffer: Option<Box<WriteBuffer>>,
    pub(crate) rewriting: RewriteQueue,
    /// Where changes that program no page are noted (see [`crate::recovery`]).
    pub(crate) log: Option<Box<Log>>,
    /// What `ftl.metadata_share` adds to programs of data.
    pub(crate) map_journal: Option<MapJournal>,
    /// Whether host reads and writes have anything to do before they come to the three questions.
    pub(crate) has_front: bool,
    /// Who has a say in host writes.
    pub(crate) path: Path,
    /// Erases of each block when the counters were last reset.
    pub(crate) erases_before: Vec<u32>,
    pub(crate) reprograms_before: u64,
    pub(crate) programmed_before: u64,
    pub(crate) unfinished_before: f64,
}
