//! Recycling (section 5.4): the fate of a victim, and of the groups that an erased block leaves
//! behind.

use std::ops::Range;

use rewear_flash::Nanos;

use super::SecondWrite;
use super::config::Recycling;
use super::guard::Guard;
use super::recycle_rule::Victim;
use crate::address::{Lpn, Pool, Slot, Unit};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::reuse::reclaim_decision::{GivesRoom, Why};
use crate::state::State;

impl SecondWrite {
    /// Whether a victim is recycled instead of emptied and erased.
    pub(super) fn recycles_for(&self, view: &State, unit: Unit, why: Why) -> bool {
        let is_asked = match (self.config.recycling, why) {
            (Recycling::BeforeErasing, Why::Room { .. }) => !self.pauses(),
            (Recycling::ForHotWrites, Why::Groups) => true,
            _ => false,
        };
        if !is_asked {
            return false;
        }
        let plane = view.units.pool_of(unit);
        let erases = view.array.wear().erases()[unit.index()];
        let victim = Victim { unit, plane, has_clean: !view.units.lacks_free(plane), erases };
        self.rule.may_recycle(&self.blocks, victim)
    }

    /// A block is recycled: what lies there may be prefetched.
    pub(super) fn recycle(&mut self, state: &mut State, unit: Unit, at: Nanos) {
        self.blocks.recycle(unit);
        let plane = state.units.pool_of(unit);
        let lane = self.active.lane_of(plane);
        if self.active.lanes[lane].active.is_none() {
            self.want_next(state, lane, at);
        }
    }

    /// Every invalid page of a plane lies in recycled blocks: one of these becomes a victim, as if
    /// it had been reused.
    pub(crate) fn withdraw(&mut self, state: &mut State, plane: Pool) -> bool {
        let room = |unit: Unit| state.layout.slots_per_unit - state.units.valid(unit);
        let waiting = self.blocks.waiting(plane).max_by_key(|&unit| room(unit));
        if let Some(unit) = waiting.filter(|&unit| room(unit) > 0) {
            self.blocks.withdraw(&mut state.units, unit);
            return true;
        }
        self.close_group(state, plane)
    }

    /// Nothing more is written on the active group of a plane: its blocks are candidates for
    /// cleaning. Whether there was one.
    fn close_group(&mut self, state: &mut State, plane: Pool) -> bool {
        let lane = self.active.lane_of(plane);
        self.active.close(&mut state.units, &mut self.blocks, lane)
    }

    /// A host write arrives: the guard may end second writes for some time, or let them begin again.
    #[inline]
    pub(super) fn watch(&mut self, state: &mut State, lpn: Lpn) {
        if self.guard.as_mut().is_some_and(|guard| guard.host_writes(lpn)) {
            self.look(state);
        }
    }

    #[cold]
    fn look(&mut self, state: &mut State) {
        let room = |unit: Unit| u64::from(state.layout.slots_per_unit - state.units.valid(unit));
        let planes = || Pool::all(state.layout.pools);
        let waiting: u64 = planes().flat_map(|plane| self.blocks.waiting(plane)).map(room).sum();
        let held = waiting + state.groups.as_ref().map_or(0, |groups| groups.excess_total());
        if let Some(guard) = &mut self.guard {
            guard.look(held);
        }
        if self.pauses() {
            for plane in Pool::all(state.layout.pools) {
                self.blocks.withdraw_all(&mut state.units, plane);
                self.close_group(state, plane);
            }
        }
    }

    /// Whether the guard lets no second writes be made.
    #[inline]
    pub(super) fn pauses(&self) -> bool {
        self.guard.as_ref().is_some_and(Guard::pauses)
    }

    /// Where no pool takes a valid page more, blocks with second writes are cleaned: where units
    /// went out of service, these may have taken the room of logical pages.
    pub(crate) fn room_for_pages(&mut self, state: &mut State, pools: Range<Pool>) -> GivesRoom {
        if let Some(unit) = most_valid_groups(state, pools) {
            return GivesRoom::Clean { unit };
        }
        let any =
            Pool::all(state.layout.pools).fold(false, |any, plane| self.close_group(state, plane) | any);
        if any { GivesRoom::AskAgain } else { GivesRoom::Nothing }
    }

    /// A reused block instead of a victim that would be erased, if emptying it costs less for the
    /// room that it gives: a second write occupies two pages and is moved as one. Greedy cleaning
    /// counts both as valid, so second writes that outlive their blocks would stay.
    pub(super) fn outlived_or(&mut self, view: &State, plane: Pool, chosen: Unit) -> Unit {
        if self.recycles_for(view, chosen, Why::Room { needy: None }) {
            return chosen;
        }
        let (Some(groups), Some(unit)) = (&view.groups, self.blocks.next_reused(plane)) else {
            return chosen;
        };
        if !view.units.is_closed(unit) {
            return chosen;
        }
        let again = |word| (groups.written_word(unit, word) & view.map.valid_word(unit, word)).count_ones();
        let again: u32 = (0..view.map.words_per_unit()).map(again).sum();
        if 2 * view.units.valid(unit) - again < 2 * view.units.valid(chosen) { unit } else { chosen }
    }

    /// A unit is about to lose its valid pages; some may be second writes.
    pub(super) fn begins_to_empty(&mut self, view: &State, unit: Unit) {
        let Some(groups) = &view.groups else { return };
        let (mut written, mut outlived) = (0, 0);
        for word in 0..view.map.words_per_unit() {
            let (again, valid) = (groups.written_word(unit, word), view.map.valid_word(unit, word));
            written += again.count_ones();
            outlived += (again & valid).count_ones();
        }
        if let Some(guard) = &mut self.guard {
            let valid =
                (0..view.layout.slots_per_unit).map(Slot).filter(|&slot| view.map.is_valid(unit, slot));
            valid.for_each(|slot| guard.moves(view.map.owner(view.layout.ppn(unit, slot))));
        }
        if written > 0 {
            self.separation.outlived(outlived, written);
        }
    }

    /// A unit was erased (and is kept or retired), or retired as it is.
    pub(super) fn erased(&mut self, unit: Unit, lost: bool) {
        self.blocks.leave(unit);
        if lost {
            self.blocks.lose(unit);
        } else {
            self.blocks.count_erase(unit);
        }
    }
}

/// Recycles a victim.
pub(crate) fn recycle(hand: &mut Hand, at: Nanos, unit: Unit) -> Result<(), FtlError> {
    hand.counters().victim_valid_pages += u64::from(hand.state().units.valid(unit));
    hand.counters().garbage_collections += 1;
    hand.reopen_for_groups(unit)?;
    let (scheme, state) = hand.second_writes();
    scheme.recycle(state, unit, at);
    Ok(())
}

/// The closed unit of some pools with the most valid pages of second writes, if any has one.
fn most_valid_groups(view: &State, pools: Range<Pool>) -> Option<Unit> {
    let groups = view.groups.as_deref()?;
    let valid_in = |unit| -> u32 {
        let words = 0..view.map.words_per_unit();
        words
            .map(|word| (groups.written_word(unit, word) & view.map.valid_word(unit, word)).count_ones())
            .sum()
    };
    let closed = Unit::all(view.units.count())
        .filter(|&unit| pools.contains(&view.units.pool_of(unit)) && view.units.is_closed(unit));
    closed.map(|unit| (valid_in(unit), unit)).filter(|&(valid, _)| valid > 0).max().map(|(_, unit)| unit)
}
