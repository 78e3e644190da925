//! Garbage collection: a victim is chosen, taken and emptied.
//!
//! The reuse scheme names the victim and decides its fate: its valid pages are moved within
//! the pool and the unit is erased or given back as it is, or the pages stay and the rest of the
//! unit is written again.

use rewear_flash::Nanos;

use crate::address::{Pool, Unit};
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::units::Emptying;
use crate::reuse::reclaim_decision::{ReclaimDecision, Victim, Why};
use crate::reuse::second_write::recycle_or_erase::recycle;
use crate::state::units::stream::Stream;

impl Cleaner {
    /// Makes room by one victim of a pool. `needy` is the stream that has no room, if any.
    pub(crate) fn clean(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        needy: Option<Stream>,
    ) -> Result<(), FtlError> {
        if self.slc_cache.as_ref().is_some_and(|cache| cache.gives_room(&hand.state().units, pool)) {
            return self.fold_into_reserve(hand, at, pool);
        }
        let unit = self.choose_victim_or_yield(hand, pool).ok_or_else(|| hand.out_of_space())?;
        self.clean_unit(hand, at, pool, unit, needy)
    }

    /// The unit of a pool that cleaning should take, for which the scheme may have to give up
    /// something.
    fn choose_victim_or_yield(&mut self, hand: &mut Hand, pool: Pool) -> Option<Unit> {
        let victim = self.choose_victim(hand, pool);
        if victim.is_none() && hand.yield_victims(pool) { self.choose_victim(hand, pool) } else { victim }
    }

    /// The unit of a pool that cleaning should take: the scheme's own choice, or that of the victim
    /// policy, which the scheme may weigh against another.
    pub(super) fn choose_victim(&mut self, hand: &mut Hand, pool: Pool) -> Option<Unit> {
        hand.settle_queues(pool);
        let (reuse, state) = hand.reuse_mut();
        let own = reuse.own_victim(state, pool);
        own.or_else(|| {
            let chosen = self.victim.choose(&state.units, pool);
            reuse.victim(state, pool, chosen)
        })
    }

    /// The unit of a pool that the victim policy names.
    pub(crate) fn victim_by_policy(&mut self, hand: &mut Hand, pool: Pool) -> Option<Unit> {
        hand.settle_queues(pool);
        self.victim.choose(&hand.state().units, pool)
    }

    /// Makes room by a victim.
    pub(super) fn clean_unit(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        unit: Unit,
        needy: Option<Stream>,
    ) -> Result<(), FtlError> {
        hand.hint_owners_in(unit);
        let victim = hand.victim_of(unit, Why::Room { needy });
        let decision = hand.decision(&victim);
        if let (ReclaimDecision::Seal, Some(stream)) = (decision, needy) {
            return seal(hand, at, unit, stream);
        }
        if decision == ReclaimDecision::ReopenForGroups {
            return recycle(hand, at, unit);
        }
        let emptying = self.take_victim(hand, &victim);
        let units = &hand.state().units;
        if decision == ReclaimDecision::ReopenInPlace && (units.counts_waiting() || !units.is_short(pool)) {
            hand.counters().garbage_collections += 1;
            return hand.reopen(unit, false);
        }
        self.collect(hand, at, &victim, emptying)?;
        if let Some(next) = hand.state().units.fewest_valid(pool) {
            hand.hint_owners_in(next);
        }
        Ok(())
    }

    /// Cleaning has chosen a unit whose pages are to be moved: it is no candidate any more.
    pub(super) fn take_victim(&mut self, hand: &mut Hand, victim: &Victim) -> Emptying {
        hand.counters().victim_valid_pages += u64::from(victim.valid_when_taken);
        self.begin_to_empty(hand, victim.unit)
    }

    fn begin_to_empty(&mut self, hand: &mut Hand, unit: Unit) -> Emptying {
        let emptying = hand.tell_emptying(unit);
        let units = &hand.state().units;
        self.streams.reclaimed(unit, units.last_stream(unit), units.valid(unit));
        hand.units().begin_cleaning(unit);
        emptying
    }

    /// Moves the valid pages of a victim, and reclaims it.
    fn collect(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        victim: &Victim,
        emptying: Emptying,
    ) -> Result<(), FtlError> {
        let pool = hand.state().units.pool_of(victim.unit);
        let found_at = hand.find_owners(at, victim.unit)?;
        let moved_at = self.move_valid_pages(hand, found_at, pool, emptying, Stream::Moved)?;
        hand.counters().garbage_collections += 1;
        hand.reclaim(moved_at, victim).map(drop)
    }

    /// Moves the pages of a unit that the scheme gives up for room, as first writes.
    pub(super) fn give_up(&mut self, hand: &mut Hand, at: Nanos, unit: Unit) -> Result<(), FtlError> {
        let victim = hand.victim_of(unit, Why::Room { needy: None });
        let emptying = self.take_victim(hand, &victim);
        self.collect(hand, at, &victim, emptying)
    }

