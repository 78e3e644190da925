//! Erase units, where the reuse scheme has a say: which slots take a write, which unit is cleaned,
//! and what the scheme hears of it.

use crate::address::{Lpn, Pool, Slot, Unit};
use crate::hand::Hand;
use crate::reuse::reclaim_decision::{GivesRoom, ReclaimDecision, UnitEvent, Victim, Why};
use crate::state::State;
use crate::state::units::stream::Stream;

/// A unit whose valid pages are about to be moved; the scheme has been told. Pages move
/// only with one of these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Emptying {
    unit: Unit,
}

impl Emptying {
    #[inline]
    pub(crate) fn unit(self) -> Unit {
        self.unit
    }
}

impl Hand {
    /// Whether a stream's open unit has a slot left, behind those that must be left out.
    pub(crate) fn has_room(&mut self, pool: Pool, stream: Stream) -> bool {
        self.resume(pool, stream);
        self.state.units.has_room(pool, stream)
    }

    /// Whether a host write finds a slot.
    pub(crate) fn offers_slot(&mut self, pool: Pool, stream: Stream) -> bool {
        self.has_room(pool, stream) && self.state.units.offered(pool, stream) > 0
    }

    /// Finds the next slots to be written in an open unit with slots to leave out; `false`
    /// if there are none.
    pub(crate) fn resume(&mut self, pool: Pool, stream: Stream) -> bool {
        let (map, reuse) = (&self.state.map, &self.reuse);
        let blocked = |unit, word| map.valid_word(unit, word) | reuse.exhausted_word(unit, word);
        self.state.units.resume(pool, stream, blocked)
    }

    /// Slots of a stream's open unit that still take a write.
    pub(crate) fn slots_of_open_unit(&self, pool: Pool, stream: Stream) -> u64 {
        let Some((unit, ahead)) = self.state.units.slots_ahead(pool, stream) else { return 0 };
        let blocked = |slot: u32| {
            let word =
                self.state.map.valid_word(unit, slot / 64) | self.reuse.exhausted_word(unit, slot / 64);
            word >> (slot % 64) & 1 == 1
        };
        ahead.filter(|&slot| !blocked(slot)).count() as u64
    }

    pub(crate) fn victim_of(&self, unit: Unit, why: Why) -> Victim {
        Victim { unit, valid_when_taken: self.state.units.valid(unit), why }
    }

    /// What the scheme lets become of a victim.
    pub(crate) fn decision(&self, victim: &Victim) -> ReclaimDecision {
        self.reuse.reclaim(&self.state, victim)
    }

    /// Reclaims a victim without valid pages: it is erased, or reopened with all of its
    /// slots or without some.
    pub(crate) fn decision_when_emptied(&self, victim: &Victim) -> ReclaimDecision {
        // A unit with slots to leave out is no reserve for cleaning, which needs
        // one.
        let needs_free = || self.state.units.needs_free(self.state.units.pool_of(victim.unit));
        match self.decision(victim) {
            ReclaimDecision::Reopen => ReclaimDecision::Reopen,
            ReclaimDecision::ReopenUncertain | ReclaimDecision::ReopenInPlace if !needs_free() => {
                ReclaimDecision::ReopenUncertain
            }
            _ => ReclaimDecision::Erase,
        }
    }

    /// No unit of a pool can be cleaned: whether the scheme gave up something that it held back.
    #[cold]
    pub(crate) fn yield_victims(&mut self, pool: Pool) -> bool {
        self.reuse.yield_victims(&mut self.state, pool)
    }

    /// No pool takes a valid page more in which a logical page may lie: what the scheme gives up.
    pub(crate) fn gives_room(&mut self, lpn: Lpn) -> GivesRoom {
        let pools = self.state.units.pools_for(lpn);
        self.reuse.gives_room(&mut self.state, pools)
    }

    /// Gives the processor a hint of the owners to look up when a unit is cleaned.
    pub(crate) fn hint_owners_in(&self, unit: Unit) {
        let State { map, layout, .. } = &self.state;
        map.hint_row(layout.ppn(unit, Slot(0)), layout.slots_per_unit);
    }

    /// Gives hints of the owners of pages that are about to be moved, where several logical pages may
    /// share one.
    #[inline]
    pub(crate) fn hint_sharers(&self, leaving: &[(Slot, Lpn)]) {
        if let Some(sharing) = &self.state.sharing {
            leaving.iter().for_each(|&(_, owner)| sharing.hint(owner.into()));
        }
    }

    /// To be called before a victim is looked for: so that a look changes nothing, and finds first
    /// what it looks for.
    pub(crate) fn settle_queues(&mut self, pool: Pool) {
        let (State { units, map, .. }, reuse) = (&mut self.state, &self.reuse);
        units.settle_queues(pool);
        units.settle_programmable(pool, |unit| reuse.programmable(map, unit));
    }

    /// Tells the scheme of an event of a unit.
    pub(crate) fn tell(&mut self, unit: Unit, event: UnitEvent) {
        self.reuse.hears(&self.state, unit, event);
    }

    /// The scheme hears that the valid pages of a unit are about to be moved, whatever the reason.
    pub(crate) fn tell_emptying(&mut self, unit: Unit) -> Emptying {
        self.tell(unit, UnitEvent::Emptying);
        Emptying { unit }
    }

    /// A unit was erased, or went out of service (`lost`): what was known of its slots is
    /// forgotten.
    pub(super) fn forget_unit(&mut self, unit: Unit, lost: bool) {
        debug_assert_eq!(self.state.units.valid(unit), 0, "unit {unit} still holds pages");
        if let Some(groups) = &mut self.state.groups {
            groups.forget(unit);
        }
        self.tell(unit, if lost { UnitEvent::Lost } else { UnitEvent::Erased });
    }
}
