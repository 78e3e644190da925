//! Erase units: their states, the pools they belong to, and where the next page goes.
//!
//! A unit is free, waiting to be written again with slots to be left out ([`reopened`]), open
//! (being written), closed (a candidate for cleaning), condemned (a program failed on it) or
//! retired (worn out or bad). Every pool keeps its free units ([`free_units`]) and one open unit a
//! stream.

mod audit;
mod cached;
mod candidates;
mod free_units;
mod fresh;
mod gc_threshold;
pub mod low_then_high;
mod next_slot;
mod pool;
mod programmable;
mod reopened;
pub(crate) mod restored;
pub mod stream;
mod stripe_order;
mod transitions;
pub mod valid_count_index;
mod validity;
mod wear;

use cached::CachedUnits;
use low_then_high::{Fill, FillOrder};
use pool::PoolEntry;
use programmable::ProgrammableIndex;

use crate::address::{Pool, Unit};
use crate::config::choices::Striping;
use crate::state::content_score::ContentScore;
use crate::state::units::stream::Stream;
use crate::state::units::stripe_order::StripeOrder;
use crate::state::units::valid_count_index::ValidCountIndex;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitState {
    Free,
    Reopened,
    Open,
    Closed,
    Condemned,
    Retired,
}

#[derive(Debug, Clone, Copy)]
struct UnitEntry {
    valid: u32,
    pool: Pool,
    /// Queue of victims that the unit is in when it is closed: that of its pool, or the one for
    /// units filled with low pages.
    queue: u32,
    state: UnitState,
    fill: Fill,
    /// Whose open unit it was last.
    stream: u8,
}

/// All erase units of a drive.
#[derive(Debug, Clone)]
pub struct Units {
    units: Vec<UnitEntry>,
    /// Times that each unit was emptied; apart from the rest, which every write touches.
    wear: Vec<u32>,
    pools: Vec<PoolEntry>,
    victims: ValidCountIndex,
    /// Kept where a scheme asks for it.
    programmable: Option<Box<ProgrammableIndex>>,
    fill_order: FillOrder,
    /// What erasing each unit would lose, as far as a recycling scheme knows.
    pub(crate) content_score: ContentScore,
    /// Slots of a unit outside the SLC cache.
    slots_per_unit: u32,
    /// Slots of each unit; empty where there is no SLC cache.
    slots: Vec<u32>,
    units_per_pool: u32,
    /// Free units that the host leaves alone.
    reserved_units: usize,
    /// See [`Reserve`](crate::shape::reserve::Reserve).
    needed_units: usize,
    counts_groups: bool,
    /// Whether the reserve is counted in slots, those of waiting units included.
    counts_waiting: bool,
    moved_stream: usize,
    /// Open units of a pool beside the usual ones, one a class of the placement policy.
    classes: u8,
    clock: u64,
    striping: Striping,
    visits: StripeOrder,
    /// The order in which moved pages go round the pools, where they may.
    moves: StripeOrder,
    retired: u32,
    /// Units whose cells hold one bit each, where some do.
    cache: Option<Box<CachedUnits>>,
    /// Index of their open unit.
    cache_index: u8,
}

impl Units {
    pub(crate) fn slots(&self, unit: Unit) -> u32 {
        self.slots.get(unit.index()).copied().unwrap_or(self.slots_per_unit)
    }

    /// With which of its slots a unit is filled.
    #[inline]
    pub fn fill(&self, unit: Unit) -> Fill {
        self.units[unit.index()].fill
    }

    /// Whether the pages of a unit may be programmed again in place: only its low pages are
    /// written, and none of its programs failed.
    #[inline]
    pub fn takes_programs_again(&self, unit: Unit) -> bool {
        let state = &self.units[unit.index()];
        state.fill == Fill::Low && matches!(state.state, UnitState::Open | UnitState::Closed)
    }

    /// The slots of a unit by the kind of their page.
    pub fn fill_order(&self) -> &FillOrder {
        &self.fill_order
    }

    /// The pool of a unit.
    #[inline]
    pub fn pool_of(&self, unit: Unit) -> Pool {
        self.units[unit.index()].pool
    }

    pub(crate) fn is_retired(&self, unit: Unit) -> bool {
        self.units[unit.index()].state == UnitState::Retired
    }

    pub(crate) fn is_free(&self, unit: Unit) -> bool {
        self.units[unit.index()].state == UnitState::Free
    }

    pub(crate) fn is_closed(&self, unit: Unit) -> bool {
        self.units[unit.index()].state == UnitState::Closed
    }

    /// Whose open unit a unit was last.
    pub fn last_stream(&self, unit: Unit) -> Stream {
        Stream::of_index(self.units[unit.index()].stream)
    }

    /// The classes of the placement policy that have open units of their own.
    pub(crate) fn classes(&self) -> impl DoubleEndedIterator<Item = Stream> + use<> {
        (0..self.classes).map(Stream::Class)
    }

    /// Index of the open unit that a stream writes to.
    pub(crate) fn stream_index(&self, stream: Stream) -> u8 {
        self.stream(stream) as u8
    }

    /// Units out of service.
    pub fn retired(&self) -> u32 {
        self.retired
    }

    /// Units of the drive.
    pub fn count(&self) -> u32 {
        self.units.len() as u32
    }

    #[inline]
    fn stream(&self, stream: Stream) -> usize {
        match stream {
            Stream::Moved => self.moved_stream,
            own => own.index(),
        }
    }
}
