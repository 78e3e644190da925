//! Units of the cache (`ftl.slc_cache`), whose cells hold one bit each: fewer slots, and a queue of
//! their own, in the order in which they were filled.

use std::collections::VecDeque;

use crate::address::{Pool, Unit};
use crate::state::units::free_units::FreeUnits;
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::{STREAMS, Stream};
use crate::state::units::{UnitState, Units};

/// Index of the cache's open unit on a drive without one.
pub(super) const NO_CACHE: u8 = u8::MAX;

/// The units of a cache.
#[derive(Debug, Clone)]
pub(super) struct CachedUnits {
    /// Slots of a unit while it is in the cache.
    slots: u32,
    /// Units of each pool, the first ones, that are in the cache whatever happens.
    fixed: u32,
    /// Of each pool: the fixed ones that are free.
    free: Vec<FreeUnits>,
    /// Of each pool: units that are full, the oldest first, and some that went out of service.
    full: Vec<VecDeque<Unit>>,
    /// Of each pool: units that hold data or take it.
    used: Vec<usize>,
}

impl CachedUnits {
    /// No unit of any pool holds anything. `slots` and `fixed` are the fields of these names.
    pub(super) fn new(pools: u32, slots: u32, fixed: u32) -> CachedUnits {
        let pools = pools as usize;
        CachedUnits {
            slots,
            fixed,
            free: vec![FreeUnits::default(); pools],
            full: vec![VecDeque::new(); pools],
            used: vec![0; pools],
        }
    }
}

impl Units {
    /// The cache takes its fixed units out of the free ones of a fresh drive.
    pub(super) fn set_cache_aside(&mut self) {
        let Some(cache) = &mut self.cache else { return };
        for (pool, entry) in self.pools.iter_mut().enumerate() {
            let first = pool as u32 * self.units_per_pool;
            for unit in (first..first + cache.fixed).map(Unit) {
                entry.free.remove(unit);
                entry.wear.left(0);
                entry.valid_limit = entry.valid_limit.saturating_sub(self.slots_per_unit);
                cache.free[pool].push(unit, 0);
            }
        }
    }

    /// Through which open unit pages go to the cache: behind the classes of the placement policy.
    pub(crate) fn cache_stream(&self) -> Stream {
        Stream::Class(self.classes)
    }

    /// Index of the cache's open unit; none has it on a drive without one.
    pub(crate) fn cache_index(&self) -> u8 {
        self.cache_index
    }

    /// Whether the cells of a unit hold one bit each.
    #[inline]
    pub fn is_cached(&self, unit: Unit) -> bool {
        self.units[unit.index()].stream == self.cache_index
    }

    /// Whether a unit is in the cache whatever happens.
    pub fn is_fixed_in_cache(&self, unit: Unit) -> bool {
        self.cache.as_ref().is_some_and(|cache| unit.0 % self.units_per_pool < cache.fixed)
    }

    /// Whether a unit in which a mount found pages of a stream is one of the cache.
    pub(crate) fn was_cached(&self, unit: Unit, stream: u8) -> bool {
        self.cache.is_some() && (stream == self.cache_index || self.is_fixed_in_cache(unit))
    }

    /// Slots of a unit in the cache; none without one.
    pub(crate) fn cached_slots(&self) -> u32 {
        self.cache.as_ref().map_or(0, |cache| cache.slots)
    }

    /// Units of a pool that hold pages of the cache or take them.
    pub(crate) fn cached(&self, pool: Pool) -> usize {
        self.cache.as_ref().map_or(0, |cache| cache.used[pool.index()])
    }

    /// The full unit of a pool's cache that was filled first.
    pub(crate) fn oldest_cached(&self, pool: Pool) -> Option<Unit> {
        let full = self.cache.as_ref()?.full[pool.index()].iter().copied();
        full.into_iter().find(|&unit| self.is_closed(unit))
    }

    /// Opens a unit for the cache of a pool, if one is free.
    pub(crate) fn open_cached(&mut self, pool: Pool) -> Option<Unit> {
        let cache = self.cache.as_mut()?;
        let free =
            if cache.fixed > 0 { &mut cache.free[pool.index()] } else { &mut self.pools[pool.index()].free };
        let unit = free.pop()?;
        self.fill_cached(unit);
        Some(unit)
    }

    pub(super) fn fill_cached(&mut self, unit: Unit) {
        self.join_cache(unit);
        let queue = self.units[unit.index()].queue;
        self.fill_as(unit, usize::from(self.cache_index), Fill::All);
        self.units[unit.index()].queue = queue;
    }

