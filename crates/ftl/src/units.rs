//! Erase units: their states, the pools they belong to, and where the next page goes.
//!
//! A unit is free, open (being written), closed (a candidate for cleaning), condemned (a program failed on it) or retired
//! (worn out or bad). Every pool keeps its free units ([`free`]) and one open unit a stream.

mod audit;
mod choice;
pub mod fill;
pub mod free;
mod wear;

use crate::config::{FtlConfig, MovedPages, Striping};
use crate::layout::Layout;
use crate::shape::Reserve;
use crate::streams::StreamsConfig;
use crate::victims::Victims;
use crate::visits::Visits;
use crate::{Lpn, NONE};
use fill::{Fill, FillOrder};
use free::FreeUnits;
use wear::PoolWear;

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

#[derive(Debug, Clone, Copy)]
struct Open {
    unit: u32,
    /// Slots are counted in the order of `fill`.
    next_slot: u32,
    /// First slot that may not be taken before the cleaner was asked: behind the last one, or earlier.
    stop_slot: u32,
    slots: u32,
    fill: Fill,
}

impl Open {
    const NONE: Open = Open { unit: NONE, next_slot: 0, stop_slot: 0, slots: 0, fill: Fill::All };
}

#[derive(Debug, Clone)]
struct Pool {
    open: [Open; STREAMS],
    valid: u32,
    /// See [`Reserve::valid_limit`]; shrinks with every retired unit.
    valid_limit: u32,
    free: FreeUnits,
    wear: PoolWear,
    /// Where the search for the least worn unit continues.
    search_from: u32,
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
    /// Times that each unit was emptied; apart from the rest, which every write touches.
    wear: Vec<u32>,
    pools: Vec<Pool>,
    victims: Victims,
    fill_order: FillOrder,
    slots_per_unit: u32,
    units_per_pool: u32,
    reserved_units: usize,
    moved_stream: usize,
    clock: u64,
    striping: Striping,
    visits: Visits,
    /// The order in which moved pages go round the pools, where they may.
    moves: Visits,
    retired: u32,
}

impl Units {
    /// All units free, but for the last `bad_units` of each pool, which are retired from the start.
    pub fn new(
        layout: &Layout,
        fill_order: FillOrder,
        reserve: &Reserve,
        config: &FtlConfig,
        bad_units: &[u32],
        planes_per_die: u32,
    ) -> Units {
        let unit = |index: u32| {
            let pool = layout.pool_of(index);
            Unit { valid: 0, pool, queue: pool, state: State::Free, fill: Fill::All }
        };
        let pool = |index: u32| {
            let mut free = FreeUnits::new(config.free_order);
            let units = index * layout.units_per_pool..(index + 1) * layout.units_per_pool;
            units.for_each(|unit| free.push(unit, 0));
            Pool {
                open: [Open::NONE; STREAMS],
                valid: 0,
                valid_limit: reserve.valid_limit,
                free,
                wear: PoolWear::new(layout.units_per_pool),
                search_from: 0,
            }
        };
        let mut units = Units {
            units: (0..layout.units()).map(unit).collect(),
            wear: vec![0; layout.units() as usize],
            pools: (0..layout.pools).map(pool).collect(),
            victims: Victims::new(
                layout.units(),
                layout.pools * if fill_order.is_used() { 2 } else { 1 },
                layout.slots_per_unit,
                config.victim.asks_for_age(),
            ),
            fill_order,
            slots_per_unit: layout.slots_per_unit,
            units_per_pool: layout.units_per_pool,
            reserved_units: reserve.free_units as usize,
            moved_stream: match (config.moved_pages, &config.streams) {
                (MovedPages::Together, StreamsConfig::One {}) => Stream::Host as usize,
                // What survives until it is cleaned is cold.
                (MovedPages::Together, _) => Stream::HostCold as usize,
                (MovedPages::Apart, _) => Stream::Moved as usize,
            },
            clock: 0,
            striping: config.striping,
            visits: Visits::new(layout, planes_per_die),
            moves: Visits::new(layout, planes_per_die),
            retired: 0,
        };
        units.retire_bad(bad_units);
        units
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
            let open = &pool.open[0];
            pool.free.len() as u32 * self.slots_per_unit + (open.slots - open.next_slot)
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
        let index = open.next_slot;
        (index < open.stop_slot).then(|| {
            open.next_slot += 1;
            (open.unit, self.fill_order.slot(open.fill, index))
        })
    }

