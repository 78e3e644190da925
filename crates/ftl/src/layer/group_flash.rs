//! The slots that hold one logical page together: read together, programmed together, valid
//! together.

use rewear_flash::{Address, Array, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Lpn, SlotAddress};
use crate::layer::Ftl;
use crate::recycle::scheme::Event;
use crate::state::State;
use crate::state::groups::{GroupSlot, Groups, PARTS};

impl State {
    /// The write of several slots that has a part in this valid slot; `None` if the slot holds a
    /// page alone.
    #[inline(always)] // The question of every page.
    pub(crate) fn group_of(&self, part: SlotAddress) -> Option<GroupSlot> {
        let groups = self.groups.as_deref()?;
        if groups.is_written(part.unit, part.slot) { self.group_at(groups, part) } else { None }
    }

    #[inline(never)]
    fn group_at(&self, groups: &Groups, SlotAddress { unit, slot }: SlotAddress) -> Option<GroupSlot> {
        let lpn = self.map.owner(self.layout.ppn(unit, slot));
        groups.at(self.layout.slot_address(self.map.find(lpn)))
    }

    /// The block map, on a drive that has writes of several slots.
    #[inline]
    fn block_map(&self) -> &Groups {
        self.groups
            .as_deref()
            .unwrap_or_else(|| unreachable!("only a drive with groups has writes of several slots"))
    }

    /// Part `index` of a write.
    #[inline]
    pub(crate) fn part_of(&self, slots: GroupSlot, index: usize) -> SlotAddress {
        self.block_map().part(slots, index)
    }

    /// The flash pages of a write.
    #[inline]
    fn pages_of(&self, slots: GroupSlot) -> [Address; PARTS] {
        let groups = self.block_map();
        let mut pages = [Address { plane: 0, block: 0, page: 0 }; PARTS];
        // A loop over indices: with `std::array::from_fn` and with slices it took half as many
        // instructions more.
        for (index, page) in pages.iter_mut().enumerate() {
            let SlotAddress { unit, slot } = groups.part(slots, index);
            *page = self.layout.address(unit, slot.0);
        }
        pages
    }

    /// Does something with the flash pages of a write.
    #[inline]
    fn on_pages(
        &mut self,
        slots: GroupSlot,
        operate: impl Fn(&mut Array, &[Address]) -> Result<Nanos, Illegal>,
    ) -> Result<Nanos, Illegal> {
        let pages = self.pages_of(slots);
        operate(&mut self.array, &pages)
    }
}

impl Ftl {
    /// How the first part was programmed, and so all of them.
    #[inline]
    fn mode_of_group(&self, slots: GroupSlot) -> ProgramMode {
        self.effort.mode_of(self.state.layout.ppn(slots.first.unit, slots.first.slot))
    }

    /// Reads all parts for the drive's own purposes; returns the end.
    #[inline(never)]
    pub(crate) fn read_group(&mut self, at: Nanos, slots: GroupSlot) -> Result<Nanos, Illegal> {
        let mode = self.mode_of_group(slots);
        if self.state.block_map().are_parallel() {
            return self.state.on_pages(slots, |array, pages| array.read_multi_plane(at, pages, mode));
        }
        self.state.on_pages(slots, |array, pages| {
            each(at, pages, |page| array.read(at, page, mode, Transfer::Channel))
        })
    }

    /// As [`read_group`](Self::read_group), for a waiting host.
    #[inline(never)]
    pub(crate) fn host_read_group(&mut self, at: Nanos, slots: GroupSlot) -> Result<Nanos, Illegal> {
        self.state.counters.second_writes_read += 1;
        self.state.counters.read.host += PARTS as u64;
        let mode = self.mode_of_group(slots);
        if self.state.block_map().are_parallel() {
            return self.state.on_pages(slots, |array, pages| array.host_read_multi_plane(at, pages, mode));
        }
        self.state.on_pages(slots, |array, pages| {
            each(at, pages, |page| array.host_read(at, page, mode, Transfer::Channel))
        })
    }

