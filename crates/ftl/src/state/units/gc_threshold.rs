//! Units kept back: what cleaning needs, and when it must begin.

use crate::address::Pool;
use crate::state::units::Units;
use crate::state::units::stream::Stream;

impl Units {
    /// Whether a unit may be opened for the host without touching what cleaning needs.
    pub fn may_open(&self, pool: Pool) -> bool {
        let low = self.is_low(pool) || self.free(pool) < self.needed_units;
        !low || !self.pools[pool.index()].reopened.is_empty()
    }

    /// Whether a unit may be opened for the host, and another behind it.
    pub(crate) fn may_open_another(&self, pool: Pool) -> bool {
        self.free(pool) > self.reserved_units.max(self.needed_units) + 1
    }

    /// Whether free units, and those reopened for groups where they count, have come down to the
    /// threshold at which cleaning starts.
    pub fn is_low(&self, pool: Pool) -> bool {
        self.free(pool) + self.counted_for_groups(pool) <= self.reserved_units
    }

    /// Whether a pool has fewer units in reserve than it should, because some were retired, took
    /// moved pages, or took the last writes of groups.
    pub fn is_short(&self, pool: Pool) -> bool {
        let waiting = self.pools[pool.index()].reopened.len() + self.counted_for_groups(pool);
        self.free(pool) + waiting.min(self.reserved_units - self.needed_units) < self.reserved_units
    }

    /// Units reopened for groups that count as free ones.
    fn counted_for_groups(&self, pool: Pool) -> usize {
        if self.counts_groups { self.pools[pool.index()].for_groups } else { 0 }
    }

    /// Whether a pool has fewer free units than cleaning works with, although units reopened for
    /// groups count as such.
    pub(crate) fn lacks_free(&self, pool: Pool) -> bool {
        self.counts_groups && self.free(pool) < self.needed_units
    }

    /// Whether an emptied unit must become free, because cleaning has no other to move pages to.
    pub fn needs_free(&self, pool: Pool) -> bool {
        !self.counts_waiting && self.free(pool) < self.needed_units
    }

    /// Whether the slots of waiting units are part of the reserve, so that moved pages may go
    /// there.
    pub(crate) fn counts_waiting(&self) -> bool {
        self.counts_waiting
    }

    /// Slots that free and waiting units of a pool take, and those that cleaning keeps, where they
    /// are counted.
    pub(crate) fn slots_in_reserve(&self, pool: Pool) -> (u64, u64) {
        let slots = u64::from(self.slots_per_unit);
        let waiting = &self.pools[pool.index()].reopened;
        let waiting: u64 = waiting.iter().map(|&unit| u64::from(self.slots(unit) - self.valid(unit))).sum();
        (self.free(pool) as u64 * slots + waiting, self.reserved_units as u64 * slots)
    }

    /// Free units that host writes leave alone.
    pub(crate) fn reserved(&self) -> usize {
        self.reserved_units
    }

    /// Free units of a pool.
    pub fn free(&self, pool: Pool) -> usize {
        self.pools[pool.index()].free.len()
    }

    /// Pages that a stream can take without the units reserved for cleaning.
    pub fn unreserved_room(&self, pool: Pool, stream: Stream) -> u64 {
        let pool = &self.pools[pool.index()];
        let units = pool.free.len().saturating_sub(self.needed_units) as u64;
        let open = pool.open(self.stream(stream));
        u64::from(open.run_end - open.next_slot) + units * u64::from(self.slots_per_unit)
    }

    /// Pages of a pool that can be written without cleaning.
    pub fn clean_pages(&self, pool: Pool) -> u32 {
        let pool = &self.pools[pool.index()];
        pool.free.len() as u32 * self.slots_per_unit + (pool.open[0].end - pool.open[0].next_slot)
    }
}
