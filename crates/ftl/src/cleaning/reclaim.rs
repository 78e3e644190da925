//! What becomes of a victim without valid pages: an erase, or what the reuse scheme does instead.

use rewear_flash::Nanos;

use crate::address::Unit;
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};

impl Ftl {
    /// Erases or reopens an emptied victim, as the reuse scheme says; returns when that ends.
    pub(crate) fn reclaim(&mut self, at: Nanos, victim: &Victim) -> Result<Nanos, FtlError> {
        let at = self.before_emptying(at, victim.unit)?;
        match self.decision_when_emptied(victim) {
            ReclaimDecision::Erase => self.erase(at, victim.unit),
            decision => self.reopen(victim.unit, decision == ReclaimDecision::Reopen).map(|()| at),
        }
    }

    /// What becomes of a victim without valid pages: it is erased, or reopened with all of its
    /// slots or without some.
    pub(crate) fn decision_when_emptied(&self, victim: &Victim) -> ReclaimDecision {
        // A unit of which slots may have to be left out is no reserve for cleaning, which needs
        // one.
        let needs_free = || self.state.units.needs_free(self.state.units.pool_of(victim.unit));
        match self.reuse.reclaim(&self.state, victim) {
            ReclaimDecision::Reopen => ReclaimDecision::Reopen,
            ReclaimDecision::ReopenUncertain | ReclaimDecision::ReopenInPlace if !needs_free() => {
                ReclaimDecision::ReopenUncertain
            }
            _ => ReclaimDecision::Erase,
        }
    }

    /// A unit was erased, or went out of service (`lost`): what was known of its slots is
    /// forgotten.
    pub(crate) fn forget_unit(&mut self, unit: Unit, lost: bool) {
        if let Some(groups) = &mut self.state.groups {
            groups.forget(unit);
        }
        self.reuse.hears(&self.state, unit, if lost { UnitEvent::Lost } else { UnitEvent::Erased });
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
    pub(super) fn reopen(&mut self, unit: Unit, free: bool) -> Result<(), FtlError> {
        self.unit_destroyed(unit);
        for index in 0..self.state.layout.width {
            self.state.array.reopen(self.state.layout.block_of(unit, index).block)?;
        }
        self.state.counters.reopens += 1;
        self.reuse.hears(&self.state, unit, UnitEvent::Reopened);
        if free {
            self.state.units.release(unit);
        } else {
            self.state.units.reopen(unit);
        }
        Ok(())
    }
}
