//! What precedes the program of a slot where cells are stored or programs are counted: the data is
//! encoded onto the cells, and the slot may refuse it.
//!
//! Plain drives on modelled cells never come here. A code that reads before it writes pays for the
//! read of the slot; one that checks data before writing may find that the cells cannot take it,
//! and the page goes to the next slot. A unit that refuses several times running is not tried
//! further: its other slots are as worn.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, SlotAddress, Unit};
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::refusals::Refusals;
use crate::layer::{Ftl, stored};
use crate::state::groups::PARTS;
use crate::state::units::stream::Stream;

/// Refusals running after which the rest of a unit is left alone.
const PATIENCE: u32 = 16;

impl Ftl {
    /// Prepares a slot for a host's page, or another one if that refuses. Returns the slot and when
    /// its program may begin.
    #[inline(never)]
    pub(crate) fn prepare_for_host(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        stream: Stream,
        place: SlotAddress,
        content: Content<'_>,
    ) -> Result<(SlotAddress, Nanos), FtlError> {
        let (mut at, mut place) = (at, place);
        loop {
            // Finding another place may have moved pages, which takes the same buffer.
            self.take_content(content)?;
            let (ready_at, taken) = self.prepare(at, place)?;
            if taken {
                return Ok((place, ready_at));
            }
            at = ready_at;
            place = self.place_slot(at, lpn, stream)?;
        }
    }

    /// Prepares a slot for a page that cleaning moves from `from`, as
    /// [`prepare_for_host`](Self::prepare_for_host).
    #[inline(never)]
    pub(crate) fn prepare_for_move(
        &mut self,
        at: Nanos,
        pool: Pool,
        from: SlotAddress,
        stream: Stream,
        place: SlotAddress,
    ) -> Result<(SlotAddress, Nanos), FtlError> {
        let (mut at, mut place) = (at, place);
        loop {
            self.load(from)?;
            let (ready_at, taken) = self.prepare(at, place)?;
            if taken {
                return Ok((place, ready_at));
            }
            at = ready_at;
            place = match self.state.units.take_slot(pool, stream) {
                Some(place) => place,
                None => self.open_for_moves(at, pool, stream, from.unit)?,
            };
        }
    }

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
            self.state.counters.read.before_write += u64::from(self.state.layout.slot_pages_of(unit));
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
        slot_ns * u64::from(self.state.layout.most_slot_pages)
    }

    /// Slots that are read at most before a page is written.
    fn most_reads_before_write(&self) -> u32 {
        match (self.reuse.facts.reads_first, self.reuse.facts.refuses) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => PATIENCE + 1,
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
