//! What precedes the program of a slot where cells are stored or programs are counted: the data is
//! encoded onto the cells, and the slot may refuse it.
//!
//! Plain drives on modelled cells never come here. A code that reads before it writes pays for the
//! read of the slot; one that checks data before writing may find that the cells cannot take it,
//! and the page goes to the next slot. A unit that refuses several times running is not tried
//! further: its other slots are as worn.

use rewear_flash::Nanos;

use crate::address::{SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::{Hand, stored};
use crate::host::Content;
use crate::reuse::facts::ReadsBeforeWrite;
use crate::state::groups::PARTS;

/// Refusals running after which the rest of a unit is left alone.
const PATIENCE: u32 = 16;

/// The latest refusals, as long as they follow each other in one unit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refusals {
    unit: Unit,
    running: u32,
}

impl Hand {
    /// Prepares a slot for the page that lies in the buffer on stored cells, which
    /// [`store_with_record`](Self::store_with_record) then sets. Returns when its program may
    /// begin, and whether the slot takes the page.
    pub(crate) fn prepare(
        &mut self,
        at: Nanos,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<(Nanos, bool), FtlError> {
        let mut ready_at = at;
        if self.reuse.goes_over_data(SlotAddress { unit, slot }) {
            ready_at = self.before_overwriting(at, SlotAddress { unit, slot })?;
        }
        if self.reuse.reads_first(SlotAddress { unit, slot }) {
            self.state.counters.read.before_write += u64::from(self.state.layout.slot_pages);
            ready_at = self.read_slot(ready_at, SlotAddress { unit, slot })?;
        }
        let taken = if self.state.array.stores_cells() {
            stored::encode(&self.state, &mut self.reuse, &mut self.buffers, SlotAddress { unit, slot })?
        } else {
            self.reuse.admit(SlotAddress { unit, slot })
        };
        if !taken {
            self.refused(unit);
        } else if self.refusals.running > 0 {
            self.refusals.running = 0;
        }
        Ok((ready_at, taken))
    }

    /// The time that reading a page and writing it elsewhere takes at most on an idle array.
    pub(crate) fn longest_move_ns(&self) -> Nanos {
        let timing = self.state.array.timing();
        let (page, transfer_ns) = (timing.slowest(), timing.transfer_ns);
        // The parts of a write may lie on one plane; those on several are transferred one after
        // another.
        let parts = if self.state.groups.is_some() { PARTS as u64 } else { 1 };
        let reads = parts + u64::from(self.most_reads_before_write());
        let slot_ns = reads * (page.read_ns + transfer_ns) + page.program_ns + transfer_ns;
        slot_ns * u64::from(self.state.layout.slot_pages)
    }

    /// As [`longest_move_ns`](Self::longest_move_ns): the summary of the victim may be read first,
    /// and that of a full unit written.
    pub(crate) fn longest_move_with_summaries_ns(&self) -> Nanos {
        let timing = self.state.array.timing();
        let (page, transfer_ns) = (timing.slowest(), timing.transfer_ns);
        let summary_ns = page.read_ns + page.program_ns + 2 * transfer_ns;
        self.longest_move_ns() + summary_ns * u64::from(self.state.layout.summary_pages)
    }

    /// Slots that are read at most before a page is written.
    fn most_reads_before_write(&self) -> u32 {
        match self.reuse.facts.reads_before_write {
            ReadsBeforeWrite::Never => 0,
            ReadsBeforeWrite::One => 1,
            ReadsBeforeWrite::Several => PATIENCE + 1,
        }
    }

    /// Brings a valid page into the buffer, on stored cells.
    #[inline]
    pub(crate) fn load(&mut self, place: SlotAddress) -> Result<(), FtlError> {
        if self.state.array.stores_cells() { self.load_stored(place) } else { Ok(()) }
    }

    #[inline(never)]
    fn load_stored(&mut self, place: SlotAddress) -> Result<(), FtlError> {
        let loaded = stored::load(&self.state, &mut self.reuse, &mut self.buffers, place);
        if !self.state.keeps_records() {
            return loaded;
        }
        // Of a write in several slots the first part has a record in any case: the map points at
        // it.
        let first = self.state.group_of(place).map_or(place, |slots| slots.first);
        match (loaded, self.state.record_of(first)) {
            (Ok(()), Some(record)) => self.buffers.note_checksum(record.data_checksum),
            // Without a record nobody knows what belongs here, and damaged cells may decode to
            // nothing at all.
            (Ok(()), None) | (Err(FtlError::Code(_)), _) => self.buffers.note_damaged(),
            (Err(error), _) => return Err(error),
        }
        Ok(())
    }

    /// Whether a slot holds these bytes, on stored cells.
    pub(crate) fn holds(&mut self, place: SlotAddress, bytes: &[u8]) -> Result<bool, FtlError> {
        stored::load(&self.state, &mut self.reuse, &mut self.buffers, place)?;
        Ok(self.buffers.page == bytes)
    }

    /// Brings the content of a host write into the buffer, on stored cells.
    #[inline]
    pub(crate) fn take_content(&mut self, content: Content<'_>) -> Result<(), FtlError> {
        if self.state.array.stores_cells() { self.take_bytes(content) } else { Ok(()) }
    }

    #[inline(never)]
    fn take_bytes(&mut self, content: Content<'_>) -> Result<(), FtlError> {
        self.buffers.page.copy_from_slice(stored::bytes_of(content)?);
        if self.state.keeps_records() {
            self.buffers.note_content();
        }
        Ok(())
    }

    /// Prepares the place of a page for an overwrite by a content.
    pub(crate) fn prepare_again(
        &mut self,
        at: Nanos,
        place: SlotAddress,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        // What the page holds may still be what another logical page falls back to.
        let at = self.before_overwriting(at, place)?;
        if self.state.array.stores_cells() {
            self.take_content(content)?;
            stored::encode(&self.state, &mut self.reuse, &mut self.buffers, place)?;
        }
        Ok(at)
    }

    /// The page that was brought into the buffer, if it is what its record says.
    pub(crate) fn loaded(&self) -> Option<&[u8]> {
        (!self.state.keeps_records() || self.buffers.is_intact()).then_some(&self.buffers.page)
    }

    #[cold]
    fn refused(&mut self, unit: Unit) {
        self.state.counters.writes_refused += 1;
        let before = if self.refusals.unit == unit { self.refusals.running } else { 0 };
        self.refusals = Refusals { unit, running: before + 1 };
        if self.refusals.running == PATIENCE {
            self.refusals.running = 0;
            self.state.units.give_up(unit);
        }
    }
}
