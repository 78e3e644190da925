//! What the map learns of a program, and how slots become valid and invalid.

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::config::choices::MovedTo;
use crate::hand::Hand;
use crate::hand::cause::{Cause, LogicalPage, Source};
use crate::hand::path::Way;
use crate::recycle::scheme::Event;
use crate::state::groups::{GroupSlot, PARTS};

impl Hand {
    /// A page was programmed to a slot, which becomes its place; its old place becomes invalid.
    #[inline(always)] // The way of every page.
    pub(crate) fn bind<W: Way>(&mut self, page: &LogicalPage, to: SlotAddress) {
        match page.cause {
            Cause::Host if W::OBSERVED && (!W::GENERAL || self.recycle.listens()) => {
                self.bind_observed(page.lpn, to)
            }
            Cause::Host => self.bind_written::<W>(page.lpn, to),
            Cause::Moved(from) => self.bind_moved(page.lpn, &from, to),
            Cause::Rewritten { from } => self.bind_rewritten(page.lpn, from, to),
            Cause::Overwritten => self.hear(Event::Written { ppn: self.state.layout.ppn(to.unit, to.slot) }),
            Cause::Metadata => {}
        }
    }

    #[inline(always)]
    fn bind_written<W: Way>(&mut self, lpn: Lpn, SlotAddress { unit, slot }: SlotAddress) {
        let state = &mut self.state;
        let old = state.map.find(lpn);
        state.map.bind(lpn, state.layout.ppn(unit, slot), unit, slot);
        state.units.valid_added(unit);
        if old.is_none() {
            return;
        }
        if W::GENERAL || W::GROUPED {
            return self.invalidate(lpn, old);
        }
        let SlotAddress { unit, slot } = state.layout.slot_address(old);
        state.map.invalidate(unit, slot);
        state.units.valid_removed(unit);
    }

