//! What victim policies and wear levelling may ask about the closed units of a pool.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use crate::address::{Pool, Unit};
use crate::state::units::valid_count_index::Candidate;
use crate::state::units::{UnitState, Units};

/// Draws after which a sampler searches instead: reached only where few units of a pool are closed.
const DRAWS: u32 = 64;

impl Units {
    /// To be called before a victim is looked for: so that a look takes constant time and changes
    /// nothing.
    pub(crate) fn settle_queues(&mut self, pool: Pool) {
        self.victims.settle(pool.0);
        if self.fill_order.is_used() {
            self.victims.settle(self.pools.len() as u32 + pool.0);
        }
    }

    /// The closed unit of a pool with the fewest valid pages, if it has an invalid one.
    pub fn fewest_valid(&self, pool: Pool) -> Option<Unit> {
        self.victims.fewest_valid(pool.0).filter(|&unit| self.valid(unit) < self.slots_per_unit)
    }

    /// The closed unit of a pool with the fewest valid pages among those with only low
    /// pages written.
    pub fn fewest_valid_low(&self, pool: Pool) -> Option<Unit> {
        self.victims.fewest_valid(self.pools.len() as u32 + pool.0)
    }

    /// Among the closed units of a pool that have the same number of valid pages, the one that has
    /// had it longest; for each number, fewest first.
    pub fn oldest_of_each_count(&self, pool: Pool) -> impl Iterator<Item = Candidate> + '_ {
        self.victims.heads(pool.0)
    }

    /// The closed units of a pool, fewest valid pages first.
    pub fn by_valid(&self, pool: Pool) -> impl Iterator<Item = Candidate> + '_ {
        self.victims.in_order(pool.0)
    }

    /// A closed unit of a pool, drawn at random; `None` if there is none.
    pub(crate) fn draw_closed(&self, pool: Pool, rng: &mut Xoshiro256PlusPlus) -> Option<Unit> {
        let first = Unit(pool.0 * self.units_per_pool);
        let mut draw = || ((u64::from(rng.next_u32()) * u64::from(self.units_per_pool)) >> 32) as u32;
        let is_closed = |&unit: &Unit| {
            let unit = &self.units[unit.index()];
            unit.state == UnitState::Closed && unit.queue == pool.0
        };
        let drawn = (0..DRAWS).map(|_| first + draw()).find(is_closed);
        drawn.or_else(|| {
            let start = draw();
            (0..self.units_per_pool).map(|step| first + (start + step) % self.units_per_pool).find(is_closed)
        })
    }

    /// The first closed unit of a pool with an invalid page, from a number within the pool on and
    /// round it; and the number behind it.
    pub(crate) fn closed_from(&self, pool: Pool, start: u32) -> Option<(Unit, u32)> {
        let first = Unit(pool.0 * self.units_per_pool);
        let numbers = (start..self.units_per_pool).chain(0..start);
        numbers.map(|number| (first + number, (number + 1) % self.units_per_pool)).find(|&(unit, _)| {
            let entry = &self.units[unit.index()];
            entry.state == UnitState::Closed && entry.queue == pool.0 && entry.valid < self.slots(unit)
        })
    }

    /// The closed unit of a pool with the least wear, if that is below `limit`. The search goes
    /// round the pool.
    pub(crate) fn least_worn_closed(&mut self, pool: Pool, limit: u32) -> Option<Unit> {
        let wear = &self.pools[pool.index()].wear;
        let least = wear.least();
        if least >= limit || wear.units_at(least) == 0 {
            return None;
        }
        let (first, start) = (Unit(pool.0 * self.units_per_pool), self.pools[pool.index()].search_from);
        let mut best: Option<(u32, u32)> = None;
        for step in 0..self.units_per_pool {
            let index = (start + step) % self.units_per_pool;
            let unit = (first + index).index();
            let wear = self.wear[unit];
            let entry = &self.units[unit];
            let is_candidate = entry.state == UnitState::Closed && entry.stream != self.cache_index;
            if is_candidate && best.is_none_or(|(best, _)| wear < best) {
                best = Some((wear, index));
                if wear == least {
                    break;
                }
            }
        }
        let (_, index) = best.filter(|&(wear, _)| wear < limit)?;
        self.pools[pool.index()].search_from = index;
        Some(first + index)
    }

    /// Times that a unit was emptied (erased, or reopened by a code).
    pub fn wear(&self, unit: Unit) -> u32 {
        self.wear[unit.index()]
    }

    /// Most wear of a pool's units in service.
    pub fn most_wear(&self, pool: Pool) -> u32 {
        self.pools[pool.index()].wear.most()
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
