//! The slots that hold one logical page together: read together, programmed together, valid together.

use rewear_flash::{Address, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Lpn, SlotAddress};
use crate::recycle::Event;
use crate::state::State;
use crate::state::groups::{GroupSlot, MOST_PARTS};

impl State {
    /// The write of several slots that has a part in this valid slot; `None` if the slot holds a page alone.
    #[inline]
    pub(crate) fn group_of(&self, SlotAddress { unit, slot }: SlotAddress) -> Option<GroupSlot> {
        let groups = self.groups.as_deref()?;
        if !groups.is_written(unit, slot) {
            return None;
        }
        let lpn = self.map.owner(self.layout.ppn(unit, slot));
        groups.at(self.layout.slot_address(self.map.find(lpn)))
    }

    /// The flash pages of a write, as many as it has at the beginning of the array.
    #[inline]
    fn pages_of(&self, at: &GroupSlot) -> [Address; MOST_PARTS] {
        let SlotAddress { unit, slot } = at.first();
        let mut pages = [self.layout.address(unit, slot.0); MOST_PARTS];
        for (page, SlotAddress { unit, slot }) in pages.iter_mut().zip(at.parts()).skip(1) {
            *page = self.layout.address(unit, slot.0);
        }
        pages
    }

    /// How the first part was programmed, and so all of them.
    #[inline]
    fn mode_of(&self, at: &GroupSlot) -> ProgramMode {
        let SlotAddress { unit, slot } = at.first();
        self.effort.mode_of(self.layout.ppn(unit, slot))
    }

    /// Reads all parts for the drive's own purposes; returns the end.
    #[inline(never)]
    pub(crate) fn read_group(&mut self, at: Nanos, group: &GroupSlot) -> Result<Nanos, Illegal> {
        let (pages, mode) = (self.pages_of(group), self.mode_of(group));
        let pages = &pages[..group.len()];
        if group.lies_in_one_unit() {
            return each(at, pages, |page| self.array.read(at, page, mode, Transfer::Channel));
        }
        self.array.read_multi_plane(at, pages, mode)
    }

    /// As [`read_group`](Self::read_group), for a waiting host.
    #[inline(never)]
    pub(crate) fn host_read_group(&mut self, at: Nanos, group: &GroupSlot) -> Result<Nanos, Illegal> {
        match group.kind {
            0 => self.counters.second_writes_read += 1,
            _ => self.counters.further_writes_read += 1,
        }
        self.counters.read.host += group.len() as u64;
        let (pages, mode) = (self.pages_of(group), self.mode_of(group));
        let pages = &pages[..group.len()];
        if group.lies_in_one_unit() {
            return each(at, pages, |page| self.array.host_read(at, page, mode, Transfer::Channel));
        }
        self.array.host_read_multi_plane(at, pages, mode)
    }

    /// Copies a write to a slot, as a first write. Returns the end.
    #[inline(never)]
    pub(crate) fn copy_group(
        &mut self,
        at: Nanos,
        group: &GroupSlot,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.counters.read.moved += group.len() as u64;
        let read_at = self.read_group(at, group)?;
        self.program(read_at, unit, slot, mode)
    }

    /// Programs all parts; returns the end.
    pub(crate) fn program_group(
        &mut self,
        at: Nanos,
        group: &GroupSlot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        group.parts().for_each(|SlotAddress { unit, slot }| self.destroyed(unit, slot));
        let pages = self.pages_of(group);
        let pages = &pages[..group.len()];
        let end = if group.lies_in_one_unit() {
            each(at, pages, |page| self.array.program(at, page, mode, Transfer::Channel))?
        } else {
            self.array.program_multi_plane(at, pages, mode)?
        };
        self.counters.programmed.host += group.len() as u64;
        match group.kind {
            0 => self.counters.second_writes += 1,
            kind => self.counters.further_writes[usize::from(kind) - 1] += 1,
        }
        if let Some(groups) = &mut self.groups {
            groups.programmed(group);
        }
        Ok(end)
    }

    /// Whether the program that was just made failed on one of the blocks, which is then condemned.
    #[cold]
    pub(crate) fn group_failed(&mut self, group: &GroupSlot) -> bool {
        group.parts().any(|SlotAddress { unit, slot }| self.program_failed(unit, slot))
    }

    /// A write becomes the place of a logical page; its old place becomes invalid.
    #[inline]
    pub(crate) fn bind_group(&mut self, lpn: Lpn, group: &GroupSlot) {
        if let Some(groups) = &mut self.groups {
            groups.valid_added(&group.group);
        }
        let SlotAddress { unit, slot } = group.first();
        self.hear(Event::Written { ppn: self.layout.ppn(unit, slot) });
        let old = self.map.find(lpn);
        // The first part last: it is where the page map points.
        for SlotAddress { unit, slot } in group.parts().rev() {
            self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
            self.units.valid_added(unit);
        }
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// A write that was moved becomes invalid, but for the part at `moved`, which is so already.
    #[inline(never)]
    pub(crate) fn group_moved(&mut self, moved: SlotAddress, group: &GroupSlot) {
        match group.kind {
            0 => self.counters.second_writes_moved += 1,
            _ => self.counters.further_writes_moved += 1,
        }
        self.invalidate_others(moved, group);
    }

    /// A write, the part of which at `part` was made invalid already, loses its other parts, too.
    #[inline(never)]
    pub(crate) fn invalidate_others(&mut self, part: SlotAddress, group: &GroupSlot) {
        if let Some(groups) = &mut self.groups {
            groups.valid_removed(&group.group);
        }
        for SlotAddress { unit, slot } in group.parts().filter(|&other| other != part) {
            self.map.invalidate(unit, slot);
            self.units.valid_removed(unit);
        }
    }
}

/// Pages of one plane, one after the other; returns the end of the last.
fn each(
    at: Nanos,
    pages: &[Address],
    mut operate: impl FnMut(Address) -> Result<Nanos, Illegal>,
) -> Result<Nanos, Illegal> {
    pages.iter().try_fold(at, |end, &page| Ok(end.max(operate(page)?)))
}
