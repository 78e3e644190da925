//! Erase units: their states, the pools they belong to, and where the next page goes.
//!
//! A unit is free, waiting to be written again with slots to be left out ([`reopened`]), open (being written), closed (a
//! candidate for cleaning), condemned (a program failed on it) or retired (worn out or bad). Every pool keeps its free units
//! ([`free`]) and one open unit a stream.

mod audit;
mod choice;
pub mod fill;
pub mod free;
mod reopened;
pub(crate) mod restored;
mod wear;

use std::collections::VecDeque;

use crate::config::{FtlConfig, MovedPages, Striping};
use crate::layout::Layout;
use crate::recycle::content_loss::ContentLoss;
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

#[derive(Debug, Clone, Copy)]
struct Open {
    unit: u32,
    /// Slots are counted in the order of `fill`.
    next_slot: u32,
    /// First slot that may not be taken before the cleaner was asked: behind the last one, or earlier.
    stop_slot: u32,
    /// First slot that is not of the present run of slots to be written; in a unit without slots to be left out, behind the
    /// last one.
    run_end: u32,
    /// Slots that are written in this round.
    end: u32,
    fill: Fill,
}

impl Open {
    /// No unit.
    fn none(slots_per_unit: u32) -> Open {
        Open {
            unit: NONE,
            next_slot: slots_per_unit,
            stop_slot: slots_per_unit,
            run_end: slots_per_unit,
            end: slots_per_unit,
            fill: Fill::All,
        }
    }
}

