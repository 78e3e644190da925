//! A pool of units: its open units, one a stream, and those that wait.

use std::collections::VecDeque;

use crate::address::Unit;
use crate::state::units::free_units::FreeUnits;
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::STREAMS;
use crate::state::units::wear::PoolWear;

/// Where a stream writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) unit: Unit,
    /// Slots are counted in the order of `fill`.
    pub(super) next_slot: u32,
    /// First slot that may not be taken before the cleaner was asked: behind the last one, or
    /// earlier.
    pub(super) stop_slot: u32,
    /// First slot that is not of the present run of slots to be written; in a unit without slots to
    /// be left out, behind the last one.
    pub(super) run_end: u32,
    /// Slots that are written in this round.
    pub(super) end: u32,
    pub(super) fill: Fill,
}

impl Open {
    pub(super) fn none(slots_per_unit: u32) -> Open {
        Open {
            unit: Unit::NONE,
            next_slot: slots_per_unit,
            stop_slot: slots_per_unit,
            run_end: slots_per_unit,
            end: slots_per_unit,
            fill: Fill::All,
        }
    }
}

/// A group of units that page allocation treats as one.
#[derive(Debug, Clone)]
pub(super) struct PoolEntry {
    pub(super) open: [Open; STREAMS],
    /// Open units of the classes of a placement policy.
    pub(super) open_by_class: Vec<Open>,
    pub(super) valid: u32,
    /// Units that were reopened for groups and still take their writes.
    pub(super) for_groups: usize,
    /// Valid pages at which host writes avoid the pool; shrinks with every retired unit.
    pub(super) valid_limit: u32,
    pub(super) free: FreeUnits,
    pub(super) reopened: VecDeque<Unit>,
    pub(super) wear: PoolWear,
    /// Where the search for the least worn unit continues.
    pub(super) search_from: u32,
}

impl PoolEntry {
    /// The open unit of a stream, by its index.
    #[inline]
    pub(super) fn open(&self, stream: usize) -> &Open {
        self.open.get(stream).unwrap_or_else(|| &self.open_by_class[stream - STREAMS])
    }

    /// As [`open`](Self::open), to be changed.
    #[inline]
    pub(super) fn open_mut(&mut self, stream: usize) -> &mut Open {
        match self.open.get_mut(stream) {
            Some(open) => open,
            None => &mut self.open_by_class[stream - STREAMS],
        }
    }

    /// All open units.
    pub(super) fn all_open(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().chain(&self.open_by_class)
    }

    /// As [`all_open`](Self::all_open), to be changed.
    pub(super) fn all_open_mut(&mut self) -> impl Iterator<Item = &mut Open> {
        self.open.iter_mut().chain(&mut self.open_by_class)
    }

    /// Valid pages that the host may add.
    #[inline]
    pub(super) fn room(&self) -> u32 {
        self.valid_limit.saturating_sub(self.valid)
    }

    #[inline]
    pub(super) fn takes_writes(&self) -> bool {
        self.valid < self.valid_limit
    }
}
