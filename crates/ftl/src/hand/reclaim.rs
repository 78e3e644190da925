//! Reclaiming a victim without valid pages: an erase, or the reuse scheme's own way.

use rewear_flash::Nanos;

use crate::address::Unit;
use crate::error::FtlError;
use crate::hand::Hand;
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};

impl Hand {
    /// Erases or reopens an emptied victim, as the reuse scheme says; returns when that ends.
    pub(crate) fn reclaim(&mut self, at: Nanos, victim: &Victim) -> Result<Nanos, FtlError> {
        debug_assert_eq!(self.state.units.valid(victim.unit), 0, "{victim:?} still holds pages");
        let at = self.before_emptying(at, victim.unit)?;
        match self.decision_when_emptied(victim) {
            ReclaimDecision::Erase => self.erase(at, victim.unit),
            decision => self.reopen(victim.unit, decision == ReclaimDecision::Reopen).map(|()| at),
        }
    }

    fn erase(&mut self, at: Nanos, unit: Unit) -> Result<Nanos, FtlError> {
        self.unit_destroyed(unit);
        let (end, unfit) = self.erase_blocks(at, unit)?;
        self.forget_unit(unit, unfit);
        if unfit {
            self.state.units.retire(unit);
            self.note_retired(unit);
        } else {
            self.state.units.release(unit);
        }
        Ok(end)
    }

    /// Gives a unit back for writing: free if all of its slots take a page.
    pub(crate) fn reopen(&mut self, unit: Unit, free: bool) -> Result<(), FtlError> {
        self.unit_destroyed(unit);
        for index in 0..self.state.layout.width {
            self.state.array.reopen(self.state.layout.block_of(unit, index).block)?;
        }
        self.state.counters.reopens += 1;
        self.tell(unit, UnitEvent::Reopened);
        if free {
            self.state.units.release(unit);
        } else {
            self.state.units.reopen(unit);
        }
        Ok(())
    }

    /// Gives a unit back whose valid pages stay: its invalid slots are for second writes.
    pub(crate) fn reopen_for_groups(&mut self, unit: Unit) -> Result<(), FtlError> {
        self.state.array.reopen(self.state.layout.block_of(unit, 0).block)?;
        self.state.units.begin_reopened_for_groups(unit);
        self.state.counters.reopens += 1;
        Ok(())
    }

    /// The time that the erase of a unit takes at most: a die may erase the blocks of its planes
    /// one after the other.
    pub(crate) fn longest_erase_ns(&self) -> Nanos {
        let blocks = self.state.layout.width.min(self.state.array.geometry().planes_per_service_unit);
        self.state.array.timing().erase_ns * u64::from(blocks)
    }
}
