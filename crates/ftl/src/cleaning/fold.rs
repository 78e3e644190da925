//! Folds: what is valid in the oldest unit of the cache (`ftl.slc_cache`) is moved to units in the
//! normal mode, and the unit is erased.
//!
//! A folded page is a late host write, so it goes through the open unit of the host, for which room
//! is made as for a write. Where a dynamic cache gives a unit back because the pool is short of
//! free ones, its pages go where those of a victim go: a unit of the cache holds fewer pages than
//! the one that it becomes.

use rewear_flash::Nanos;

use crate::address::{Pool, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::reclaim_decision::Why;
use crate::state::units::stream::Stream;

/// Where folded pages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldInto {
    /// To room that is made for them.
    Room,
    /// To the room that cleaning keeps.
    Reserve,
}

impl Ftl {
    /// Folds the oldest full unit of a pool's cache; `false` where there is none.
    pub(crate) fn fold(&mut self, at: Nanos, pool: Pool, into: FoldInto) -> Result<bool, FtlError> {
        let Some(unit) = self.begin_fold(pool) else { return Ok(false) };
        let victim = self.victim_of(unit, Why::Room { needy: None });
        let moved = match into {
            FoldInto::Room => self.fold_into_room(at, pool, unit),
            FoldInto::Reserve => self.fold_pages(u32::MAX, at, pool, unit, Stream::Moved),
        };
        match moved {
            Err(error) => {
                self.state.units.break_off_fold(unit);
                Err(error)
            }
            Ok(moved_at) => {
                self.reclaim(moved_at, &victim)?;
                self.state.counters.folds += 1;
                Ok(true)
            }
        }
    }

    fn begin_fold(&mut self, pool: Pool) -> Option<Unit> {
        let unit = self.state.units.begin_fold(pool)?;
        self.tell_emptying(unit);
        Some(unit)
    }

    fn fold_into_room(&mut self, at: Nanos, pool: Pool, unit: Unit) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut moved_at) = (at, at);
        while self.state.units.valid(unit) > 0 {
            // No further than a host write would go before the cleaner is asked again.
            if !self.offers_slot(pool, Stream::Host) {
                self.make_room(asked_at, pool, Stream::Host)?;
            }
            let room = self.state.units.offered(pool, Stream::Host);
            let failures = self.state.counters.program_failures;
            moved_at = moved_at.max(self.fold_pages(room.max(1), asked_at, pool, unit, Stream::Host)?);
            if self.state.counters.program_failures > failures {
                asked_at = moved_at;
            }
        }
        Ok(moved_at)
    }

    fn fold_pages(
        &mut self,
        pages: u32,
        at: Nanos,
        pool: Pool,
        unit: Unit,
        stream: Stream,
    ) -> Result<Nanos, FtlError> {
        let before = self.state.counters.pages_moved;
        let moved = self.move_up_to(pages, at, pool, unit, stream);
        self.state.counters.pages_folded += self.state.counters.pages_moved - before;
        moved
    }

    /// Folds full units page by page, all pools side by side, as long as every step ends before
    /// `until` and finds room without a cleaning.
    pub(crate) fn fold_in_idle_time(&mut self, until: Nanos) -> Result<(), FtlError> {
        let Some(after_ns) = self.slc_cache.as_ref().and_then(|cache| cache.idle_after_ns) else {
            return Ok(());
        };
        // Everything asked for so far ends by `busy`, so a step that begins then takes its own time
        // only.
        let begin = self.state.array.idle_at().saturating_add(after_ns);
        let (mut busy, mut worked) = (begin, true);
        self.state.units.close_full_cached();
        while worked {
            worked = false;
            for pool in Pool::all(self.state.layout.pools) {
                if busy >= until {
                    return Ok(());
                }
                if let Some(end) = self.fold_step((begin, busy), until - busy, pool)? {
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
        (begin, busy): (Nanos, Nanos),
        left_ns: Nanos,
        pool: Pool,
    ) -> Result<Option<Nanos>, FtlError> {
        let Some(unit) = self.state.units.oldest_cached(pool) else { return Ok(None) };
        if self.state.units.valid(unit) == 0 {
            let planes = u64::from(self.state.layout.width);
            let erase_ns = planes * self.state.array.timing().one_bit_erase_ns;
            if left_ns < erase_ns.saturating_add(self.commit_before_emptying_ns(unit)) {
                return Ok(None);
            }
            self.begin_fold(pool);
            let end = self.reclaim(busy, &self.victim_of(unit, Why::Idle))?;
            self.state.counters.folds += 1;
            self.state.counters.idle_folds += 1;
            return Ok(Some(end));
        }
        let move_ns = self.longest_move_with_summaries_ns() + self.commit_before_overwriting_ns();
        if left_ns < move_ns || self.state.units.unreserved_room(pool, Stream::Host) == 0 {
            return Ok(None);
        }
        self.begin_fold(pool);
        let before = self.state.counters.pages_folded;
        let moved = self.fold_pages(1, begin, pool, unit, Stream::Host);
        self.state.counters.pages_moved_idle += self.state.counters.pages_folded - before;
        self.state.units.break_off_fold(unit);
        match moved {
            // A program that failed took the room. Nobody waits for it.
            Err(FtlError::OutOfSpace { .. }) => Ok(None),
            moved => moved.map(Some),
        }
    }
}
