//! Programs and erases that fail: no data is lost, and the erase unit goes out of service.
//!
//! A failed program is known when it ends. The page is then written once more in another unit, the
//! unit is condemned (it takes no more writes), its valid pages, which are still readable, are
//! moved the next time that room is made, and it is retired. A unit whose erase fails is retired at
//! once. A retired unit shrinks the drive exactly as a worn one does.
//!
//! Every pool keeps one more unit in reserve, so that the pages of a condemned unit have a place.
//! Where the next failure comes before the reserve is restored, a pool may get stuck; host writes
//! then go to the other pools, and where there is none the drive reports that it is out of space,
//! with all data still readable.

use crate::address::{Pool, Unit};
use crate::hand::Hand;
use crate::state::State;

impl State {
    /// Whether operations can fail at all: the only question on the way of every page.
    #[inline]
    pub(crate) fn may_fail(&self) -> bool {
        self.failures.is_some()
    }

    /// A condemned unit of a pool.
    pub(crate) fn condemned_in(&self, pool: Pool) -> Option<Unit> {
        self.condemned.iter().copied().find(|&unit| self.units.pool_of(unit) == pool)
    }

    /// Whether the erase of a block that was just made failed.
    pub(super) fn erase_failed(&mut self) -> bool {
        let Some(failures) = &mut self.failures else { return false };
        let failed = failures.erase_fails();
        self.counters.erase_failures += u64::from(failed);
        self.bad_blocks += u32::from(failed);
        failed
    }
}

impl Hand {
    /// Whether the program of a slot of a unit that was just made failed; the unit is then condemned.
    #[cold]
    pub(crate) fn program_failed(&mut self, unit: Unit) -> bool {
        let Some(failures) = &mut self.state.failures else { return false };
        // One bad page spoils the logical page.
        if !(0..self.state.layout.slot_pages).any(|_| failures.program_fails()) {
            return false;
        }
        self.state.bad_blocks += 1;
        self.state.counters.program_failures += 1;
        self.state.units.condemn(unit);
        self.state.condemned.push(unit);
        self.note_condemned(unit);
        true
    }

    /// The valid pages of a condemned unit were moved: it goes out of service.
    pub(crate) fn retire_condemned(&mut self, unit: Unit) {
        debug_assert_eq!(self.state.units.valid(unit), 0, "unit {unit} still holds pages");
        // The list may have grown behind this unit.
        self.state.condemned.retain(|&other| other != unit);
        self.forget_unit(unit, true);
        self.state.units.retire(unit);
        self.note_retired(unit);
    }
}
