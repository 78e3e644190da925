//! Valid pages, counted by unit and by pool, and how many a pool may have.

use std::ops::Range;

use crate::address::{Pool, Slot, Unit};
use crate::cache_hints::hint;
use crate::state::units::low_then_high::Fill;
use crate::state::units::pool::PoolEntry;
use crate::state::units::{UnitEntry, UnitState, Units};

impl Units {
    /// A slot of the unit became valid.
    #[inline]
    pub fn valid_added(&mut self, unit: Unit) {
        let most = self.slots(unit);
        let unit = &mut self.units[unit.index()];
        debug_assert!(!matches!(unit.state, UnitState::Free | UnitState::Retired), "{unit:?}");
        debug_assert!(unit.valid < most, "{unit:?} has {most} slots");
        unit.valid += 1;
        self.clock += 1;
        self.pools[unit.pool.index()].valid += 1;
    }

    /// Whether an invalid page may become valid where it lies: not in a unit that is free, being
    /// emptied or failing, not where the open unit will still be written, and not where cleaning
    /// would lose the spare space that it works with.
    pub fn may_revive(&self, unit: Unit, slot: Slot) -> bool {
        let UnitEntry { pool, state, fill, .. } = self.units[unit.index()];
        let pool = &self.pools[pool.index()];
        let is_written = match state {
            UnitState::Closed => true,
            // Otherwise slots are not written in the order of their numbers.
            UnitState::Open if fill == Fill::All => {
                pool.all_open().any(|open| open.unit == unit && slot < Slot(open.next_slot))
            }
            UnitState::Open => false,
            UnitState::Free | UnitState::Reopened | UnitState::Condemned | UnitState::Retired => false,
        };
        is_written && pool.takes_writes()
    }

    /// An invalid slot of the unit became valid again.
    pub fn valid_revived(&mut self, unit: Unit) {
        self.valid_added(unit);
        let UnitEntry { valid, queue, state, .. } = self.units[unit.index()];
        if state == UnitState::Closed {
            self.victims.recount(unit, queue, valid, self.clock);
        }
        self.may_program_more(unit, 0);
    }

    /// A slot of the unit became invalid.
    #[inline(never)] // Within the way of every page there are too few registers for it.
    pub fn valid_removed(&mut self, unit: Unit) {
        let state = &mut self.units[unit.index()];
        debug_assert!(state.valid > 0, "unit {unit} holds no page");
        debug_assert!(!matches!(state.state, UnitState::Free | UnitState::Retired), "unit {unit}: {state:?}");
        state.valid -= 1;
        let (valid, queue) = (state.valid, state.queue);
        self.pools[state.pool.index()].valid -= 1;
        if state.state == UnitState::Closed {
            self.victims.recount(unit, queue, valid, self.clock);
        }
    }

    /// Bytes that the states of units take, for as much of them as every write changes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.units.as_slice()) + self.victims.bytes()
    }

    /// Brings what changes when a slot of the unit becomes invalid into the cache.
    #[inline]
    pub(crate) fn hint(&self, unit: Unit) {
        hint(&self.units, unit.index());
        self.victims.hint(unit);
    }

    /// A valid page moved from a unit under cleaning to another unit of the same pool.
    #[inline]
    pub fn valid_moved(&mut self, from: Unit, to: Unit) {
        self.valid_moved_together(from, to, 1);
    }

    /// As [`valid_moved`](Self::valid_moved), of several pages.
    #[inline]
    pub(crate) fn valid_moved_together(&mut self, from: Unit, to: Unit, pages: u32) {
        debug_assert_ne!(from, to, "a page moves to another unit");
        debug_assert!(self.units[from.index()].valid >= pages, "unit {from} holds fewer than {pages} pages");
        debug_assert_eq!(self.units[to.index()].state, UnitState::Open, "unit {to} takes pages");
        self.units[from.index()].valid -= pages;
        self.units[to.index()].valid += pages;
    }

    /// A valid page moved from a unit under cleaning to a unit of any pool.
    pub fn valid_moved_anywhere(&mut self, from: Unit, to: Unit) {
        self.valid_moved(from, to);
        let (from, to) = (self.units[from.index()].pool, self.units[to.index()].pool);
        self.pools[from.index()].valid -= 1;
        self.pools[to.index()].valid += 1;
    }

    /// Pages that the host may keep valid in all pools together.
    pub fn valid_limit(&self) -> u64 {
        self.pools.iter().map(|pool| u64::from(pool.valid_limit)).sum()
    }

    /// Whether the host may write to a pool, or whether it is full of valid pages.
    #[inline]
    pub fn takes_writes(&self, pool: Pool) -> bool {
        self.pools[pool.index()].takes_writes()
    }

    /// Pages that the host may keep valid in some pools together; `None` where one of them is full
    /// of them.
    #[inline]
    pub(crate) fn limit_of_takers(&self, pools: Range<Pool>) -> Option<u64> {
        let pools = &self.pools[pools.start.index()..pools.end.index()];
        let limit = |pool: &PoolEntry| pool.takes_writes().then_some(u64::from(pool.valid_limit));
        pools.iter().try_fold(0, |sum, pool| limit(pool).map(|limit| sum + limit))
    }

    /// Valid pages of a pool.
    pub fn pool_valid(&self, pool: Pool) -> u32 {
        self.pools[pool.index()].valid
    }

    /// Valid slots of a unit.
    pub fn valid(&self, unit: Unit) -> u32 {
        self.units[unit.index()].valid
    }
}
