//! Recycling (section 5.4): what becomes of a victim, and of the pair that an erased block leaves behind.

use rewear_flash::Nanos;

use super::SecondWrite;
use super::blocks::Victim;
use super::lane::Prefetch;
use crate::Lpn;
use crate::core::Core;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::reuse::{Fate, Reuse};
use crate::units::Stream;

impl SecondWrite {
    /// Whether a victim is recycled or emptied and erased.
    pub(in crate::reuse) fn fate(&self, core: &Core, unit: u32) -> Fate {
        let plane = core.units.pool_of(unit);
        let victim = Victim {
            unit,
            plane,
            valid: core.units.valid(unit),
            clean: core.units.free(plane) as u32,
            erases: core.array.wear().erases()[unit as usize],
        };
        if self.blocks.may_recycle(victim) { Fate::Recycle } else { Fate::Erase }
    }

    /// Every invalid page of a plane lies in recycled blocks: one of these becomes a victim, as if it had been reused.
    pub(in crate::reuse) fn withdraw(&mut self, core: &mut Core, plane: u32) -> bool {
        let room = |unit: u32| core.layout.slots_per_unit - core.units.valid(unit);
        let waiting = self.blocks.waiting(plane).max_by_key(|&unit| room(unit));
        if let Some(unit) = waiting.filter(|&unit| room(unit) > 0) {
            self.blocks.withdraw(unit);
            core.units.end_recycled(unit);
            return true;
        }
        let lane = self.lane_of(plane);
        let is_active = self.lanes[lane].active.is_some();
        self.close_pair(core, lane);
        self.close_groups(core, plane) | is_active
    }

    /// Nothing more is written on any active pair or group: their blocks are candidates for cleaning. Whether there was any.
    fn close_all(&mut self, core: &mut Core) -> bool {
        let mut any = false;
        for lane in 0..self.lanes.len() {
            any |= self.lanes[lane].active.is_some();
            self.close_pair(core, lane);
        }
        (0..core.layout.pools).fold(any, |any, pool| self.close_groups(core, pool) | any)
    }

    /// A unit is about to lose its second writes, `valid` of which are still valid.
    pub(in crate::reuse) fn begins_to_empty(&mut self, core: &Core, unit: u32) {
        let Some(pairs) = &core.pairs else { return };
        let words = 0..core.map.words_per_unit();
        let (mut written, mut valid) = (0, 0);
        for word in words {
            let twice = pairs.twice_word(unit, word);
            written += twice.count_ones();
            valid += (twice & core.map.valid_word(unit, word)).count_ones();
        }
        if written > 0 {
            self.separation.outlived(valid, written);
        }
    }

    /// A unit was erased (and is kept or retired), or retired as it is.
    pub(in crate::reuse) fn erased(&mut self, core: &mut Core, unit: u32, lost: bool) {
        self.blocks.leave(unit);
        if lost {
            self.blocks.lose(unit);
        }
        if let Some(pairs) = &mut core.pairs {
            pairs.forget(unit);
        }
    }
}

impl Ftl {
    /// Recycles a victim: its valid pages stay, its invalid ones take second writes.
    pub(crate) fn recycle_block(&mut self, at: Nanos, unit: u32) -> Result<(), FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(()) };
        let core = &mut self.core;
        core.array.reopen(core.layout.block_of(unit, 0).block)?;
        core.units.begin_recycled(unit);
        scheme.blocks.recycle(unit);
        core.counters.reopens += 1;
        let pool = core.units.pool_of(unit);
        scheme.want_group(core, pool, at);
        let lane = scheme.lane_of(pool);
        let was_idle = scheme.lanes[lane].active.is_none();
        if was_idle && scheme.config.prefetch && scheme.next_pair(core, lane).is_some() {
            scheme.lanes[lane].prefetch = Prefetch::Due(at);
        }
        Ok(())
    }

    /// Every pool holds as many valid pages as it may. Where units went out of service, second writes may take the room of
    /// logical pages: they are moved, as first writes, until a pool takes host writes. Returns that pool.
    #[cold]
    pub(crate) fn make_pages_of_second_writes(&mut self, at: Nanos, lpn: Lpn) -> Result<u32, FtlError> {
        loop {
            if let Some(pool) = self.core.units.choose_pool(lpn) {
                return Ok(pool);
            }
            let pools = self.core.units.pools_for(lpn);
            let Some(unit) = self.core.most_second_writes(pools) else {
                let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
                if scheme.close_all(&mut self.core) {
                    continue;
                }
                return Err(self.out_of_space());
            };
            let pool = self.core.units.pool_of(unit);
            self.reuse.begins_to_empty(&self.core, unit);
            self.core.units.begin_cleaning(unit);
            self.core.counters.victim_valid_pages += u64::from(self.core.units.valid(unit));
            let found_at = self.find_owners(at, unit)?;
            let moved_at = self.move_valid_pages(found_at, pool, unit, Stream::Moved)?;
            self.core.counters.garbage_collections += 1;
            self.reclaim(moved_at, unit)?;
        }
    }
}

impl Core {
    /// The closed unit of some pools with the most valid pages of second or further writes, if any has one.
    fn most_second_writes(&self, pools: std::ops::Range<u32>) -> Option<u32> {
        let pairs = self.pairs.as_deref()?;
        let valid_in = |unit| -> u32 {
            let words = 0..self.map.words_per_unit();
            words
                .map(|word| (pairs.twice_word(unit, word) & self.map.valid_word(unit, word)).count_ones())
                .sum()
        };
        let closed = (0..self.units.count())
            .filter(|&unit| pools.contains(&self.units.pool_of(unit)) && self.units.is_closed(unit));
        closed.map(|unit| (valid_in(unit), unit)).filter(|&(valid, _)| valid > 0).max().map(|(_, unit)| unit)
    }
}