    /// As [`bind_written`](Self::bind_written), where a recycling scheme listens; out of the way of
    /// drives without one.
    #[inline(never)]
    fn bind_observed(&mut self, lpn: Lpn, SlotAddress { unit, slot }: SlotAddress) {
        let ppn = self.state.layout.ppn(unit, slot);
        self.hear(Event::Written { ppn });
        let old = self.state.map.find(lpn);
        self.state.map.bind(lpn, ppn, unit, slot);
        self.state.units.valid_added(unit);
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    #[inline(always)]
    fn bind_moved(&mut self, lpn: Lpn, from: &Source, SlotAddress { unit, slot }: SlotAddress) {
        let state = &mut self.state;
        let new = state.layout.ppn(unit, slot);
        state.map.bind(lpn, new, unit, slot);
        state.map.invalidate(from.at.unit, from.at.slot);
        if self.recycle.listens() {
            self.content_moved(lpn, from.ppn, new);
        }
        let units = &mut self.state.units;
        match self.state.moved_to {
            MovedTo::Drive | MovedTo::DriveNested => units.valid_moved_anywhere(from.at.unit, unit),
            MovedTo::Pool => units.valid_moved(from.at.unit, unit),
        }
        if let Some(group) = from.group {
            self.state.parts_moved(from.at, group);
        }
        self.state.counters.pages_moved += 1;
    }

    fn bind_rewritten(&mut self, lpn: Lpn, from: SlotAddress, SlotAddress { unit, slot }: SlotAddress) {
        let state = &mut self.state;
        state.counters.pages_rewritten += 1;
        let (old, new) = (state.layout.ppn(from.unit, from.slot), state.layout.ppn(unit, slot));
        state.map.bind(lpn, new, unit, slot);
        state.units.valid_added(unit);
        if self.recycle.listens() {
            self.content_moved(lpn, old, new);
            // Where several share the page, it was moved for this one.
            self.state.map.set_owner(old, lpn);
        }
        self.invalidate(lpn, old);
    }

    /// A slot loses its logical page; its content stays until it is destroyed.
    #[inline]
    pub(crate) fn invalidate(&mut self, lpn: Lpn, ppn: Ppn) {
        let at = self.state.layout.slot_address(ppn);
        if self.state.groups.as_deref().is_some_and(|groups| groups.is_written(at.unit, at.slot)) {
            self.state.invalidate_parts_at(at);
            // An invalid write in several slots does not come back: they lie in several units, and
            // each may go alone.
            return self.hear(Event::Destroyed { lpn, ppn });
        }
        self.state.map.invalidate(at.unit, at.slot);
        self.state.units.valid_removed(at.unit);
        self.state.units.may_program_more(at.unit, 1);
        debug_assert_eq!(self.state.map.owner(ppn), lpn);
        self.hear(Event::Invalidated { lpn, ppn });
    }

    /// A logical page gives up its place, which becomes invalid unless others share it.
    #[inline]
    pub(crate) fn release(&mut self, lpn: Lpn, ppn: Ppn) {
        if self.state.sharing.is_some() && self.stays_shared(lpn, ppn) {
            return;
        }
        self.invalidate(lpn, ppn);
    }

    #[cold]
    fn stays_shared(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        let state = &mut self.state;
        let Some(other) = state.sharing.as_mut().and_then(|sharing| sharing.leave(lpn)) else { return false };
        state.map.set_owner(ppn, other);
        if let Some(group) = state.group_of(state.layout.slot_address(ppn)) {
            for index in 1..PARTS {
                let SlotAddress { unit, slot } = state.part_of(group, index);
                state.map.set_owner(state.layout.ppn(unit, slot), other);
            }
        }
        true
    }

    /// The page of `lpn` moved to `to`: so it did for all who share it, and the recycling scheme
    /// hears of it.
    #[inline]
    pub(super) fn content_moved(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        if self.state.sharing.is_some() {
            self.redirect_sharers(lpn, from, to);
        }
        self.hear(Event::Moved { from, to });
    }

    #[cold]
    fn redirect_sharers(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        let next =
            |hand: &Hand, other| hand.state.sharing.as_ref().map_or(lpn, |sharing| sharing.next(other));
        let mut other = next(self, lpn);
        while other != lpn {
            self.state.map.redirect(other, to);
            self.note_mapped(other, to, from);
            other = next(self, other);
        }
    }

    /// A second write becomes the place of a logical page; its old place becomes invalid.
    #[inline]
    pub(super) fn bind_group(&mut self, lpn: Lpn, slots: GroupSlot) {
        self.hear(Event::Written { ppn: self.state.layout.ppn(slots.first.unit, slots.first.slot) });
        let old = self.state.map.find(lpn);
        self.state.bind_parts(lpn, slots);
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// The host gives up a logical page.
    pub(crate) fn unbind(&mut self, lpn: Lpn, ppn: Ppn) {
        debug_assert_eq!(self.state.map.find(lpn), ppn, "LPN {lpn} lies elsewhere");
        self.state.map.unbind(lpn);
        self.note_mapped(lpn, Ppn::NONE, ppn);
        self.release(lpn, ppn);
    }

    /// An invalid page becomes the place of a logical page; its old place loses it.
    pub(crate) fn revive(&mut self, lpn: Lpn, at: SlotAddress) {
        let old = self.state.map.find(lpn);
        let ppn = self.state.layout.ppn(at.unit, at.slot);
        self.note_mapped(lpn, ppn, old);
        self.state.map.bind(lpn, ppn, at.unit, at.slot);
        self.state.units.valid_revived(at.unit);
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// A valid page becomes the place of one more logical page.
    pub(crate) fn share(&mut self, lpn: Lpn, ppn: Ppn) {
        let old = self.state.map.find(lpn);
        if old == ppn {
            return;
        }
        self.note_mapped(lpn, ppn, old);
        self.state.map.redirect(lpn, ppn);
        if old.is_some() {
            self.release(lpn, old);
        }
        let owner = self.state.map.owner(ppn);
        if let Some(sharing) = &mut self.state.sharing {
            sharing.join(lpn, owner);
        }
    }

    /// Tells the recycling scheme of an event.
    #[inline(always)]
    pub(crate) fn hear(&mut self, event: Event) {
        if self.recycle.listens() {
            self.recycle.hear(event, &mut self.state.units.content_score);
        }
    }

    /// A slot is about to be programmed: whatever it held is gone.
    #[inline]
    pub(crate) fn destroyed(&mut self, at: SlotAddress) {
        if self.recycle.listens() {
            let ppn = self.state.layout.ppn(at.unit, at.slot);
            self.hear(Event::Destroyed { lpn: self.state.map.owner(ppn), ppn });
        }
    }
}
