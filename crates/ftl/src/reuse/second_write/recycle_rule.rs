//! Recycling (section 5.4): what becomes of a victim, and of the pair that an erased block leaves behind.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::Reuse;
use crate::reuse::reclaim_decision::ReclaimDecision;
use crate::reuse::second_write::SecondWrite;
use crate::reuse::second_write::block_states::Victim;
use crate::reuse::second_write::lane::Prefetch;
use crate::state::State;
use crate::state::units::stream::Stream;

impl SecondWrite {
    /// Whether a victim is recycled or emptied and erased.
    pub(in crate::reuse) fn fate(&self, state: &State, unit: u32) -> ReclaimDecision {
        let plane = state.units.pool_of(unit);
        let victim = Victim {
            unit,
            plane,
            valid: state.units.valid(unit),
            clean: state.units.free(plane) as u32,
            erases: state.array.wear().erases()[unit as usize],
        };
        if self.blocks.may_recycle(victim) {
            ReclaimDecision::ReopenForGroups
        } else {
            ReclaimDecision::Erase
        }
    }

    /// Every invalid page of a plane lies in recycled blocks: one of these becomes a victim, as if it had been reused.
    pub(in crate::reuse) fn withdraw(&mut self, state: &mut State, plane: u32) -> bool {
        let room = |unit: u32| state.layout.slots_per_unit - state.units.valid(unit);
        let waiting = self.blocks.waiting(plane).max_by_key(|&unit| room(unit));
        if let Some(unit) = waiting.filter(|&unit| room(unit) > 0) {
            self.blocks.withdraw(unit);
            state.units.end_reopened_for_groups(unit);
            return true;
        }
        let lane = self.lane_of(plane);
        let is_active = self.lanes[lane].active.is_some();
        self.close_pair(state, lane);
        self.close_groups(state, plane) | is_active
    }

    /// Nothing more is written on any active pair or group: their blocks are candidates for cleaning. Whether there was any.
    fn close_all(&mut self, state: &mut State) -> bool {
        let mut any = false;
        for lane in 0..self.lanes.len() {
            any |= self.lanes[lane].active.is_some();
            self.close_pair(state, lane);
        }
        (0..state.layout.pools).fold(any, |any, pool| self.close_groups(state, pool) | any)
    }

    /// A unit is about to lose its second writes, `valid` of which are still valid.
    pub(in crate::reuse) fn begins_to_empty(&mut self, state: &State, unit: u32) {
        let Some(pairs) = &state.pairs else { return };
        let words = 0..state.map.words_per_unit();
        let (mut written, mut valid) = (0, 0);
        for word in words {
            let twice = pairs.twice_word(unit, word);
            written += twice.count_ones();
            valid += (twice & state.map.valid_word(unit, word)).count_ones();
        }
        if written > 0 {
            self.separation.outlived(valid, written);
        }
    }

    /// A unit was erased (and is kept or retired), or retired as it is.
    pub(in crate::reuse) fn erased(&mut self, state: &mut State, unit: u32, lost: bool) {
        self.blocks.leave(unit);
        if lost {
            self.blocks.lose(unit);
        }
        if let Some(pairs) = &mut state.pairs {
            pairs.forget(unit);
        }
    }
}

impl Ftl {
    /// Recycles a victim: its valid pages stay, its invalid ones take second writes.
    pub(crate) fn recycle_block(&mut self, at: Nanos, unit: u32) -> Result<(), FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(()) };
        let state = &mut self.state;
        state.array.reopen(state.layout.block_of(unit, 0).block)?;
        state.units.begin_reopened_for_groups(unit);
        scheme.blocks.recycle(unit);
        state.counters.reopens += 1;
        let pool = state.units.pool_of(unit);
        scheme.want_group(state, pool, at);
        let lane = scheme.lane_of(pool);
        let was_idle = scheme.lanes[lane].active.is_none();
        if was_idle && scheme.config.prefetch && scheme.next_pair(state, lane).is_some() {
            scheme.lanes[lane].prefetch = Prefetch::Due(at);
        }
        Ok(())
    }

    /// Every pool holds as many valid pages as it may. Where units went out of service, second writes may take the room of
    /// logical pages: they are moved, as first writes, until a pool takes host writes. Returns that pool.
    #[cold]
    pub(crate) fn make_pages_of_second_writes(&mut self, at: Nanos, lpn: Lpn) -> Result<u32, FtlError> {
        loop {
            if let Some(pool) = self.state.units.choose_pool(lpn) {
                return Ok(pool);
            }
            let pools = self.state.units.pools_for(lpn);
            let Some(unit) = self.state.most_second_writes(pools) else {
                let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
                if scheme.close_all(&mut self.state) {
                    continue;
                }
                return Err(self.out_of_space());
            };
            let pool = self.state.units.pool_of(unit);
            self.reuse.begins_to_empty(&self.state, unit);
            self.state.units.begin_cleaning(unit);
            self.state.counters.victim_valid_pages += u64::from(self.state.units.valid(unit));
            let found_at = self.find_owners(at, unit)?;
            let moved_at = self.move_valid_pages(found_at, pool, unit, Stream::Moved)?;
            self.state.counters.garbage_collections += 1;
            self.reclaim(moved_at, unit)?;
        }
    }
}

impl State {
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
