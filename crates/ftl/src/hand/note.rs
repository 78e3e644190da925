//! Changes that program no page are noted, on a drive that keeps a log.

use crate::address::{Lpn, Ppn, SlotAddress, Unit};
use crate::hand::Hand;
use crate::hand::recovery::entry::Change;
use crate::state::State;

impl State {
    /// The number of the next program or change.
    pub(super) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    /// The place of the second half of the second write whose first half lies in a page, if one
    /// does.
    fn other_half_of(&self, ppn: Ppn) -> Ppn {
        let Some(groups) = self.groups.as_deref().filter(|_| ppn.is_some()) else { return Ppn::NONE };
        let slots = groups.at(self.layout.slot_address(ppn));
        slots.map_or(Ppn::NONE, |slots| {
            let SlotAddress { unit, slot } = groups.part(slots, 1);
            self.layout.ppn(unit, slot)
        })
    }
}

impl Hand {
    /// Notes that a logical page lies elsewhere without a program of its own, or nowhere any more,
    /// and what it released.
    #[inline]
    pub(super) fn note_mapped(&mut self, lpn: Lpn, ppn: Ppn, released: Ppn) {
        if self.log.is_some() {
            let other_half = self.state.other_half_of(released);
            self.note(Change::Mapped { lpn, ppn }, [released, other_half]);
        }
    }

    /// Notes that a program failed on a unit.
    pub(super) fn note_condemned(&mut self, unit: Unit) {
        self.note(Change::Condemned { unit }, [Ppn::NONE; 2]);
    }

    /// Notes that a unit went out of service.
    pub(super) fn note_retired(&mut self, unit: Unit) {
        self.note(Change::Retired { unit }, [Ppn::NONE; 2]);
    }

    #[cold]
    fn note(&mut self, change: Change, released: [Ppn; 2]) {
        if let Some(log) = &mut self.log {
            log.note(self.state.next_sequence(), change, released);
        }
    }
}
