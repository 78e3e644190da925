//! The one way to program a logical page: mode, cells and record, array, counter, failure, and the
//! map.
//!
//! Host writes, moves, rewrites, overwrites in place, writes over the slots of a group and the
//! pages of the log come by here. The [`Cause`] decides the mode, the record's kind, the counter
//! and what the map learns.

use rewear_flash::{Address, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::cause::{Cause, LogicalPage, Outcome, RecordedPage, Source};
use crate::hand::path::Way;
use crate::hand::recovery::spare_area::SpareMetadata;
use crate::hand::stored;
use crate::shape::layout::MAX_SLOT_PAGES;
use crate::state::State;
use crate::state::counters::ProgramCause;
use crate::state::groups::{GroupSlot, PARTS};
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::Stream;

impl Hand {
    /// Programs a logical page to a slot and maps it there. On stored cells its data was prepared
    /// (see [`prepare`](Self::prepare)). Where the program failed nothing is mapped.
    ///
    /// Where the [`Way`] is not `GENERAL`, programs are of one page each and cannot fail, and pages
    /// that move go in [rows](super::rows).
    #[inline(always)] // The way of every page.
    pub(crate) fn program_page<W: Way>(
        &mut self,
        at: Nanos,
        page: LogicalPage,
        to: SlotAddress,
    ) -> Result<Outcome, FtlError> {
        let mode = if W::GRADED { self.mode_for(&page, to) } else { ProgramMode::NORMAL };
        if W::GENERAL && self.state.array.stores_cells() {
            self.store_with_record(page.recorded(), to, mode)?;
        }
        let end = match page.cause {
            Cause::Moved(from) => self.copy_page(at, &from, to, mode)?,
            _ if W::GENERAL => self.program_slot(at, to, mode)?,
            _ => {
                if W::OBSERVED {
                    self.destroyed(to);
                }
                let address = self.state.layout.address(to.unit, to.slot.0);
                self.state.array.program(at, address, mode, Transfer::Channel)?
            }
        };
        let pages = if W::GENERAL { u64::from(self.state.layout.slot_pages) } else { 1 };
        *self.state.counters.programmed.by(page.cause.kind()) += pages;
        if W::GENERAL && self.state.may_fail() && self.page_failed(page.cause.kind(), to) {
            return Ok(Outcome { end, failed: true });
        }
        self.bind::<W>(&page, to);
        Ok(Outcome { end, failed: false })
    }

    /// As [`program_page`](Self::program_page), over the slots of a group, for whose cells the page
    /// was encoded.
    #[inline]
    pub(crate) fn program_page_on_group(
        &mut self,
        at: Nanos,
        page: LogicalPage,
        to: GroupSlot,
    ) -> Result<Outcome, FtlError> {
        let mode = self.mode_for(&page, to.first);
        if self.state.array.stores_cells() {
            self.store_group_with_records(page.recorded(), to, mode)?;
        }
        if self.recycle.listens() {
            self.group_destroyed(to);
        }
        let end = self.state.program_parts(at, to, mode)?;
        *self.state.counters.programmed.by(page.cause.kind()) += PARTS as u64;
        if self.state.may_fail() && self.group_failed(to) {
            return Ok(Outcome { end, failed: true });
        }
        self.bind_group(page.lpn, to);
        Ok(Outcome { end, failed: false })
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
    fn group_failed(&mut self, slots: GroupSlot) -> bool {
        (0..PARTS).any(|index| self.program_failed(self.state.part_of(slots, index).unit))
    }

    /// With how much effort a page is programmed.
    #[inline(always)] // Folds to the one question of the cause.
    fn mode_for(&mut self, page: &LogicalPage, to: SlotAddress) -> ProgramMode {
        if let Some(mode) = self.mode_of_cache(page, to) {
            return mode;
        }
        let to = self.state.layout.ppn(to.unit, to.slot);
        match page.cause {
            Cause::Host => self.effort.mode_to_write(page.lpn, to),
            // A page is read by the mode of its first program.
            Cause::Overwritten => self.effort.mode_of(to),
            Cause::Moved(from) => self.effort.mode_to_move(page.lpn, from.ppn, to),
            Cause::Rewritten { from } => {
                self.effort.mode_to_rewrite(self.state.layout.ppn(from.unit, from.slot), to)
            }
            Cause::Metadata => ProgramMode::NORMAL,
        }
    }

    /// The mode in which a page is to be programmed, where the cache has a say in it: its own, or,
    /// of a page that leaves it, that of a host write.
    #[inline]
    fn mode_of_cache(&mut self, page: &LogicalPage, to: SlotAddress) -> Option<ProgramMode> {
        let mode = self.cache_mode?;
        let units = &self.state.units;
        if units.is_cached(to.unit) {
            return Some(mode);
        }
        match page.cause {
            Cause::Moved(from) if units.is_cached(from.at.unit) => {
                Some(self.effort.mode_to_write(page.lpn, self.state.layout.ppn(to.unit, to.slot)))
            }
            _ => None,
        }
    }

    /// Sets the stored cells of a slot to the page that was prepared for it, with its record; the
    /// program must follow.
    #[inline(never)]
    fn store_with_record(
        &mut self,
        page: RecordedPage,
        to: SlotAddress,
        mode: ProgramMode,
    ) -> Result<(), FtlError> {
        let metadata = self.metadata_of(page, to.unit, mode);
        stored::raise(&mut self.state, &self.reuse, &mut self.buffers, to, metadata)
    }

    /// As [`store_with_record`](Self::store_with_record), of the slots of a group.
    fn store_group_with_records(
        &mut self,
        page: RecordedPage,
        to: GroupSlot,
        mode: ProgramMode,
    ) -> Result<(), FtlError> {
        let metadata = self.metadata_of(page, to.first.unit, mode);
        stored::raise_group(&mut self.state, &mut self.reuse, &mut self.buffers, to, metadata)
    }

    /// What the record of a page says that its place does not tell.
    fn metadata_of(&self, page: RecordedPage, unit: Unit, mode: ProgramMode) -> SpareMetadata {
        // The record shows how the unit is filled.
        let is_low = self.state.units.fill(unit) == Fill::Low;
        let stream = self.state.units.stream_index(if is_low { Stream::Overwrite } else { page.stream });
        SpareMetadata { kind: page.kind, lpn: page.lpn, mode, stream }
    }

    #[cold]
    fn page_failed(&mut self, cause: ProgramCause, to: SlotAddress) -> bool {
        match cause {
            ProgramCause::Metadata => self.state.log_program_failed(),
            _ => self.program_failed(to.unit),
        }
    }

    /// Copies a page to a slot: within its plane, or by way of the controller. Returns the end.
    #[inline(always)]
    fn copy_page(
        &mut self,
        at: Nanos,
        from: &Source,
        to: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        if let Some(group) = from.group {
            return self.copy_group(at, group, to, mode);
        }
        self.state.counters.read.moved += u64::from(self.state.layout.slot_pages);
        if self.state.copies_back {
            let read_mode = self.mode_of(from.at);
            self.destroyed(to);
            let layout = &self.state.layout;
            let source = layout.address(from.at.unit, from.at.slot.0);
            let place = layout.address(to.unit, to.slot.0);
            return self.state.array.copy_back(at, (source, read_mode), (place, mode));
        }
        let read_at = match from.read_at {
            Some(read_at) => read_at.max(at),
            None => self.read_slot(at, from.at)?,
        };
        self.program_slot(read_at, to, mode)
    }

    /// Copies a second write to a slot, as a first write. Returns the end.
    #[inline(never)]
    fn copy_group(
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

    /// Programs all flash pages of a slot; returns the end of the last.
    #[inline]
    pub(crate) fn program_slot(
        &mut self,
        at: Nanos,
        to: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.destroyed(to);
        if self.state.layout.slot_pages == 1 {
            let address = self.state.layout.address(to.unit, to.slot.0);
            return self.state.array.program(at, address, mode, Transfer::Channel);
        }
        self.program_wide(at, to, mode)
    }

    /// The pages of a slot go one after the other, unless some of them lie on several planes of a
    /// die.
    fn program_wide(
        &mut self,
        at: Nanos,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let State { layout, array, .. } = &mut self.state;
        let slot_pages = layout.slot_pages;
        let (first, mut end) = (slot.0 * slot_pages, at);
        if layout.width == 1 {
            return array.program_row(at, layout.address(unit, first), slot_pages, mode);
        }
        if array.geometry().planes_per_die > 1 {
            return self.program_in_commands(at, SlotAddress { unit, slot }, mode);
        }
        for page in first..first + slot_pages {
            let address = layout.address(unit, page);
            end = end.max(array.program(at, address, mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// Pages of a slot that lie on several planes of one die go in one multi-plane command.
    #[inline(never)]
    fn program_in_commands(
        &mut self,
        at: Nanos,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let (layout, planes_per_die) = (&self.state.layout, self.state.array.geometry().planes_per_die);
        let slot_pages = layout.slot_pages;
        let mut command = [layout.address(unit, slot.0 * slot_pages); MAX_SLOT_PAGES];
        let (mut end, mut filled) = (at, 0);
        for page in 0..slot_pages {
            let address = self.state.layout.address(unit, slot.0 * slot_pages + page);
            let joins = filled > 0
                && address.plane / planes_per_die == command[0].plane / planes_per_die
                && command[..filled].iter().all(|earlier| earlier.plane != address.plane);
            if filled > 0 && !joins {
                end = end.max(self.program_command(at, &command[..filled], mode)?);
                filled = 0;
            }
            command[filled] = address;
            filled += 1;
        }
        Ok(end.max(self.program_command(at, &command[..filled], mode)?))
    }

    fn program_command(&mut self, at: Nanos, pages: &[Address], mode: ProgramMode) -> Result<Nanos, Illegal> {
        match pages {
            [single] => self.state.array.program(at, *single, mode, Transfer::Channel),
            several => self.state.array.program_multi_plane(at, several, mode),
        }
    }
}
