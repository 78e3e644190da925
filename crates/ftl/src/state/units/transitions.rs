//! The life of a unit: free, open, closed, cleaned, free again; condemned and retired.

use crate::address::NONE;
use crate::state::units::fill::Fill;
use crate::state::units::pool::Open;
use crate::state::units::stream::Stream;
use crate::state::units::{UnitState, Units};

impl Units {
    /// Closes the full open unit of a stream, which makes it a candidate for cleaning, and returns it.
    pub fn close(&mut self, pool: u32, stream: Stream) -> Option<u32> {
        let index = self.stream(stream);
        let none = Open::none(self.slots_per_unit);
        let Open { unit, .. } = std::mem::replace(&mut self.pools[pool as usize].open[index], none);
        if unit == NONE {
            return None;
        }
        self.enlist(unit);
        Some(unit)
    }

    /// Puts a unit among the candidates for cleaning: one that was closed, or whose cleaning was broken off.
    pub fn enlist(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.state = UnitState::Closed;
        self.victims.insert(unit, state.queue, state.valid, self.clock);
    }

    /// The cleaning of a unit ended half way: its pages found no place, or stay for another reason.
    pub fn break_off(&mut self, unit: u32) {
        if self.units[unit as usize].state == UnitState::Open {
            self.enlist(unit);
        }
    }

    /// Opens a free unit: wear levelling takes the most worn, everyone else the next. `None` if the pool has none.
    pub fn open(&mut self, pool: u32, stream: Stream) -> Option<u32> {
        let index = self.stream(stream);
        let free = &mut self.pools[pool as usize].free;
        let unit = if stream == Stream::Levelled { free.pop_most_worn()? } else { free.pop()? };
        self.fill_as(unit, index, if stream == Stream::Overwrite { Fill::Low } else { Fill::All });
        Some(unit)
    }

    /// Opens a closed unit of which only the low pages are written, for its high pages: it is sealed.
    pub fn open_sealed(&mut self, unit: u32, stream: Stream) {
        self.victims.remove(unit);
        self.fill_as(unit, self.stream(stream), Fill::High);
    }

    /// Makes a unit the open one of a stream.
    pub(super) fn fill_as(&mut self, unit: u32, stream: usize, fill: Fill) {
        let end = self.fill_order.count(fill, self.slots(unit));
        let low_queues = if fill == Fill::Low { self.pools.len() as u32 } else { 0 };
        let state = &mut self.units[unit as usize];
        (state.state, state.fill, state.queue) = (UnitState::Open, fill, state.pool + low_queues);
        self.pools[state.pool as usize].open[stream] =
            Open { unit, next_slot: 0, stop_slot: end, run_end: end, end, fill };
    }

    /// A unit that was just opened has so many slots from now on.
    pub(crate) fn set_slots(&mut self, unit: u32, slots: u32) {
        self.slots[unit as usize] = slots;
        let pool = &mut self.pools[self.units[unit as usize].pool as usize];
        for open in pool.open.iter_mut().filter(|open| open.unit == unit) {
            (open.stop_slot, open.run_end, open.end) = (slots, slots, slots);
        }
    }

    /// Takes a victim out of the index; its valid pages are about to leave.
    pub fn begin_cleaning(&mut self, unit: u32) {
        self.victims.remove(unit);
        self.units[unit as usize].state = UnitState::Open;
    }

    /// Takes a victim out of the index; its valid pages stay, and its invalid ones will be written again.
    pub fn begin_reopened_for_groups(&mut self, unit: u32) {
        self.begin_cleaning(unit);
        self.pools[self.units[unit as usize].pool as usize].recycled += 1;
    }

    /// Nothing more is written to a recycled unit; unless it is condemned, it is a candidate for cleaning again.
    pub fn end_reopened_for_groups(&mut self, unit: u32) {
        self.pools[self.units[unit as usize].pool as usize].recycled -= 1;
        self.break_off(unit);
    }

    /// Gives an emptied unit back for writing.
    pub fn release(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        let pool = &mut self.pools[state.pool as usize];
        let wear = &mut self.wear[unit as usize];
        pool.wear.used(*wear);
        *wear += 1;
        state.state = UnitState::Free;
        pool.free.push(unit, *wear);
    }

    /// A program failed on a unit: nothing more is written to it, and it is no candidate for cleaning.
    pub fn condemn(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        if state.state == UnitState::Closed {
            self.victims.remove(unit);
        }
        state.state = UnitState::Condemned;
        let none = Open::none(self.slots_per_unit);
        let streams = self.pools[state.pool as usize].open.iter_mut();
        streams.filter(|open| open.unit == unit).for_each(|open| *open = none);
    }

    /// Takes an emptied unit out of service.
    pub fn retire(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.state = UnitState::Retired;
        let pool = &mut self.pools[state.pool as usize];
        pool.wear.left(self.wear[unit as usize]);
        pool.valid_limit = pool.valid_limit.saturating_sub(self.slots_per_unit);
        self.retired += 1;
    }
}
