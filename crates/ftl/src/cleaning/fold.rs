//! Folds: what is valid in the oldest unit of the cache (`ftl.slc_cache`) is moved to units in the
//! normal mode, and the unit is erased.
//!
//! A folded page is a late host write, so it goes through the open unit of the host, for which room
//! is made as for a write. Where a dynamic cache gives a unit back because the pool is short of
//! free ones, its pages go where those of a victim go: a unit of the cache holds fewer pages than
//! the one that it becomes.

use rewear_flash::Nanos;

use crate::address::Pool;
use crate::cleaning::Cleaner;
use crate::cleaning::clean::{begin_fold, end_fold};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::units::Emptying;
use crate::policies::slc_cache::WhenFull;
use crate::reuse::reclaim_decision::Why;
use crate::state::units::stream::Stream;

/// Idle time under way.
#[derive(Debug, Clone, Copy)]
struct IdleTime {
    begin: Nanos,
    /// When everything asked for so far ends.
    busy: Nanos,
    /// What is left behind that.
    left_ns: Nanos,
}

impl Cleaner {
    /// Folds the oldest full unit of a pool's cache into room that is made for its pages; `false`
    /// where there is none.
    fn fold(&mut self, hand: &mut Hand, at: Nanos, pool: Pool) -> Result<bool, FtlError> {
        let Some(emptying) = begin_fold(hand, pool) else { return Ok(false) };
        let victim = hand.victim_of(emptying.unit(), Why::Room { needy: None });
        let moved = self.fold_into_room(hand, at, pool, emptying);
        end_fold(hand, &victim, moved).map(|()| true)
    }

    fn fold_into_room(
        &mut self,
        hand: &mut Hand,
        at: Nanos,
        pool: Pool,
        emptying: Emptying,
    ) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut moved_at) = (at, at);
        while hand.state().units.valid(emptying.unit()) > 0 {
            // No further than a host write would go before the cleaner is asked again.
            if !hand.offers_slot(pool, Stream::Host) {
                self.make_room(hand, asked_at, pool, Stream::Host)?;
            }
            let room = hand.state().units.offered(pool, Stream::Host);
            let failures = hand.state().counters.program_failures;
            moved_at =
                moved_at.max(self.fold_pages(hand, room.max(1), asked_at, pool, emptying, Stream::Host)?);
            if hand.state().counters.program_failures > failures {
                asked_at = moved_at;
            }
        }
        Ok(moved_at)
    }

    /// Gives the cache of a pool another unit, for which it may fold one; whether it has one then.
    #[cold]
    pub(crate) fn open_cache(&mut self, hand: &mut Hand, at: Nanos, pool: Pool) -> Result<bool, FtlError> {
        hand.units().close_cached(pool);
        loop {
            let Some(cache) = &self.slc_cache else { return Ok(false) };
            if cache.may_grow(&hand.state().units, pool) && hand.units().open_cached(pool).is_some() {
                return Ok(true);
            }
            if cache.when_full == WhenFull::Direct {
                return Ok(false);
            }
            match self.fold(hand, at, pool) {
                Ok(true) => {}
                // The way past the cache says whether there is no room at all.
                Ok(false) | Err(FtlError::OutOfSpace { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether units are folded in idle time.
    pub(super) fn folds_in_idle_time(&self) -> bool {
        self.slc_cache.as_ref().is_some_and(|cache| cache.idle_after_ns.is_some())
    }

    /// Folds full units page by page, all pools side by side, as long as every step ends before
    /// `until` and finds room without a cleaning.
    pub(super) fn fold_in_idle_time(&mut self, hand: &mut Hand, until: Nanos) -> Result<(), FtlError> {
        let Some(after_ns) = self.slc_cache.as_ref().and_then(|cache| cache.idle_after_ns) else {
            return Ok(());
        };
        // Everything asked for so far ends by `busy`, so a step that begins then takes its own time
        // only.
        let begin = hand.state().array.idle_at().saturating_add(after_ns);
        let (mut busy, mut worked) = (begin, true);
        hand.units().close_full_cached();
        while worked {
            worked = false;
            for pool in Pool::all(hand.state().layout.pools) {
                if busy >= until {
                    return Ok(());
                }
                if let Some(end) =
                    self.fold_step(hand, IdleTime { begin, busy, left_ns: until - busy }, pool)?
                {
                    (busy, worked) = (busy.max(end), true);
                }
            }
        }
        Ok(())
    }

    /// Moves a page out of the oldest full unit of a pool's cache, or erases the emptied unit.
    /// Returns the end; `None` if there is nothing to do, no room or no time.
    fn fold_step(
        &mut self,
        hand: &mut Hand,
        IdleTime { begin, busy, left_ns }: IdleTime,
        pool: Pool,
    ) -> Result<Option<Nanos>, FtlError> {
        let Some(unit) = hand.state().units.oldest_cached(pool) else { return Ok(None) };
        if hand.state().units.valid(unit) == 0 {
            let planes = u64::from(hand.state().layout.width);
            let erase_ns = planes * hand.state().array.timing().one_bit_erase_ns;
            if left_ns < erase_ns.saturating_add(hand.commit_before_emptying_ns(unit)) {
                return Ok(None);
            }
            begin_fold(hand, pool);
            let end = hand.reclaim(busy, &hand.victim_of(unit, Why::Idle))?;
            hand.counters().folds += 1;
            hand.counters().idle_folds += 1;
            return Ok(Some(end));
        }
        let move_ns = hand.longest_move_with_summaries_ns() + hand.commit_before_overwriting_ns();
        if left_ns < move_ns || hand.state().units.unreserved_room(pool, Stream::Host) == 0 {
            return Ok(None);
        }
        let Some(emptying) = begin_fold(hand, pool) else { return Ok(None) };
        let before = hand.state().counters.pages_folded;
        let moved = self.fold_pages(hand, 1, begin, pool, emptying, Stream::Host);
        hand.counters().pages_moved_idle += hand.state().counters.pages_folded - before;
        hand.units().break_off_fold(unit);
        match moved {
            // A program that failed took the room. Nobody waits for it.
            Err(FtlError::OutOfSpace { .. }) => Ok(None),
            moved => moved.map(Some),
        }
    }
}
