//! The life of a unit: free, open, closed, cleaned, free again; condemned and retired.

use crate::address::{Pool, Unit};
use crate::state::units::low_then_high::Fill;
use crate::state::units::pool::Open;
use crate::state::units::stream::Stream;
use crate::state::units::{UnitState, Units};

impl Units {
    /// Closes the open unit of a stream, which makes it a candidate for cleaning, and returns
    /// it.
    pub fn close(&mut self, pool: Pool, stream: Stream) -> Option<Unit> {
        let index = self.stream(stream);
        let none = Open::none(self.slots_per_unit);
        let Open { unit, .. } = std::mem::replace(self.pools[pool.index()].open_mut(index), none);
        if unit.is_none() {
            return None;
        }
        self.enlist(unit);
        Some(unit)
    }

    /// As [`close`](Self::close), of a unit that is begun and not full: it has no summary, and its
    /// slots wait for the next erase. Returns the unit, and how many wait.
    pub(crate) fn close_unfilled(&mut self, pool: Pool, stream: Stream) -> Option<(Unit, u32)> {
        let open = self.pools[pool.index()].open(self.stream(stream));
        let left = open.end.saturating_sub(open.next_slot);
        if open.next_slot == 0 || left == 0 {
            return None;
        }
        Some((self.close(pool, stream)?, left))
    }

    /// Puts a unit among the candidates for cleaning: one that was closed, or whose cleaning was
    /// broken off.
    pub fn enlist(&mut self, unit: Unit) {
        let most = self.slots(unit);
        let state = &mut self.units[unit.index()];
        debug_assert!(
            !matches!(state.state, UnitState::Closed | UnitState::Retired),
            "unit {unit}: {state:?}"
        );
        debug_assert!(state.valid <= most, "unit {unit}: {} of {most} slots valid", state.valid);
        state.state = UnitState::Closed;
        self.victims.insert(unit, state.queue, state.valid, self.clock);
        if let Some(index) = &mut self.programmable {
            index.insert(unit, state.queue, state.valid);
        }
    }

    /// Takes a unit from among the candidates for cleaning.
    fn delist(&mut self, unit: Unit) {
        self.victims.remove(unit);
        if let Some(index) = &mut self.programmable {
            index.remove(unit);
        }
    }

    /// The cleaning of a unit ended half way: its pages found no place, or stay for another reason.
    pub fn break_off(&mut self, unit: Unit) {
        if self.units[unit.index()].state == UnitState::Open {
            self.enlist(unit);
        }
    }

    /// Opens a free unit: wear levelling takes the most worn, everyone else the next. `None` if the
    /// pool has none.
    pub fn open(&mut self, pool: Pool, stream: Stream) -> Option<Unit> {
        let index = self.stream(stream);
        let free = &mut self.pools[pool.index()].free;
        let unit = if stream == Stream::Levelled { free.pop_most_worn()? } else { free.pop()? };
        debug_assert!(self.is_free(unit), "unit {unit} lies among the free ones");
        debug_assert_eq!(self.valid(unit), 0, "unit {unit} is free");
        self.fill_as(unit, index, if stream == Stream::Overwrite { Fill::Low } else { Fill::All });
        Some(unit)
    }

    /// Opens a closed unit with only low pages written, for its high pages: it is
    /// sealed.
    pub fn open_sealed(&mut self, unit: Unit, stream: Stream) {
        debug_assert!(self.is_closed(unit), "unit {unit} is sealed");
        debug_assert_eq!(self.fill(unit), Fill::Low, "unit {unit} is sealed");
        self.delist(unit);
        self.fill_as(unit, self.stream(stream), Fill::High);
    }