    /// Copies a write to a slot, as a first write. Returns the end.
    #[inline(never)]
    pub(crate) fn copy_group(
        &mut self,
        at: Nanos,
        slots: GroupSlot,
        to: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.state.counters.read.moved += PARTS as u64;
        let read_at = self.read_group(at, slots)?;
        self.program_slot(read_at, to, mode)
    }

    /// Programs all parts; returns the end.
    #[inline]
    pub(crate) fn program_group(
        &mut self,
        at: Nanos,
        slots: GroupSlot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        if self.recycle.listens() {
            self.group_destroyed(slots);
        }
        let end = if self.state.block_map().are_parallel() {
            self.state.on_pages(slots, |array, pages| array.program_multi_plane(at, pages, mode))?
        } else {
            self.state.on_pages(slots, |array, pages| {
                each(at, pages, |page| array.program(at, page, mode, Transfer::Channel))
            })?
        };
        self.state.counters.second_writes += 1;
        if let Some(groups) = &mut self.state.groups {
            groups.programmed(slots);
        }
        Ok(end)
    }

    /// What lay in the parts is gone.
    #[inline(never)]
    fn group_destroyed(&mut self, slots: GroupSlot) {
        for index in 0..PARTS {
            self.destroyed(self.state.part_of(slots, index));
        }
    }

    /// Whether the program that was just made failed on one of the blocks, which is then condemned.
    #[cold]
    pub(crate) fn group_failed(&mut self, slots: GroupSlot) -> bool {
        (0..PARTS).any(|index| self.program_failed(self.state.part_of(slots, index)))
    }

    /// A write becomes the place of a logical page; its old place becomes invalid.
    #[inline]
    pub(crate) fn bind_group(&mut self, lpn: Lpn, slots: GroupSlot) {
        self.hear(Event::Written { ppn: self.state.layout.ppn(slots.first.unit, slots.first.slot) });
        let old = self.state.map.find(lpn);
        if let Some(groups) = &mut self.state.groups {
            groups.valid_added(slots);
            // The first part last: it is where the page map points.
            for SlotAddress { unit, slot } in groups.parts(slots).into_iter().rev() {
                self.state.map.bind(lpn, self.state.layout.ppn(unit, slot), unit, slot);
                self.state.units.valid_added(unit);
            }
        }
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// A write that was moved becomes invalid, but for the part at `moved`, which is so already.
    #[inline(never)]
    pub(crate) fn group_moved(&mut self, moved: SlotAddress, slots: GroupSlot) {
        self.state.counters.second_writes_moved += 1;
        self.invalidate_parts(slots, |part| part != moved);
    }

    /// All parts of the write, the first of which lies in a slot, become invalid.
    #[inline(never)]
    pub(crate) fn invalidate_group(&mut self, first: SlotAddress) {
        if let Some(slots) = self.state.block_map().at(first) {
            self.invalidate_parts(slots, |_| true);
        }
    }

    #[inline(always)] // Its two callers, of which one is the way of every second write.
    fn invalidate_parts(&mut self, slots: GroupSlot, which: impl Fn(SlotAddress) -> bool) {
        let Some(groups) = &mut self.state.groups else { return };
        groups.valid_removed(slots);
        for part in groups.parts(slots).into_iter().filter(|&part| which(part)) {
            self.state.map.invalidate(part.unit, part.slot);
            self.state.units.valid_removed(part.unit);
        }
    }
}

/// Pages of one plane, one after the other; returns the end of the last.
#[inline]
fn each(
    at: Nanos,
    pages: &[Address],
    mut operate: impl FnMut(Address) -> Result<Nanos, Illegal>,
) -> Result<Nanos, Illegal> {
    pages.iter().try_fold(at, |end, &page| Ok(end.max(operate(page)?)))
}