    /// Moves the valid pages off the condemned units of a pool and retires these. A move may
    /// condemn another unit.
    pub(super) fn rescue(&mut self, hand: &mut Hand, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        while let Some(unit) = hand.state().condemned_in(pool) {
            let emptying = hand.tell_emptying(unit);
            self.move_valid_pages(hand, at, pool, emptying, Stream::Moved)?;
            hand.retire_condemned(unit);
        }
        Ok(())
    }

    /// Empties the coldest unit of a pool if the wear of the pool's units lies too far apart, as
    /// policy `ftl.wear_levelling` asks.
    pub(super) fn level_wear(&mut self, hand: &mut Hand, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        let Some(spread) = self.spread_passes else { return Ok(()) };
        let limit = hand.state().units.most_wear(pool).saturating_sub(spread);
        self.empty_coldest(hand, at, pool, limit)
    }

    /// Empties the least worn closed unit of a pool, if its wear is below `limit`, into the most
    /// worn free one.
    fn empty_coldest(&mut self, hand: &mut Hand, at: Nanos, pool: Pool, limit: u32) -> Result<(), FtlError> {
        if hand.state().units.free(pool) == 0 {
            return Ok(());
        }
        let Some(cold) = hand.units().least_worn_closed(pool, limit) else { return Ok(()) };
        let victim = hand.victim_of(cold, Why::Levelling);
        let emptying = self.begin_to_empty(hand, cold);
        let before = hand.state().counters.pages_moved;
        let moved = self.move_valid_pages(hand, at, pool, emptying, Stream::Levelled);
        hand.counters().pages_levelled += hand.state().counters.pages_moved - before;
        let moved_at = moved?;
        hand.counters().levellings += 1;
        hand.reclaim(moved_at, &victim)?;
        Ok(())
    }

    /// Folds the oldest full unit of a pool's cache into the room that cleaning keeps.
    fn fold_into_reserve(&mut self, hand: &mut Hand, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        let Some(emptying) = begin_fold(hand, pool) else { return Ok(()) };
        let victim = hand.victim_of(emptying.unit(), Why::Room { needy: None });
        let moved = self.fold_pages(hand, u32::MAX, at, pool, emptying, Stream::Moved);
        end_fold(hand, &victim, moved)
    }

    /// Moves the first `pages` valid pages of a unit of the cache.
    pub(super) fn fold_pages(
        &mut self,
        hand: &mut Hand,
        pages: u32,
        at: Nanos,
        pool: Pool,
        emptying: Emptying,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let before = hand.state().counters.pages_moved;
        let moved = self.move_up_to(hand, pages, at, pool, emptying, stream);
        hand.counters().pages_folded += hand.state().counters.pages_moved - before;
        moved
    }

    /// Power may have failed in the middle of a cleaning, which works with the last free units.
    /// Ends it before the host can take the room that is left in them.
    pub(crate) fn restore_reserves(&mut self, hand: &mut Hand) -> Result<(), FtlError> {
        for pool in Pool::all(hand.state().layout.pools) {
            for _ in 0..hand.state().layout.units_per_pool {
                if !hand.state().units.is_short(pool) {
                    break;
                }
                match self.rescue(hand, 0, pool).and_then(|()| self.clean(hand, 0, pool, None)) {
                    Err(FtlError::OutOfSpace { .. }) => break,
                    cleaned => cleaned?,
                }
            }
        }
        Ok(())
    }
}

/// The oldest full unit of a pool's cache is about to be folded; `None` where there is none.
pub(super) fn begin_fold(hand: &mut Hand, pool: Pool) -> Option<Emptying> {
    let unit = hand.units().begin_fold(pool)?;
    Some(hand.tell_emptying(unit))
}

/// Its pages were moved, or found no room.
pub(super) fn end_fold(
    hand: &mut Hand,
    victim: &Victim,
    moved: Result<Nanos, FtlError>,
) -> Result<(), FtlError> {
    match moved {
        Err(error) => {
            hand.units().break_off_fold(victim.unit);
            Err(error)
        }
        Ok(moved_at) => {
            hand.reclaim(moved_at, victim)?;
            hand.counters().folds += 1;
            Ok(())
        }
    }
}

/// Seals an overwrite unit: its low pages are never programmed again, and its high pages become the
/// open unit of `stream`. The summary on its last low page says whose bits in the map are to be
/// cleared.
fn seal(hand: &mut Hand, at: Nanos, unit: Unit, stream: Stream) -> Result<(), FtlError> {
    hand.read_summary(at, unit)?;
    hand.units().open_sealed(unit, stream);
    hand.counters().seals += 1;
    Ok(())
}
