//! What victim policies and wear levelling may ask about the closed units of a pool.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use crate::address::NONE;
use crate::state::units::valid_count_index::Candidate;
use crate::state::units::{UnitState, Units};

/// Draws after which a sampler searches instead: reached only where few units of a pool are closed.
const DRAWS: u32 = 64;

impl Units {
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

    /// Among the closed units of a pool that have the same number of valid pages, the one that has had it longest; for
    /// each number, fewest first.
    pub(crate) fn oldest_of_each_count(&self, pool: u32) -> impl Iterator<Item = Candidate> + '_ {
        self.victims.heads(pool)
    }

    /// The closed units of a pool, fewest valid pages first.
    pub(crate) fn by_valid(&self, pool: u32) -> impl Iterator<Item = Candidate> + '_ {
        self.victims.in_order(pool)
    }

    /// A closed unit of a pool, drawn at random; `None` if there is none.
    pub(crate) fn draw_closed(&self, pool: u32, rng: &mut Xoshiro256PlusPlus) -> Option<u32> {
        let first = pool * self.units_per_pool;
        let mut draw = || ((u64::from(rng.next_u32()) * u64::from(self.units_per_pool)) >> 32) as u32;
        let is_closed = |&unit: &u32| {
            let unit = &self.units[unit as usize];
            unit.state == UnitState::Closed && unit.queue == pool
        };
        let drawn = (0..DRAWS).map(|_| first + draw()).find(is_closed);
        drawn.or_else(|| {
            let start = draw();
            (0..self.units_per_pool).map(|step| first + (start + step) % self.units_per_pool).find(is_closed)
        })
    }

    /// The closed unit of a pool with the least wear, if that is below `limit`. The search goes round the pool.
    pub(crate) fn least_worn_closed(&mut self, pool: u32, limit: u32) -> Option<u32> {
        let wear = &self.pools[pool as usize].wear;
        let least = wear.least();
        if least >= limit || wear.units_at(least) == 0 {
            return None;
        }
        let (first, start) = (pool * self.units_per_pool, self.pools[pool as usize].search_from);
        let mut best: Option<(u32, u32)> = None;
        for step in 0..self.units_per_pool {
            let index = (start + step) % self.units_per_pool;
            let unit = (first + index) as usize;
            let wear = self.wear[unit];
            if self.units[unit].state == UnitState::Closed && best.is_none_or(|(best, _)| wear < best) {
                best = Some((wear, index));
                if wear == least {
                    break;
                }
            }
        }
        let (_, index) = best.filter(|&(wear, _)| wear < limit)?;
        self.pools[pool as usize].search_from = index;
        Some(first + index)
    }

    /// As [`is_low`](Self::is_low), where so many recycled units are of no use.
    pub(crate) fn is_low_without(&self, pool: u32, units: usize) -> bool {
        self.ready(pool) <= self.reserved_units + units
    }

    /// Times that a unit was emptied (erased, or reopened by a code).
    pub fn wear(&self, unit: u32) -> u32 {
        self.wear[unit as usize]
    }

    /// Mean wear of a pool's units in service.
    pub fn mean_wear(&self, pool: u32) -> f64 {
        self.pools[pool as usize].wear.mean()
    }

    /// Most wear of a pool's units in service.
    pub fn most_wear(&self, pool: u32) -> u32 {
        self.pools[pool as usize].wear.most()
    }

    /// Pages that became valid by host writes so far: the clock by which the age of units is told.
    pub fn clock(&self) -> u64 {
        self.clock
    }

    /// Slots of a unit, the most where units differ.
    pub fn slots_per_unit(&self) -> u32 {
        self.slots_per_unit
    }
}
