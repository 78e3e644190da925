//! The slots that hold one logical page together: read together, programmed together, valid
//! together.

use rewear_flash::{Address, Array, Illegal, Nanos, ProgramMode, Transfer};

use super::SecondWrite;
use super::encoding::GroupCells;
use crate::address::{Lpn, Slot, SlotAddress, Unit};
use crate::error::FtlError;
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

    /// How many of these valid pages of a unit come before the first part of such a write.
    #[inline]
    pub(crate) fn alone_among(&self, unit: Unit, pages: &[(Slot, Lpn)]) -> usize {
        let groups = self.block_map();
        let first = pages.iter().position(|&(slot, _)| groups.is_written(unit, slot));
        first.unwrap_or(pages.len())
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

    /// The place of a write, which its reader knows.
    pub(crate) fn place_of(&self, slots: GroupSlot) -> u64 {
        self.layout.ppn(slots.first.unit, slots.first.slot).into()
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

    /// Does something with the flash pages of a write: with all at once where they lie on several
    /// planes, else with each, one after the other. Returns the end of the last.
    #[inline]
    fn on_pages(
        &mut self,
        slots: GroupSlot,
        together: impl Fn(&mut Array, &[Address]) -> Result<Nanos, Illegal>,
        (at, each): (Nanos, impl Fn(&mut Array, Address) -> Result<Nanos, Illegal>),
    ) -> Result<Nanos, Illegal> {
        let pages = self.pages_of(slots);
        if self.block_map().are_parallel() {
            return together(&mut self.array, &pages);
        }
        pages.iter().try_fold(at, |end, &page| Ok(end.max(each(&mut self.array, page)?)))
    }

    /// Reads all parts for the drive's own purposes; returns the end.
    #[inline]
    pub(crate) fn read_parts(
        &mut self,
        at: Nanos,
        slots: GroupSlot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.on_pages(
            slots,
            |array, pages| array.read_multi_plane(at, pages, mode),
            (at, |array, page| array.read(at, page, mode, Transfer::Channel)),
        )
    }

    /// As [`read_parts`](Self::read_parts), for a waiting host.
    #[inline]
    pub(crate) fn host_read_parts(
        &mut self,
        at: Nanos,
        slots: GroupSlot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.counters.second_writes_read += 1;
        self.counters.read.host += PARTS as u64;
        self.on_pages(
            slots,
            |array, pages| array.host_read_multi_plane(at, pages, mode),
            (at, |array, page| array.host_read(at, page, mode, Transfer::Channel)),
        )
    }

    /// Programs all parts; returns the end.
    #[inline]
    pub(crate) fn program_parts(
        &mut self,
        at: Nanos,
        slots: GroupSlot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        debug_assert!(self.are_over_invalid_pages(slots), "{slots:?} holds valid pages or takes no write");
        let end = self.on_pages(
            slots,
            |array, pages| array.program_multi_plane(at, pages, mode),
            (at, |array, page| array.program(at, page, mode, Transfer::Channel)),
        )?;
        self.counters.second_writes += 1;
        if let Some(groups) = &mut self.groups {
            groups.programmed(slots);
        }
        Ok(end)
    }

    /// Whether all slots of a write are invalid and were not written together since their erase.
    fn are_over_invalid_pages(&self, slots: GroupSlot) -> bool {
        let groups = self.block_map();
        let is_free = |SlotAddress { unit, slot }: SlotAddress| {
            !self.map.is_valid(unit, slot) && !groups.is_written(unit, slot)
        };
        groups.parts(slots).into_iter().all(is_free)
    }

    /// A write becomes the place of a logical page.
    #[inline]
    pub(crate) fn bind_parts(&mut self, lpn: Lpn, slots: GroupSlot) {
        let Some(groups) = &mut self.groups else { return };
        groups.valid_added(slots);
        // The first part last: it is where the page map points.
        for SlotAddress { unit, slot } in groups.parts(slots).into_iter().rev() {
            self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
            self.units.valid_added(unit);
        }
    }

    /// A write that was moved becomes invalid, but for the part at `moved`, which is so already.
    #[inline(never)]
    pub(crate) fn parts_moved(&mut self, moved: SlotAddress, slots: GroupSlot) {
        self.counters.second_writes_moved += 1;
        self.invalidate_parts(slots, |part| part != moved);
    }

    /// All parts of the write become invalid; the first lies in a slot.
    #[inline(never)]
    pub(crate) fn invalidate_parts_at(&mut self, first: SlotAddress) {
        if let Some(slots) = self.block_map().at(first) {
            self.invalidate_parts(slots, |_| true);
        }
    }

    #[inline(always)] // Its two callers; one is the way of every second write.
    fn invalidate_parts(&mut self, slots: GroupSlot, which: impl Fn(SlotAddress) -> bool) {
        let Some(groups) = &mut self.groups else { return };
        groups.valid_removed(slots);
        for part in groups.parts(slots).into_iter().filter(|&part| which(part)) {
            self.map.invalidate(part.unit, part.slot);
            self.units.valid_removed(part.unit);
        }
    }
}

/// On stored cells.
impl SecondWrite {
    /// The cell images of a write's pages.
    pub(crate) fn images(&mut self) -> &mut [Vec<u8>] {
        self.active.cells.as_deref_mut().map_or(&mut [], GroupCells::images)
    }

    /// Loads the images of a write. Returns whether all are right.
    pub(crate) fn load_images(&mut self, state: &State, slots: GroupSlot) -> Result<bool, FtlError> {
        let mut right = true;
        for (index, image) in self.images().iter_mut().enumerate() {
            let SlotAddress { unit, slot } = state.part_of(slots, index);
            right &= state.array.load_cells(state.layout.address(unit, slot.0), image)?;
        }
        Ok(right)
    }

    /// Reads the page of the loaded images.
    ///
    /// # Errors
    /// Cells that hold no such write.
    pub(crate) fn decode_parts(&mut self, address: u64, page: &mut [u8]) -> Result<(), FtlError> {
        match &mut self.active.cells {
            Some(cells) => cells.decode(address, page),
            None => Err(FtlError::Code("a second write on a drive without them".into())),
        }
    }
}
