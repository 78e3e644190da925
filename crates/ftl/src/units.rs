//! Erase units: their states, the pools they belong to, and where the next page goes.
//!
//! A unit is free, open (being written), closed (a candidate for cleaning) or retired (worn out). Every pool keeps a
//! queue of free units and one open unit a stream.

use std::collections::VecDeque;

use crate::config::Striping;
use crate::layout::Layout;
use crate::shape::Reserve;
use crate::victims::Victims;
use crate::visits::Visits;
use crate::{Lpn, NONE};

/// Who writes: separate streams may have separate open units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Host writes.
    Host,
    /// Pages moved by cleaning.
    Moved,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    Open,
    Closed,
    Retired,
}

#[derive(Debug, Clone, Copy)]
struct Unit {
    valid: u32,
    pool: u32,
    state: State,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    unit: u32,
    next_slot: u32,
    /// First slot that may not be taken before the cleaner was asked: behind the last one, or earlier.
    stop_slot: u32,
}

#[derive(Debug, Clone)]
struct Pool {
    free: VecDeque<u32>,
    open: [Open; 2],
    valid: u32,
    /// See [`Reserve::valid_limit`]; shrinks with every retired unit.
    valid_limit: u32,
}

impl Pool {
    #[inline]
    fn takes_writes(&self) -> bool {
        self.valid < self.valid_limit
    }
}

/// All erase units of a drive.
#[derive(Debug, Clone)]
pub struct Units {
    units: Vec<Unit>,
    pools: Vec<Pool>,
    victims: Victims,
    slots_per_unit: u32,
    reserved_units: usize,
    moved_stream: usize,
    striping: Striping,
    visits: Visits,
    retired: u32,
}

impl Units {
    /// All units free.
    pub fn new(layout: &Layout, reserve: &Reserve, striping: Striping, planes_per_die: u32) -> Units {
        let unit = |index: u32| Unit { valid: 0, pool: layout.pool_of(index), state: State::Free };
        let pool = |index: u32| Pool {
            free: (index * layout.units_per_pool..(index + 1) * layout.units_per_pool).collect(),
            open: [Open { unit: NONE, next_slot: layout.slots_per_unit, stop_slot: layout.slots_per_unit };
                2],
            valid: 0,
            valid_limit: reserve.valid_limit,
        };
        Units {
            units: (0..layout.units()).map(unit).collect(),
            pools: (0..layout.pools).map(pool).collect(),
            victims: Victims::new(layout.units(), layout.pools, layout.slots_per_unit),
            slots_per_unit: layout.slots_per_unit,
            reserved_units: reserve.free_units as usize,
            moved_stream: reserve.streams as usize - 1,
            striping,
            visits: Visits::new(layout, planes_per_die),
            retired: 0,
        }
    }

    /// The pool that takes a host write of a logical page, leaving out pools that are full of valid pages.
    #[inline]
    pub fn choose_pool(&mut self, lpn: Lpn) -> Option<u32> {
        match self.striping {
            Striping::Dynamic => {
                let (visits, pools) = (&mut self.visits, &self.pools);
                (0..pools.len()).map(|_| visits.next_pool()).find(|&pool| pools[pool as usize].takes_writes())
            }
            Striping::StaticDie => self.emptiest_pool_of_die(lpn % self.visits.dies),
        }
    }

    /// The pool of a die with the most free pages, round robin on ties.
    fn emptiest_pool_of_die(&mut self, die: u32) -> Option<u32> {
        let turn = self.visits.turn();
        let members = self.visits.pools_per_die;
        let free_pages = |pool: &u32| {
            let pool = &self.pools[*pool as usize];
            pool.free.len() as u32 * self.slots_per_unit + (self.slots_per_unit - pool.open[0].next_slot)
        };
        (0..members)
            .map(|step| die * members + (turn + step) % members)
            .filter(|&pool| self.pools[pool as usize].takes_writes())
            // The first of equals: `max_by_key` would give the last.
            .reduce(|best, pool| if free_pages(&pool) > free_pages(&best) { pool } else { best })
    }

    /// The next slot of a stream's open unit; `None` if there is no open unit or it is full.
    #[inline]
    pub fn take_slot(&mut self, pool: u32, stream: Stream) -> Option<(u32, u32)> {
        let index = self.stream(stream);
        let open = &mut self.pools[pool as usize].open[index];
        let slot = open.next_slot;
        (slot < open.stop_slot).then(|| {
            open.next_slot += 1;
            (open.unit, slot)
        })
    }

    /// Whether a stream's open unit has a slot left.
    pub fn has_room(&self, pool: u32, stream: Stream) -> bool {
        self.pools[pool as usize].open[self.stream(stream)].next_slot < self.slots_per_unit
    }

