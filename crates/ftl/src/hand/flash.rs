//! Reads of slots, erases of units, and the summaries of units: what the layer does with the array
//! beside programs.

use rewear_flash::medium::Operation;
use rewear_flash::{Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Pool, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::state::State;
use crate::state::groups::{GroupSlot, PARTS};
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::Stream;

impl Hand {
    /// Reads the logical page in a slot, all its flash pages, for a waiting host; returns the end
    /// of the last.
    #[inline]
    pub(crate) fn host_read_page(&mut self, at: Nanos, from: SlotAddress) -> Result<Nanos, Illegal> {
        if let Some(group) = self.state.group_of(from) {
            return self.host_read_group(at, group);
        }
        let slot_pages = self.state.layout.slot_pages;
        self.state.counters.read.host += u64::from(slot_pages);
        let mode = self.mode_of(from);
        let first = from.slot.0 * slot_pages;
        let mut end = at;
        for page in first..first + slot_pages {
            let address = self.state.layout.address(from.unit, page);
            end = end.max(self.state.array.host_read(at, address, mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// Reads the logical page in a slot for the drive's own purposes; returns the end of the last,
    /// and the flash pages read.
    #[inline]
    pub(crate) fn read_page(&mut self, at: Nanos, from: SlotAddress) -> Result<(Nanos, u64), Illegal> {
        match self.state.group_of(from) {
            Some(group) => Ok((self.read_group(at, group)?, PARTS as u64)),
            None => Ok((self.read_slot(at, from)?, u64::from(self.state.layout.slot_pages))),
        }
    }

    /// Reads all pages of a slot for the drive's own purposes; returns the end of the last.
    #[inline]
    pub(crate) fn read_slot(&mut self, at: Nanos, from: SlotAddress) -> Result<Nanos, Illegal> {
        let mode = self.mode_of(from);
        let State { layout, array, .. } = &mut self.state;
        let slot_pages = layout.slot_pages;
        let (first, mut end) = (from.slot.0 * slot_pages, at);
        if layout.width == 1 {
            return array.read_row(at, layout.address(from.unit, first), slot_pages, mode);
        }
        for page in first..first + slot_pages {
            let address = layout.address(from.unit, page);
            end = end.max(array.read(at, address, mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// Reads all parts of a second write for the drive's own purposes; returns the end.
    #[inline(never)]
    pub(crate) fn read_group(&mut self, at: Nanos, slots: GroupSlot) -> Result<Nanos, Illegal> {
        let mode = self.mode_of_group(slots);
        self.state.read_parts(at, slots, mode)
    }

    /// As [`read_group`](Self::read_group), for a waiting host.
    #[inline(never)]
    fn host_read_group(&mut self, at: Nanos, slots: GroupSlot) -> Result<Nanos, Illegal> {
        let mode = self.mode_of_group(slots);
        self.state.host_read_parts(at, slots, mode)
    }

    /// The mode in which the page in a slot was programmed.
    #[inline]
    pub(super) fn mode_of(&self, at: SlotAddress) -> ProgramMode {
        match self.cache_mode {
            Some(mode) if self.state.units.is_cached(at.unit) => mode,
            _ => self.effort.mode_of(self.state.layout.ppn(at.unit, at.slot)),
        }
    }

    /// How the first part was programmed, and so all of them.
    #[inline]
    fn mode_of_group(&self, slots: GroupSlot) -> ProgramMode {
        self.effort.mode_of(self.state.layout.ppn(slots.first.unit, slots.first.slot))
    }

    /// A unit is erased or given back to be written over: the content of its invalid pages is lost.
    pub(super) fn unit_destroyed(&mut self, unit: Unit) {
        if self.recycle.listens() {
            let state = &mut self.state;
            let first = state.layout.ppn(unit, Slot(0));
            let owners = state.map.owners(first, state.layout.slots_per_unit);
            self.recycle.hear_destroyed(first, owners, &mut state.units.content_score);
        }
    }

    /// Erases the blocks of a unit; returns the end, and whether one of them should hold no more
    /// data.
    pub(super) fn erase_blocks(&mut self, at: Nanos, unit: Unit) -> Result<(Nanos, bool), Illegal> {
        let is_cached = self.state.units.is_cached(unit);
        if self.state.array.wear().counts_coarse() && !is_cached {
            self.count_coarse_programs(unit);
        }
        let state = &mut self.state;
        let keeps_records = state.keeps_records();
        if keeps_records {
            state.begin(Operation::Erase { unit: unit.0 });
        }
        let (mut end, mut unfit) = (at, false);
        for index in 0..state.layout.width {
            let address = state.layout.block_of(unit, index);
            end = end.max(match is_cached {
                false => state.array.erase(at, address.plane, address.block),
                true => state.array.erase_one_bit(at, address.plane, address.block),
            });
            state.counters.erases += 1;
            state.counters.cached_erases += u64::from(is_cached);
            unfit |= state.array.wear().is_worn_out(address.block);
            unfit |= state.may_fail() && state.erase_failed();
        }
        if keeps_records {
            state.end_erase(unit);
        }
        if state.array.has_power() { Ok((end, unfit)) } else { Err(Illegal::NoPower) }
    }

    /// A unit is about to be erased: what its coarse programs wore counts from then on.
    #[inline(never)]
    fn count_coarse_programs(&mut self, unit: Unit) {
        let slot_pages = self.state.layout.slot_pages;
        for slot in 0..self.state.layout.slots_per_unit {
            let mode = self.effort.mode_of(self.state.layout.ppn(unit, Slot(slot)));
            for page in slot * slot_pages..(slot + 1) * slot_pages {
                self.state.array.was_programmed_in(self.state.layout.address(unit, page), mode);
            }
        }
    }

    /// Closes the full open unit of a stream and writes its summary, if units have one.
    pub(crate) fn close_unit(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), Illegal> {
        let Some(unit) = self.state.units.close(pool, stream) else { return Ok(()) };
        let (first, pages) = self.summary_of(unit);
        for page in first..first + pages {
            let address = self.state.layout.address(unit, page);
            self.state.array.program(at, address, ProgramMode::NORMAL, Transfer::Channel)?;
            self.state.counters.programmed.metadata += 1;
        }
        Ok(())
    }

    /// Reads the summary of a closed unit, if units have one; returns the end.
    pub(crate) fn read_summary(&mut self, at: Nanos, unit: Unit) -> Result<Nanos, Illegal> {
        let mut end = at;
        let (first, pages) = self.summary_of(unit);
        for page in first..first + pages {
            let address = self.state.layout.address(unit, page);
            // A unit that a mount closed before it was full has no summary.
            if !self.state.array.is_programmed(address) {
                continue;
            }
            end = end.max(self.state.array.read(at, address, ProgramMode::NORMAL, Transfer::Channel)?);
            self.state.counters.read.metadata += 1;
        }
        Ok(end)
    }

    /// Reads the summary of a victim, if the drive keeps the owners of its pages there only.
    pub(crate) fn find_owners(&mut self, at: Nanos, victim: Unit) -> Result<Nanos, FtlError> {
        if self.state.summary_reads { Ok(self.read_summary(at, victim)?) } else { Ok(at) }
    }

    /// First page and number of the pages of a unit's summary: behind its last slot, or the last
    /// low row.
    fn summary_of(&self, unit: Unit) -> (u32, u32) {
        let (units, layout) = (&self.state.units, &self.state.layout);
        let first = match (units.fill(unit), units.fill_order().low_summary_row()) {
            (Fill::Low, Some(row)) => row * layout.width,
            _ => layout.slots_per_unit * layout.slot_pages,
        };
        (first, layout.summary_pages)
    }
}
