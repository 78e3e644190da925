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

use rewear_flash::Nanos;

use crate::address::{Pool, Ppn, SlotAddress, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::recovery::entry::Change;
use crate::state::State;
use crate::state::units::stream::Stream;

impl State {
    /// Whether operations can fail at all: the only question on the way of every page.
    #[inline]
    pub(crate) fn may_fail(&self) -> bool {
        self.failures.is_some()
    }

    fn condemned_in(&self, pool: Pool) -> Option<Unit> {
        self.condemned.iter().copied().find(|&unit| self.units.pool_of(unit) == pool)
    }

    /// Whether the erase of a block that was just made failed.
    pub(crate) fn erase_failed(&mut self, block: u32) -> bool {
        let Some(failures) = &mut self.failures else { return false };
        let failed = failures.erase_fails(self.array.wear().erases()[block as usize]);
        self.counters.erase_failures += u64::from(failed);
        self.bad_blocks += u32::from(failed);
        failed
    }
}

impl Ftl {
    /// Whether the program of a slot that was just made failed; its unit is then condemned.
    #[cold]
    pub(crate) fn program_failed(&mut self, SlotAddress { unit, slot }: SlotAddress) -> bool {
        let Some(failures) = &mut self.state.failures else { return false };
        let slot_pages = self.state.layout.slot_pages_of(unit);
        let pages = slot.0 * slot_pages..(slot.0 + 1) * slot_pages;
        let erases = self.state.array.wear().erases();
        let mut blocks = pages.map(|page| self.state.layout.address(unit, page).block);
        // One bad page spoils the logical page.
        if !blocks.any(|block| failures.program_fails(erases[block as usize])) {
            return false;
        }
        self.state.bad_blocks += 1;
        self.state.counters.program_failures += 1;
        self.state.units.condemn(unit);
        self.state.condemned.push(unit);
        if self.log.is_some() {
            self.note(Change::Condemned { unit }, [Ppn::NONE; 2]);
        }
        true
    }

    /// Notes that a unit went out of service.
    pub(crate) fn note_retired(&mut self, unit: Unit) {
        if self.log.is_some() {
            self.note(Change::Retired { unit }, [Ppn::NONE; 2]);
        }
    }
}

impl Ftl {
    /// Moves the valid pages off the condemned units of a pool and retires these. A move may
    /// condemn another unit.
    pub(crate) fn rescue(&mut self, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        while let Some(unit) = self.state.condemned_in(pool) {
            self.tell_emptying(unit);
            self.move_valid_pages(at, pool, unit, Stream::Moved)?;
            // The list may have grown behind this unit.
            self.state.condemned.retain(|&other| other != unit);
            self.forget_unit(unit, true);
            self.state.units.retire(unit);
            self.note_retired(unit);
        }
        Ok(())
    }

    /// Failures took the free units: a slot for a page that cleaning moves in what the other
    /// streams have open. After a failure the pages of the condemned unit and those of the next
    /// victim may fit only with these slots, and a pool without a free unit gets one by cleaning
    /// only.
    pub(crate) fn take_slot_of_others(&mut self, pool: Pool, stream: Stream) -> Option<SlotAddress> {
        // Levelling can wait.
        if stream == Stream::Levelled {
            return None;
        }
        // Moved pages are colder than what the host writes, and later classes colder than earlier
        // ones.
        let classes = self.state.units.classes().rev();
        let others = [Stream::Levelled].into_iter().chain(classes).chain([Stream::HostCold, Stream::Host]);
        others.into_iter().find_map(|other| {
            self.resume(pool, other);
            self.state.units.offer(pool, other, false);
            self.state.units.take_slot(pool, other)
        })
    }
}
