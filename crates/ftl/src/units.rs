//! Erase units: their states, the pools they belong to, and where the next page goes.
//!
//! A unit is free, waiting to be written again with slots to be left out ([`reopened`]), open (being written), closed (a
//! candidate for cleaning), condemned (a program failed on it) or retired (worn out or bad). Every pool keeps its free units
//! ([`free`]) and one open unit a stream.

mod audit;
mod choice;
pub mod fill;
pub mod free;
mod fresh;
mod life;
mod next_slot;
mod pool;
mod reopened;
mod reserve;
pub(crate) mod restored;
mod validity;
mod wear;

use crate::config::Striping;
use crate::recycle::content_loss::ContentLoss;
use crate::victims::Victims;
use crate::visits::Visits;
use fill::{Fill, FillOrder};
use pool::Pool;

/// Who writes: separate streams may have separate open units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Host writes; where hot and cold data are told apart, of hot data.
    Host,
    /// Host writes of cold data.
    HostCold,
    /// Pages moved by cleaning.
    Moved,
    /// Pages moved by wear levelling.
    Levelled,
    /// Host writes to pages that will be programmed again in place.
    Overwrite,
}

const STREAMS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Reopened,
    Open,
    Closed,
    Condemned,
    Retired,
}

#[derive(Debug, Clone, Copy)]
struct Unit {
    valid: u32,
    pool: u32,
    /// Queue of victims that the unit is in when it is closed: that of its pool, or the one for units filled with low pages.
    queue: u32,
    state: State,
    fill: Fill,
}

/// All erase units of a drive.
#[derive(Debug, Clone)]
pub struct Units {
    units: Vec<Unit>,
    /// Times that each unit was emptied; apart from the rest, which every write touches.
    wear: Vec<u32>,
    pools: Vec<Pool>,
    victims: Victims,
    fill_order: FillOrder,
    /// What erasing each unit would lose, as far as a recycling scheme knows.
    pub(crate) loss: ContentLoss,
    /// Slots of a unit, the most where units differ.
    slots_per_unit: u32,
    /// Slots of a unit that any unit has.
    least_slots: u32,
    /// Slots of each unit; empty where all have as many.
    slots: Vec<u32>,
    units_per_pool: u32,
    /// Free units that the host leaves alone.
    reserved_units: usize,
    /// See [`Reserve`](crate::shape::Reserve).
    kept_units: usize,
    needed_units: usize,
    moved_stream: usize,
    clock: u64,
    striping: Striping,
    visits: Visits,
    /// The order in which moved pages go round the pools, where they may.
    moves: Visits,
    retired: u32,
}

impl Units {
    /// Slots of a unit.
    pub(crate) fn slots(&self, unit: u32) -> u32 {
        self.slots.get(unit as usize).copied().unwrap_or(self.slots_per_unit)
    }

    /// With which of its slots a unit is filled.
    #[inline]
    pub fn fill(&self, unit: u32) -> Fill {
        self.units[unit as usize].fill
    }

    /// Whether the pages of a unit may be programmed again in place: only its low pages are written, and none of its programs
    /// failed.
    #[inline]
    pub fn takes_programs_again(&self, unit: u32) -> bool {
        let state = &self.units[unit as usize];
        state.fill == Fill::Low && matches!(state.state, State::Open | State::Closed)
    }

    /// The slots of a unit by the kind of their page.
    pub fn fill_order(&self) -> &FillOrder {
        &self.fill_order
    }

    /// The pool of a unit.
    pub fn pool_of(&self, unit: u32) -> u32 {
        self.units[unit as usize].pool
    }

    /// Whether a unit is out of service.
    pub(crate) fn is_retired(&self, unit: u32) -> bool {
        self.units[unit as usize].state == State::Retired
    }

    /// Whether a unit is free.
    pub(crate) fn is_free(&self, unit: u32) -> bool {
        self.units[unit as usize].state == State::Free
    }

    /// Whether a unit waits to be cleaned.
    pub(crate) fn is_closed(&self, unit: u32) -> bool {
        self.units[unit as usize].state == State::Closed
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
            own => own as usize,
        }
    }
}
