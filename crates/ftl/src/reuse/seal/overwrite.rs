//! The overwrite operation (section IV): the same page again, or a low page of the open overwrite unit.

use rewear_flash::Nanos;
use rewear_flash::medium::Kind;

use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::{Ftl, stored};
use crate::recovery::SpareMetadata;
use crate::recycle::Event;
use crate::reuse::Reuse;
use crate::reuse::place::Place;
use crate::state::units::stream::Stream;

impl Ftl {
    /// The place for an overwrite: where the page lies, if it can be programmed again there.
    #[inline(never)]
    pub(crate) fn place_overwrite(&mut self, at: Nanos, lpn: Lpn) -> Result<Place, FtlError> {
        self.state.counters.overwrites += 1;
        let ppn = self.state.map.find(lpn);
        if ppn.is_some() {
            let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
            // The other owners of a shared page keep what it holds.
            let is_shared = self.state.sharing.as_ref().is_some_and(|sharing| sharing.next(lpn) != lpn);
            if !is_shared
                && self.state.units.takes_programs_again(unit)
                && let Reuse::Seal(seal) = &mut self.reuse
                && seal.programs_left(ppn)
            {
                seal.programs[ppn.index()] += 1;
                return Ok(Place::Again(SlotAddress { unit, slot }));
            }
        }
        let SlotAddress { unit, slot } = self.place_slot(at, lpn, Stream::Overwrite)?;
        if let Reuse::Seal(seal) = &mut self.reuse {
            seal.programs[(self.state.layout.ppn(unit, slot)).index()] = 1;
        }
        Ok(Place::Slot(SlotAddress { unit, slot }))
    }

    /// Programs a page again where it lies. If that fails, the page is written once more elsewhere.
    #[inline(never)]
    pub(crate) fn write_again(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        // What the page holds may still be what another logical page falls back to.
        let at = self.before_overwriting(at, SlotAddress { unit, slot })?;
        // A page is read by the mode of its first program.
        let ppn = self.state.layout.ppn(unit, slot);
        let mode = self.state.effort.mode_of(ppn);
        if self.state.array.stores_cells() {
            self.take_content(content)?;
            stored::encode(&self.state, &mut self.reuse, &mut self.buffers, SlotAddress { unit, slot })?;
            let stream = self.state.units.stream_index(Stream::Overwrite);
            let metadata = SpareMetadata { kind: Kind::Again, lpn, mode, stream };
            stored::raise(
                &mut self.state,
                &self.reuse,
                &mut self.buffers,
                SlotAddress { unit, slot },
                metadata,
            )?;
        }
        let end = self.state.program(at, unit, slot, mode)?;
        self.state.counters.programmed.host += u64::from(self.state.layout.slot_pages);
        if self.state.may_fail() && self.state.program_failed(unit, slot) {
            return self.write_elsewhere(end, lpn, Stream::Host, content);
        }
        self.state.hear(Event::Written { ppn });
        Ok(end)
    }

    /// Checks what an overwrite promises: that its data only clears bits of what the page holds now. On a drive that does not
    /// program pages again nothing is promised.
    ///
    /// # Errors
    /// [`FtlError::NotOverwritable`]; a page beyond the exported capacity; a range beyond the page.
    pub fn check_overwrite(&mut self, lpn: Lpn, offset: usize, data: &[u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        let keeps_promises = matches!(self.reuse, Reuse::Seal(_)) && self.state.array.stores_cells();
        if !keeps_promises || (self.state.map.find(lpn).is_none() && self.buffered_bytes(lpn).is_none()) {
            return Ok(());
        }
        let mut present = vec![0; self.state.layout.logical_page_bytes as usize];
        self.read_bytes(lpn, &mut present)?;
        let present = present.get(offset..offset + data.len()).unwrap_or_default();
        match present.iter().zip(data).position(|(old, new)| new & !old != 0) {
            None => Ok(()),
            Some(byte) => Err(FtlError::NotOverwritable { lpn, byte: offset + byte }),
        }
    }
}
