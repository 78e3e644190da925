//! A victim is chosen, taken and cleaned: the one way in which the valid pages of a unit begin to
//! leave.

use rewear_flash::Nanos;

use crate::address::{Pool, Slot, Unit};
use crate::error::FtlError;
use crate::layer::Ftl;
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim, Why};
use crate::state::State;
use crate::state::units::stream::Stream;

impl Ftl {
    /// The unit of a pool that cleaning should take, for which the scheme may have to give up
    /// something.
    pub(crate) fn choose_victim_or_yield(&mut self, pool: Pool) -> Option<Unit> {
        let victim = self.choose_victim(pool);
        if victim.is_none() && self.yields_victims(pool) { self.choose_victim(pool) } else { victim }
    }

    /// Makes room by a victim.
    pub(crate) fn clean_unit(
        &mut self,
        at: Nanos,
        pool: Pool,
        unit: Unit,
        needy: Option<Stream>,
    ) -> Result<(), FtlError> {
        self.hint_owners_in(unit);
        let victim = self.victim_of(unit, Why::Room { needy });
        match (self.take_victim(&victim), needy) {
            (ReclaimDecision::Seal, Some(stream)) => return self.seal(at, unit, stream),
            (ReclaimDecision::ReopenInPlace, _)
                if self.state.units.counts_waiting() || !self.state.units.is_short(pool) =>
            {
                self.state.counters.garbage_collections += 1;
                return self.reopen(unit, false);
            }
            _ => {}
        }
        let at = self.find_owners(at, unit)?;
        let moved_at = self.move_valid_pages(at, pool, unit, Stream::Moved)?;
        self.state.counters.garbage_collections += 1;
        self.reclaim(moved_at, &victim)?;
        if let Some(next) = self.state.units.fewest_valid(pool) {
            self.hint_owners_in(next);
        }
        if self.victim.wants_cold_data(&self.state.units, unit, pool) {
            let limit = self.state.units.wear(unit);
            return self.empty_coldest(at, pool, limit);
        }
        Ok(())
    }

    /// Gives the processor a hint of whose pages will be looked up when a unit is cleaned.
    fn hint_owners_in(&self, unit: Unit) {
        let State { map, layout, .. } = &self.state;
        map.hint_row(layout.ppn(unit, Slot(0)), layout.slots_per_unit);
    }

    /// No unit of a pool can be cleaned: whether the scheme gave up something that it held back.
    #[cold]
    fn yields_victims(&mut self, pool: Pool) -> bool {
        let any = self.reuse.yield_victims(&self.state, pool);
        if any {
            self.obey();
        }
        any
    }

    /// Seals an overwrite unit: its low pages are never programmed again, and its high pages become
    /// the open unit of `stream`. The summary on its last low page says whose bits in the map are
    /// to be cleared.
    fn seal(&mut self, at: Nanos, unit: Unit, stream: Stream) -> Result<(), FtlError> {
        self.read_summary(at, unit)?;
        self.state.units.open_sealed(unit, stream);
        self.state.counters.seals += 1;
        Ok(())
    }

    /// Reads the summary of a victim, if the drive keeps the owners of its pages there only.
    pub(crate) fn find_owners(&mut self, at: Nanos, victim: Unit) -> Result<Nanos, FtlError> {
        if self.state.summary_reads { Ok(self.read_summary(at, victim)?) } else { Ok(at) }
    }

    /// The unit of a pool that cleaning should take: the scheme's own choice, or that of the victim
    /// policy, which the scheme may weigh against another.
    pub(crate) fn choose_victim(&mut self, pool: Pool) -> Option<Unit> {
        self.state.units.settle_queues(pool);
        let own = self.reuse.own_victim(&self.state, pool);
        own.or_else(|| {
            let chosen = self.victim.choose(&self.state.units, pool);
            self.reuse.victim(&self.state, pool, chosen)
        })
    }

    pub(crate) fn victim_of(&self, unit: Unit, why: Why) -> Victim {
        Victim { unit, valid_when_taken: self.state.units.valid(unit), why }
    }

    /// Cleaning has chosen a unit: says what becomes of it, and takes it out of the index unless
    /// its pages stay in another way.
    pub(crate) fn take_victim(&mut self, victim: &Victim) -> ReclaimDecision {
        let decision = self.reuse.reclaim(&self.state, victim);
        if decision == ReclaimDecision::Seal {
            return decision;
        }
        self.state.counters.victim_valid_pages += u64::from(victim.valid_when_taken);
        self.begin_to_empty(victim.unit);
        decision
    }

    /// The valid pages of a unit are about to be moved: it is no candidate for cleaning any more.
    pub(crate) fn begin_to_empty(&mut self, unit: Unit) {
        self.tell_emptying(unit);
        let units = &self.state.units;
        self.streams.reclaimed(unit, units.last_stream(unit), units.valid(unit));
        self.state.units.begin_cleaning(unit);
    }

    /// The scheme hears that the valid pages of a unit are about to be moved, whatever the reason.
    pub(crate) fn tell_emptying(&mut self, unit: Unit) {
        self.reuse.hears(&self.state, unit, UnitEvent::Emptying);
        if self.reuse.chooses_places() {
            self.obey();
        }
    }
}