    /// Offers the host all slots of its open unit, or only the next one.
    pub fn offer(&mut self, pool: u32, one: bool) {
        let open = &mut self.pools[pool as usize].open[0];
        open.stop_slot =
            if one { (open.next_slot + 1).min(self.slots_per_unit) } else { self.slots_per_unit };
    }

    /// Whether a free unit may be opened for the host without touching what cleaning needs.
    pub fn may_open(&self, pool: u32) -> bool {
        self.pools[pool as usize].free.len() > self.reserved_units
    }

    /// Closes the full open unit of a stream, which makes it a candidate for cleaning, and returns it.
    pub fn close(&mut self, pool: u32, stream: Stream) -> Option<u32> {
        let index = self.stream(stream);
        let open = &mut self.pools[pool as usize].open[index];
        let unit = std::mem::replace(&mut open.unit, NONE);
        if unit == NONE {
            return None;
        }
        self.units[unit as usize].state = State::Closed;
        self.victims.insert(unit, pool, self.units[unit as usize].valid);
        Some(unit)
    }

    /// Opens the free unit that waited longest. `None` if the pool has no free unit.
    pub fn open(&mut self, pool: u32, stream: Stream) -> Option<u32> {
        let index = self.stream(stream);
        let unit = self.pools[pool as usize].free.pop_front()?;
        self.pools[pool as usize].open[index] = Open { unit, next_slot: 0, stop_slot: self.slots_per_unit };
        self.units[unit as usize].state = State::Open;
        Some(unit)
    }

    /// A slot of the unit became valid.
    #[inline]
    pub fn valid_added(&mut self, unit: u32) {
        let unit = &mut self.units[unit as usize];
        unit.valid += 1;
        self.pools[unit.pool as usize].valid += 1;
    }

    /// A slot of the unit became invalid.
    #[inline]
    pub fn valid_removed(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.valid -= 1;
        let (valid, pool) = (state.valid, state.pool);
        self.pools[pool as usize].valid -= 1;
        if state.state == State::Closed {
            self.victims.recount(unit, pool, valid);
        }
    }

    /// A valid page moved from a unit under cleaning to another unit of the same pool.
    #[inline]
    pub fn valid_moved(&mut self, from: u32, to: u32) {
        self.units[from as usize].valid -= 1;
        self.units[to as usize].valid += 1;
    }

    /// The closed unit of a pool with the fewest valid pages, if it has an invalid one.
    pub fn fewest_valid(&mut self, pool: u32) -> Option<u32> {
        let unit = self.victims.fewest_valid(pool);
        (unit != NONE && self.units[unit as usize].valid < self.slots_per_unit).then_some(unit)
    }

    /// Takes a victim out of the index; its valid pages are about to leave.
    pub fn begin_cleaning(&mut self, unit: u32) {
        self.victims.remove(unit);
        self.units[unit as usize].state = State::Open;
    }

    /// Gives an emptied unit back for writing.
    pub fn release(&mut self, unit: u32) {
        let pool = self.units[unit as usize].pool;
        self.units[unit as usize].state = State::Free;
        self.pools[pool as usize].free.push_back(unit);
    }

    /// Takes an emptied unit out of service.
    pub fn retire(&mut self, unit: u32) {
        let pool = self.units[unit as usize].pool;
        self.units[unit as usize].state = State::Retired;
        let pool = &mut self.pools[pool as usize];
        pool.valid_limit = pool.valid_limit.saturating_sub(self.slots_per_unit);
        self.retired += 1;
    }

    /// Valid slots of a unit.
    pub fn valid(&self, unit: u32) -> u32 {
        self.units[unit as usize].valid
    }

    /// Compares states, free queues and sums of valid pages.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub fn audit(&self) -> Result<(), String> {
        for (index, pool) in (0u32..).zip(&self.pools) {
            let members = || self.units.iter().filter(|unit| unit.pool == index);
            let valid: u32 = members().map(|unit| unit.valid).sum();
            if valid != pool.valid {
                return Err(format!(
                    "pool {index}: {} valid pages counted, {valid} in its units",
                    pool.valid
                ));
            }
            let free = members().filter(|unit| unit.state == State::Free).count();
            if free != pool.free.len() {
                return Err(format!("pool {index}: {free} units free, {} in the queue", pool.free.len()));
            }
            if members().any(|unit| matches!(unit.state, State::Free | State::Retired) && unit.valid > 0) {
                return Err(format!("pool {index}: a free or retired unit holds valid pages"));
            }
        }
        Ok(())
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
            Stream::Host => 0,
            Stream::Moved => self.moved_stream,
        }
    }
}