    /// From now on a unit holds one bit a cell.
    pub(super) fn join_cache(&mut self, unit: Unit) {
        let Some(cache) = &mut self.cache else { return };
        let entry = &mut self.units[unit.index()];
        (entry.stream, entry.queue) = (self.cache_index, entry.pool.0 + self.pools.len() as u32);
        self.slots[unit.index()] = cache.slots;
        cache.used[entry.pool.index()] += 1;
    }

    /// A closed unit is the one of its pool's cache that was filled last.
    pub(super) fn enlist_cached(&mut self, unit: Unit) {
        let pool = self.pool_of(unit).index();
        self.cache.iter_mut().for_each(|cache| cache.full[pool].push_back(unit));
    }

    /// Closes the full open unit of a pool's cache.
    pub(crate) fn close_cached(&mut self, pool: Pool) {
        if let Some(unit) = self.close(pool, self.cache_stream()) {
            self.enlist_cached(unit);
        }
    }

    /// As [`close_cached`](Self::close_cached), of every pool whose open unit of the cache is full.
    pub(crate) fn close_full_cached(&mut self) {
        for pool in (0..self.pools.len() as u32).map(Pool) {
            if !self.has_room(pool, self.cache_stream()) {
                self.close_cached(pool);
            }
        }
    }

    /// Takes the unit that is folded next out of the cache's queue.
    pub(crate) fn begin_fold(&mut self, pool: Pool) -> Option<Unit> {
        let unit = self.oldest_cached(pool)?;
        let full = &mut self.cache.as_mut()?.full[pool.index()];
        while full.pop_front().is_some_and(|first| first != unit) {}
        self.begin_cleaning(unit);
        Some(unit)
    }

    /// The fold of a unit was broken off: it stays the next one.
    pub(crate) fn break_off_fold(&mut self, unit: Unit) {
        self.break_off(unit);
        let pool = self.pool_of(unit).index();
        self.cache.iter_mut().for_each(|cache| cache.full[pool].push_front(unit));
    }

    /// A unit was emptied or goes out of service: it takes as many pages as others again.
    pub(super) fn leave_cache(&mut self, unit: Unit) {
        if !self.is_cached(unit) {
            return;
        }
        let entry = &mut self.units[unit.index()];
        entry.stream = 0;
        self.slots[unit.index()] = self.slots_per_unit;
        self.cache.iter_mut().for_each(|cache| cache.used[entry.pool.index()] -= 1);
    }

    /// An emptied unit that is in the cache whatever happens is free.
    pub(super) fn release_fixed(&mut self, unit: Unit) {
        let Some(cache) = &mut self.cache else { return };
        let (entry, wear) = (&mut self.units[unit.index()], &mut self.wear[unit.index()]);
        debug_assert_eq!(entry.state, UnitState::Open, "unit {unit} was emptied");
        *wear += 1;
        entry.state = UnitState::Free;
        cache.free[entry.pool.index()].push(unit, *wear);
    }

    /// Takes a unit that is in the cache whatever happens out of its free ones; with a wear, puts
    /// it there.
    pub(super) fn restore_fixed(&mut self, unit: Unit, wear: Option<u32>) {
        let pool = self.pool_of(unit).index();
        let Some(cache) = &mut self.cache else { return };
        cache.free[pool].remove(unit);
        if let Some(wear) = wear {
            cache.free[pool].push(unit, wear);
        }
    }

    /// Compares the cache's free units with states.
    pub(super) fn audit_cache(&self, pool: Pool) -> Result<(), String> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let members = || (0..).map(Unit).zip(&self.units).filter(|(_, entry)| entry.pool == pool);
        let fixed =
            members().filter(|&(unit, entry)| self.is_fixed_in_cache(unit) && entry.state == UnitState::Free);
        let (free, queued) = (fixed.count(), cache.free[pool.index()].len());
        let used = members().filter(|&(unit, _)| self.is_cached(unit)).count();
        if (free, used) != (queued, cache.used[pool.index()]) {
            return Err(format!(
                "pool {pool}: the cache has {free} units free and {used} used, counted {queued} and {}",
                cache.used[pool.index()]
            ));
        }
        Ok(())
    }
}

/// Index of the open unit of the cache behind `classes` classes.
pub(super) fn index_behind(classes: u32) -> u8 {
    (STREAMS as u32 + classes) as u8
}