    /// Makes a unit the open one of a stream.
    pub(super) fn fill_as(&mut self, unit: Unit, stream: usize, fill: Fill) {
        let end = self.fill_order.count(fill, self.slots(unit));
        let low_queues = if fill == Fill::Low { self.pools.len() as u32 } else { 0 };
        let state = &mut self.units[unit.index()];
        debug_assert!(
            !matches!(state.state, UnitState::Condemned | UnitState::Retired),
            "unit {unit} is in service: {state:?}"
        );
        debug_assert!(self.pools[state.pool.index()].open(stream).unit.is_none(), "a unit is open already");
        (state.state, state.fill, state.queue) = (UnitState::Open, fill, state.pool.0 + low_queues);
        state.stream = stream as u8;
        *self.pools[state.pool.index()].open_mut(stream) =
            Open { unit, next_slot: 0, stop_slot: end, run_end: end, end, fill };
    }

    /// Takes a victim out of the index; its valid pages are about to leave.
    pub fn begin_cleaning(&mut self, unit: Unit) {
        debug_assert!(self.is_closed(unit), "unit {unit} is a victim");
        self.delist(unit);
        self.units[unit.index()].state = UnitState::Open;
    }

    /// Takes a victim out of the index; its valid pages stay, and its invalid ones will be written
    /// again.
    pub fn begin_reopened_for_groups(&mut self, unit: Unit) {
        self.begin_cleaning(unit);
        self.pools[self.units[unit.index()].pool.index()].for_groups += 1;
    }

    /// Nothing more is written to such a unit: unless it is condemned, it is a candidate for cleaning
    /// again.
    pub fn end_reopened_for_groups(&mut self, unit: Unit) {
        self.pools[self.units[unit.index()].pool.index()].for_groups -= 1;
        self.break_off(unit);
    }

    /// Gives an emptied unit back for writing.
    pub fn release(&mut self, unit: Unit) {
        debug_assert_eq!(self.units[unit.index()].state, UnitState::Open, "unit {unit} was emptied");
        debug_assert_eq!(self.valid(unit), 0, "unit {unit} was emptied");
        if self.cache.is_some() {
            self.leave_cache(unit);
            if self.is_fixed_in_cache(unit) {
                return self.release_fixed(unit);
            }
        }
        let state = &mut self.units[unit.index()];
        let pool = &mut self.pools[state.pool.index()];
        let wear = &mut self.wear[unit.index()];
        pool.wear.used(*wear);
        *wear += 1;
        state.state = UnitState::Free;
        pool.free.push(unit, *wear);
    }

    /// A program failed on a unit: nothing more is written to it, and it is no candidate for
    /// cleaning.
    pub fn condemn(&mut self, unit: Unit) {
        let state = &mut self.units[unit.index()];
        debug_assert!(
            matches!(state.state, UnitState::Open | UnitState::Closed),
            "unit {unit} was programmed: {state:?}"
        );
        let (pool, before) = (state.pool, std::mem::replace(&mut state.state, UnitState::Condemned));
        if before == UnitState::Closed {
            self.delist(unit);
        }
        let none = Open::none(self.slots_per_unit);
        let streams = self.pools[pool.index()].all_open_mut();
        streams.filter(|open| open.unit == unit).for_each(|open| *open = none);
    }

    /// Takes an emptied unit out of service.
    pub fn retire(&mut self, unit: Unit) {
        if self.cache.is_some() {
            self.leave_cache(unit);
        }
        let is_fixed = self.is_fixed_in_cache(unit);
        let state = &mut self.units[unit.index()];
        debug_assert!(
            !matches!(state.state, UnitState::Retired | UnitState::Closed),
            "unit {unit} goes out of service once, and was emptied: {state:?}"
        );
        debug_assert_eq!(state.valid, 0, "unit {unit} holds pages");
        state.state = UnitState::Retired;
        self.retired += 1;
        if is_fixed {
            return;
        }
        let pool = &mut self.pools[state.pool.index()];
        pool.wear.left(self.wear[unit.index()]);
        pool.valid_limit = pool.valid_limit.saturating_sub(self.slots_per_unit);
    }
}