    /// A slot in the open unit of a stream in some pool that takes writes, in turn.
    pub fn take_slot_anywhere(&mut self, stream: Stream) -> Option<(u32, u32)> {
        (0..self.pools.len()).find_map(|_| {
            let pool = self.moves.next_pool();
            if self.pools[pool as usize].takes_writes() { self.take_slot(pool, stream) } else { None }
        })
    }

    /// Whether a stream's open unit has a slot left.
    pub fn has_room(&self, pool: u32, stream: Stream) -> bool {
        let open = &self.pools[pool as usize].open[self.stream(stream)];
        open.next_slot < open.slots
    }

    /// Offers the host all slots of its open unit, or only the next one.
    pub fn offer(&mut self, pool: u32, stream: Stream, one: bool) {
        let index = self.stream(stream);
        let open = &mut self.pools[pool as usize].open[index];
        open.stop_slot = if one { (open.next_slot + 1).min(open.slots) } else { open.slots };
    }

    /// Whether a free unit may be opened for the host without touching what cleaning needs.
    pub fn may_open(&self, pool: u32) -> bool {
        self.pools[pool as usize].free.len() > self.reserved_units
    }

    /// Whether a pool has fewer free units than cleaning needs, because some were retired.
    pub fn is_short(&self, pool: u32) -> bool {
        self.pools[pool as usize].free.len() < self.reserved_units
    }

    /// Free units of a pool.
    pub fn free(&self, pool: u32) -> usize {
        self.pools[pool as usize].free.len()
    }

    /// Pages that a stream can take without the units reserved for cleaning.
    pub fn unreserved_room(&self, pool: u32, stream: Stream) -> u64 {
        let pool = &self.pools[pool as usize];
        let units = pool.free.len().saturating_sub(self.reserved_units) as u64;
        let open = &pool.open[self.stream(stream)];
        u64::from(open.slots - open.next_slot) + units * u64::from(self.slots_per_unit)
    }

    /// Closes the full open unit of a stream, which makes it a candidate for cleaning, and returns it.
    pub fn close(&mut self, pool: u32, stream: Stream) -> Option<u32> {
        let index = self.stream(stream);
        let open = &mut self.pools[pool as usize].open[index];
        let unit = std::mem::replace(&mut open.unit, NONE);
        if unit == NONE {
            return None;
        }
        self.enlist(unit);
        Some(unit)
    }

    /// Puts a unit among the candidates for cleaning: one that was closed, or whose cleaning was broken off.
    pub fn enlist(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.state = State::Closed;
        self.victims.insert(unit, state.queue, state.valid, self.clock);
    }