#[derive(Debug, Clone)]
struct Pool {
    open: [Open; STREAMS],
    valid: u32,
    /// Units that were recycled in place and are being written again.
    recycled: usize,
    /// See [`Reserve::valid_limit`]; shrinks with every retired unit.
    valid_limit: u32,
    free: FreeUnits,
    reopened: VecDeque<u32>,
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
    /// See [`Reserve`].
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
                open: [Open::none(layout.slots_per_unit); STREAMS],
                valid: 0,
                recycled: 0,
                valid_limit: reserve.valid_limit,
                free,
                reopened: VecDeque::new(),
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
            loss: ContentLoss::none(),
            slots_per_unit: layout.slots_per_unit,
            least_slots: layout.slots_per_unit * layout.slot_pages / layout.most_slot_pages,
            slots: if layout.varies() {
                vec![layout.slots_per_unit; layout.units() as usize]
            } else {
                Vec::new()
            },
            units_per_pool: layout.units_per_pool,
            reserved_units: reserve.free_units as usize,
            kept_units: reserve.kept_units as usize,
            needed_units: reserve.needed_units as usize,
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
            Striping::StaticDie => {
                let die = lpn % self.visits.dies;
                let chosen = self.emptiest_pool_of_die(die)?;
                self.visits.chosen(die, chosen);
                Some(chosen)
            }
        }
    }

    /// The pool that is likely to take the next host write, which would be of a logical page.
    pub fn next_pool(&self, lpn: Lpn) -> u32 {
        match self.striping {
            Striping::Dynamic => self.visits.peek_pool(),
            Striping::StaticDie => {
                let die = lpn % self.visits.dies;
                self.emptiest_pool_of_die(die).unwrap_or(die * self.visits.pools_per_die)
            }
        }
    }

    /// The pool of a die with the most free pages, round robin on ties.
    fn emptiest_pool_of_die(&self, die: u32) -> Option<u32> {
        let pools = self.visits.pools_of_die(die).filter(|&pool| self.takes_writes(pool));
        // The first of equals: `max_by_key` would give the last.
        let emptier = |best, pool| if self.clean_pages(pool) > self.clean_pages(best) { pool } else { best };
        pools.reduce(emptier)
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
        open.next_slot < open.end
    }

    /// Offers the host all slots of its open unit, or only the next one.
    pub fn offer(&mut self, pool: u32, stream: Stream, one: bool) {
        let index = self.stream(stream);
        let open = &mut self.pools[pool as usize].open[index];
        open.stop_slot = if one { (open.next_slot + 1).min(open.run_end) } else { open.run_end };
    }

    /// Whether a unit may be opened for the host without touching what cleaning needs.
    pub fn may_open(&self, pool: u32) -> bool {
        let low = self.is_low(pool) || self.free(pool) < self.needed_units;
        !low || !self.pools[pool as usize].reopened.is_empty()
    }

    /// Whether free and recycled units have come down to the threshold at which cleaning starts.
    pub fn is_low(&self, pool: u32) -> bool {
        self.ready(pool) <= self.reserved_units
    }

    /// Free and recycled units of a pool.
    pub fn ready(&self, pool: u32) -> usize {
        let pool = &self.pools[pool as usize];
        pool.free.len() + pool.recycled
    }

    /// Whether a pool has fewer units in reserve than it should, because some were retired or took moved pages, or the last
    /// was opened while others are recycled.
    pub fn is_short(&self, pool: u32) -> bool {
        let pool = &self.pools[pool as usize];
        let waiting = pool.reopened.len().min(self.kept_units - self.needed_units);
        pool.free.len() + waiting < self.kept_units
    }

    /// Whether an emptied unit must become free, because cleaning has no other to move pages to.
    pub fn needs_free(&self, pool: u32) -> bool {
        self.free(pool) < self.needed_units
    }

    /// Free units of a pool.
    pub fn free(&self, pool: u32) -> usize {
        self.pools[pool as usize].free.len()
    }

    /// Pages that a stream can take without the units reserved for cleaning.
    pub fn unreserved_room(&self, pool: u32, stream: Stream) -> u64 {
        let pool = &self.pools[pool as usize];
        let units = pool.free.len().saturating_sub(self.needed_units) as u64;
        let open = pool.open[self.stream(stream)];
        u64::from(open.run_end - open.next_slot) + units * u64::from(self.least_slots)
    }

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
        state.state = State::Closed;
        self.victims.insert(unit, state.queue, state.valid, self.clock);
    }

    /// The cleaning of a unit ended half way: its pages found no place, or stay for another reason.
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
        let end = self.fill_order.count(fill, self.slots(unit));
        let low_queues = if fill == Fill::Low { self.pools.len() as u32 } else { 0 };
        let state = &mut self.units[unit as usize];
        (state.state, state.fill, state.queue) = (State::Open, fill, state.pool + low_queues);
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

    /// Slots of a unit.
    pub(crate) fn slots(&self, unit: u32) -> u32 {
        self.slots.get(unit as usize).copied().unwrap_or(self.slots_per_unit)
    }

    /// A slot of the unit became valid.
    #[inline]
    pub fn valid_added(&mut self, unit: u32) {
        let unit = &mut self.units[unit as usize];
        unit.valid += 1;
        self.clock += 1;
        self.pools[unit.pool as usize].valid += 1;
    }

    /// Whether an invalid page may become valid where it lies: not in a unit that is free, being emptied or failing, not where the
    /// open unit will still be written, and not where cleaning would lose the spare space that it works with.
    pub fn may_revive(&self, unit: u32, slot: u32) -> bool {
        let Unit { pool, state, fill, .. } = self.units[unit as usize];
        let pool = &self.pools[pool as usize];
        let is_written = match state {
            State::Closed => true,
            // Otherwise slots are not written in the order of their numbers.
            State::Open if fill == Fill::All => {
                pool.open.iter().any(|open| open.unit == unit && slot < open.next_slot)
            }
            State::Open => false,
            State::Free | State::Reopened | State::Condemned | State::Retired => false,
        };
        is_written && pool.takes_writes()
    }

    /// An invalid slot of the unit became valid again.
    pub fn valid_revived(&mut self, unit: u32) {
        self.valid_added(unit);
        let Unit { valid, queue, state, .. } = self.units[unit as usize];
        if state == State::Closed {
            self.victims.recount(unit, queue, valid, self.clock);
        }
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

    /// Takes a victim out of the index; its valid pages stay, and its invalid ones will be written again.
    pub fn begin_recycled(&mut self, unit: u32) {
        self.begin_cleaning(unit);
        self.pools[self.units[unit as usize].pool as usize].recycled += 1;
    }

    /// Nothing more is written to a recycled unit; unless it is condemned, it is a candidate for cleaning again.
    pub fn end_recycled(&mut self, unit: u32) {
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
        let none = Open::none(self.slots_per_unit);
        let streams = self.pools[state.pool as usize].open.iter_mut();
        streams.filter(|open| open.unit == unit).for_each(|open| *open = none);
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

    /// Takes units out of the free ones of a fresh drive: they hold no data.
    pub(crate) fn set_aside(&mut self, units: std::ops::Range<u32>) {
        for unit in units {
            let pool = self.units[unit as usize].pool as usize;
            self.pools[pool].free.remove(unit);
            self.retire(unit);
            self.retired -= 1;
        }
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

    /// Whether the host may write to a pool, or whether it is full of valid pages.
    #[inline]
    pub fn takes_writes(&self, pool: u32) -> bool {
        self.pools[pool as usize].takes_writes()
    }

    /// Pages that the host may keep valid in a pool.
    pub fn pool_valid_limit(&self, pool: u32) -> u32 {
        self.pools[pool as usize].valid_limit
    }

    /// Valid pages of a pool.
    pub fn pool_valid(&self, pool: u32) -> u32 {
        self.pools[pool as usize].valid
    }

    /// Pages of a pool that can be written without cleaning.
    pub fn clean_pages(&self, pool: u32) -> u32 {
        let pool = &self.pools[pool as usize];
        pool.free.len() as u32 * self.slots_per_unit + (pool.open[0].end - pool.open[0].next_slot)
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