    /// The cleaning of a unit failed half way: its pages found no place.
    pub fn break_off(&mut self, unit: u32) {
        if self.units[unit as usize].state == State::Open {
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
    fn fill_as(&mut self, unit: u32, stream: usize, fill: Fill) {
        let slots = self.fill_order.count(fill, self.slots_per_unit);
        let low_queues = if fill == Fill::Low { self.pools.len() as u32 } else { 0 };
        let state = &mut self.units[unit as usize];
        (state.state, state.fill, state.queue) = (State::Open, fill, state.pool + low_queues);
        self.pools[state.pool as usize].open[stream] =
            Open { unit, next_slot: 0, stop_slot: slots, slots, fill };
    }

    /// A slot of the unit became valid.
    #[inline]
    pub fn valid_added(&mut self, unit: u32) {
        let unit = &mut self.units[unit as usize];
        unit.valid += 1;
        self.clock += 1;
        self.pools[unit.pool as usize].valid += 1;
    }

    /// A slot of the unit became invalid.
    #[inline]
    pub fn valid_removed(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.valid -= 1;
        let (valid, queue) = (state.valid, state.queue);
        self.pools[state.pool as usize].valid -= 1;
        if state.state == State::Closed {
            self.victims.recount(unit, queue, valid, self.clock);
        }
    }

    /// A valid page moved from a unit under cleaning to another unit of the same pool.
    #[inline]
    pub fn valid_moved(&mut self, from: u32, to: u32) {
        self.units[from as usize].valid -= 1;
        self.units[to as usize].valid += 1;
    }

    /// A valid page moved from a unit under cleaning to a unit of any pool.
    pub fn valid_moved_anywhere(&mut self, from: u32, to: u32) {
        self.valid_moved(from, to);
        let (from, to) = (self.units[from as usize].pool, self.units[to as usize].pool);
        self.pools[from as usize].valid -= 1;
        self.pools[to as usize].valid += 1;
    }

    /// The closed unit of a pool with the fewest valid pages, if it has an invalid one.
    pub fn fewest_valid(&mut self, pool: u32) -> Option<u32> {
        let unit = self.victims.fewest_valid(pool);
        (unit != NONE && self.units[unit as usize].valid < self.slots_per_unit).then_some(unit)
    }

    /// The closed unit of a pool with the fewest valid pages among those of which only the low pages are written.
    pub fn fewest_valid_low(&mut self, pool: u32) -> Option<u32> {
        let unit = self.victims.fewest_valid(self.pools.len() as u32 + pool);
        (unit != NONE).then_some(unit)
    }

    /// Takes a victim out of the index; its valid pages are about to leave.
    pub fn begin_cleaning(&mut self, unit: u32) {
        self.victims.remove(unit);
        self.units[unit as usize].state = State::Open;
    }

    /// Gives an emptied unit back for writing.
    pub fn release(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        let pool = &mut self.pools[state.pool as usize];
        let wear = &mut self.wear[unit as usize];
        pool.wear.used(*wear);
        *wear += 1;
        state.state = State::Free;
        pool.free.push(unit, *wear);
    }

    /// A program failed on a unit: nothing more is written to it, and it is no candidate for cleaning.
    pub fn condemn(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        if state.state == State::Closed {
            self.victims.remove(unit);
        }
        state.state = State::Condemned;
        let streams = self.pools[state.pool as usize].open.iter_mut();
        streams.filter(|open| open.unit == unit).for_each(|open| *open = Open::NONE);
    }

    /// Takes an emptied unit out of service.
    pub fn retire(&mut self, unit: u32) {
        let state = &mut self.units[unit as usize];
        state.state = State::Retired;
        let pool = &mut self.pools[state.pool as usize];
        pool.wear.left(self.wear[unit as usize]);
        pool.valid_limit = pool.valid_limit.saturating_sub(self.slots_per_unit);
        self.retired += 1;
    }

    /// Retires the last units of each pool; a fresh drive's free units are in order.
    fn retire_bad(&mut self, bad_units: &[u32]) {
        for (index, &bad) in bad_units.iter().enumerate().filter(|&(_, &bad)| bad > 0) {
            let first = index as u32 * self.units_per_pool;
            let good = first..first + self.units_per_pool.saturating_sub(bad);
            let free = &mut self.pools[index].free;
            while free.pop().is_some() {}
            good.clone().for_each(|unit| free.push(unit, 0));
            (good.end..first + self.units_per_pool).for_each(|unit| self.retire(unit));
        }
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

    /// Pages that the host may keep valid in all pools together.
    pub fn valid_limit(&self) -> u64 {
        self.pools.iter().map(|pool| u64::from(pool.valid_limit)).sum()
    }

    /// The pool of a unit.
    pub fn pool_of(&self, unit: u32) -> u32 {
        self.units[unit as usize].pool
    }

    /// Valid slots of a unit.
    pub fn valid(&self, unit: u32) -> u32 {
        self.units[unit as usize].valid
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
